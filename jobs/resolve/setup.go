package resolve

import (
	"maps"
	"slices"
	"strings"

	"hpcbench/apptainer"
	"hpcbench/results"
	"hpcbench/sites"
)

// inJob are the placeholders that only the job knows, as the shell has them there.
var inJob = strings.NewReplacer("{job}", "${SLURM_JOB_ID}", "{node}", "${SLURM_NODEID}")

// setup says what the script does before the repeats: the site's lines, the
// allow-list, and every variable with its reason.
func (d *draft) setup() {
	s := &d.spec.Setup
	s.Lines = slices.Clone(d.site.Setup)
	s.Keep = slices.Clone(d.site.KeepEnv)
	s.Umask = "077"
	if d.spec.Site.ProjectGroup != "" {
		s.Umask = "027"
	}
	runtime, contained := d.runtime()
	if contained {
		s.Need = append(s.Need, string(runtime))
	}
	named := func(name, where string) string {
		if contained && where != sites.Host {
			return runtime.EnvName(name)
		}
		return name
	}
	for _, name := range slices.Sorted(maps.Keys(d.site.Environment)) {
		v := d.site.Environment[name]
		value, expand := v.Value, false
		if v.From != "" {
			value, expand = "${"+v.From+"}", true
		} else if text := inJob.Replace(value); text != value {
			value, expand = text, true
		}
		s.Exports = append(s.Exports, results.Export{Name: named(name, v.Where), Value: value, Why: v.Reason, Expand: expand})
	}
	for _, name := range slices.Sorted(maps.Keys(d.site.Caches)) {
		c := d.site.Caches[name]
		value := inJob.Replace(c.Path)
		export := results.Export{Name: named(name, sites.Container), Value: value, Why: c.Reason, Expand: value != c.Path}
		s.Exports = append(s.Exports, export)
		if c.ReadOnly {
			continue
		}
		s.MakeDirs = append(s.MakeDirs, export.Name)
		if c.Per == sites.PerJob {
			s.JobDirs = append(s.JobDirs, export.Name)
		}
	}
}

// runtime is the container program; false = the engine runs without one.
func (d *draft) runtime() (apptainer.Runtime, bool) {
	if d.site.Runtime.Command == "" || d.site.Runtime.Command == sites.None {
		return "", false
	}
	r, err := apptainer.ParseRuntime(d.site.Runtime.Command)
	d.fail(err)
	return r, err == nil
}
