package resolve

import (
	"path/filepath"
	"strings"
	"time"

	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/templates"
)

// TaskRequest asks for a small job of our own on a site: a look at a node, or a
// preparation. The site's templates are filled in.
type TaskRequest struct {
	Site     sites.Profile
	Name     string // of the job
	What     string // for the comment at the top
	GPUs     int
	Walltime time.Duration
	Dir      string // the task's folder; its output goes to output.log there
	Command  []string
	// Keep are variables that the command needs beside the site's own.
	Keep        []string
	ToolVersion string
}

// Task makes the script of a small job, and what it asks for.
func Task(r TaskRequest) ([]byte, results.JobSpec, error) {
	d := &draft{site: r.Site}
	d.part = r.Site.Partitions[r.Site.Partition]
	job := &d.spec.Job
	job.GPUs, job.Nodes, job.WalltimeS, job.Dir = r.GPUs, 1, int(r.Walltime.Seconds()), r.Dir
	d.host()
	if r.GPUs == 0 { // cores and memory of one GPU's share do for a task without
		if job.CPUsPerTask == 0 {
			job.CPUsPerTask = max(1, r.Site.Node.CoresPerGPU)
		}
		if job.MemoryMiB == 0 && r.Site.Request.MemoryFlag == sites.Mem {
			job.MemoryMiB = int64(r.Site.Node.MemoryGiBPerGPU * 1024)
		}
	}
	setup, err := Environment(r.Site)
	if err != nil {
		return nil, *job, err
	}
	if r.Site.Scheduler == sites.Slurm {
		d.resources(r.Name)
		d.directive("output", filepath.Join(r.Dir, "output.log"))
	}
	if err := tidy(d.errs); err != nil {
		return nil, *job, err
	}
	data := templates.TaskData{What: r.What, Dir: r.Dir, Command: r.Command}
	data.RunName, data.Version = r.Name, r.ToolVersion
	data.Setup, data.Need, data.Keep = setup.Lines, setup.Need, append(setup.Keep, r.Keep...)
	for _, v := range job.Directives {
		data.Directives = append(data.Directives, templates.Directive{Flag: strings.TrimPrefix(v[0], "--"), Value: v[1]})
	}
	for _, e := range setup.Exports {
		data.Exports = append(data.Exports, templates.Export{Name: e.Name, Value: e.Value, Reason: e.Why, Expand: e.Expand})
	}
	text, err := templates.Task(data)
	return text, *job, err
}
