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

// setup says what the script does before the repeats.
func (d *draft) setup() {
	s, err := Environment(d.site)
	d.fail(err)
	s.Umask = "077"
	if d.spec.Site.ProjectGroup != "" {
		s.Umask = "027"
	}
	d.spec.Setup = s
}

// Environment is what a site's jobs find: the site's lines, the allow-list, and every
// variable with its reason. The site's templates are filled in.
func Environment(site sites.Profile) (results.Setup, error) {
	s := results.Setup{Lines: slices.Clone(site.Setup), Keep: slices.Clone(site.KeepEnv)}
	runtime, contained, err := runtimeOf(site)
	if err != nil {
		return s, err
	}
	if contained {
		s.Need = append(s.Need, string(runtime))
	}
	named := func(name, where string) string {
		if contained && where != sites.Host {
			return runtime.EnvName(name)
		}
		return name
	}
	for _, name := range slices.Sorted(maps.Keys(site.Environment)) {
		v := site.Environment[name]
		value, expand := v.Value, false
		if v.From != "" {
			value, expand = "${"+v.From+"}", true
		} else if text := inJob.Replace(value); text != value {
			value, expand = text, true
		}
		s.Exports = append(s.Exports, results.Export{Name: named(name, v.Where), Value: value, Why: v.Reason, Expand: expand})
	}
	for _, name := range slices.Sorted(maps.Keys(site.Caches)) {
		c := site.Caches[name]
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
	return s, nil
}

// runtime is the container program; false = the engine runs without one.
func (d *draft) runtime() (apptainer.Runtime, bool) {
	r, contained, err := runtimeOf(d.site)
	d.fail(err)
	return r, contained
}

func runtimeOf(site sites.Profile) (apptainer.Runtime, bool, error) {
	if site.Runtime.Command == "" || site.Runtime.Command == sites.None {
		return "", false, nil
	}
	r, err := apptainer.ParseRuntime(site.Runtime.Command)
	return r, err == nil, err
}
