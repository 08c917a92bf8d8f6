package resolve

import (
	"fmt"
	"path/filepath"
	"strings"

	"hpcbench/jobs/fit"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/templates"
)

// TimesOf are the parts of one repeat of a resolved run.
func TimesOf(s results.Spec) fit.Times {
	load := results.EstimatePlan(s.Plan)
	return fit.Times{
		StartS: s.Server.ExpectedStartS, LoadS: load.Seconds, DrainS: load.DrainSeconds,
		StopS: s.Server.GraceS + 10, StartReserveS: s.Server.DeadlineS - s.Server.ExpectedStartS, SignalS: s.Job.SignalS,
	}
}

// LimitsOf are what a partition allows, by the profile.
func LimitsOf(site sites.Profile) fit.Limits {
	part := site.Partitions[site.Partition]
	return fit.Limits{
		Partition: site.Partition, WalltimeS: int(part.MaxWalltime.Seconds()),
		MaxJobs: part.MaxJobs, MaxRunning: part.MaxRunning, Scheduler: site.Scheduler,
	}
}

// Together says how the repeats of several resolved runs are put into jobs so that
// they alternate; see fit.Session.
func Together(site sites.Profile, specs []results.Spec, mode string) (results.Grouping, int, []string, error) {
	var each []fit.Times
	for _, s := range specs {
		each = append(each, TimesOf(s))
	}
	return fit.Session(specs[0].Repeats, each, LimitsOf(site), mode, differ(specs))
}

// differ says what keeps runs from sharing a job: one job holds the same nodes, GPUs
// and memory throughout, and idle ones would be paid for.
func differ(specs []results.Spec) string {
	first := specs[0]
	for _, s := range specs[1:] {
		for _, q := range []struct {
			what string
			a, b any
		}{
			{"GPUs", first.Job.GPUs, s.Job.GPUs}, {"nodes", first.Job.Nodes, s.Job.Nodes},
			{"cores", first.Job.CPUsPerTask, s.Job.CPUsPerTask}, {"MiB of memory", first.Job.MemoryMiB, s.Job.MemoryMiB},
		} {
			if q.a != q.b {
				return fmt.Sprintf("%s needs %v %s and %s needs %v", first.Name, q.a, q.what, s.Name, q.b)
			}
		}
	}
	return ""
}

// SessionNames gives the runs of a session names that tell them apart: the one that
// was asked for with model and size behind it, or their own with the size where those are equal.
func SessionNames(asked string, specs []results.Spec) []string {
	models, sizes := map[string]bool{}, map[int]bool{}
	for _, s := range specs {
		models[s.Model.Name], sizes[s.Server.TensorParallel] = true, true
	}
	var names []string
	taken := map[string]int{}
	for _, s := range specs {
		name := s.Name
		if asked != "" {
			name = asked
			if len(models) > 1 {
				name += "-" + plain(s.Model.Name[strings.LastIndexByte(strings.TrimRight(s.Model.Name, "/"), '/')+1:])
			}
		}
		if len(sizes) > 1 {
			name += fmt.Sprintf("-tp%d", s.Server.TensorParallel)
		}
		taken[name]++
		if n := taken[name]; n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		names = append(names, name)
	}
	return names
}

// SessionRequest is a script that runs several runs by turns in one job.
type SessionRequest struct {
	Name       string // of the session
	Dir        string // its folder, absolute
	Runs       []results.Spec
	WalltimeS  int
	Arithmetic []string
}

// SessionScript makes it. The runs ask for the same resources, so the first one's
// directives stand for all.
func SessionScript(r SessionRequest) ([]byte, error) {
	first := r.Runs[0]
	d := templates.SessionData{Name: r.Name, Version: first.ToolVersion, Notes: []string{first.Grouping.Why}, Requeue: first.Job.Requeue,
		SignalBeforeS: first.Job.SignalS, Umask: first.Setup.Umask, Self: filepath.Join(r.Dir, "script.sh")}
	for i, a := range r.Arithmetic {
		if i == 0 {
			a = "Walltime of a job: " + a
		}
		d.Notes = append(d.Notes, a)
	}
	replaced := map[string]string{"job-name": "hpcbench-" + r.Name, "time": fit.Clock(r.WalltimeS), "output": filepath.Join(r.Dir, "%j.log")}
	for _, v := range first.Job.Directives {
		flag := strings.TrimPrefix(v[0], "--")
		if to, ok := replaced[flag]; ok {
			v[1] = to
		}
		d.Directives = append(d.Directives, templates.Directive{Flag: flag, Value: v[1]})
	}
	for _, s := range r.Runs {
		dir := results.RunDir(s.Job.Dir)
		d.Sides = append(d.Sides, templates.Side{Script: dir.Script(), Logs: dir.Logs()})
	}
	for i := range first.Repeats {
		d.Rounds = append(d.Rounds, i+1)
	}
	return templates.Session(d)
}
