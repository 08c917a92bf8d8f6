package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"hpcbench/jobs/check"
	"hpcbench/sites"
	"hpcbench/slurm"
)

// probePatience is how long a probe may wait in the queue before it is taken back.
const probePatience = 15 * time.Minute

// probe looks at a compute node with a job of a minute.
func (a *app) probe(client *slurm.Client, s check.Subject, found []check.Finding) ([]check.Finding, error) {
	if s.Site.Scheduler != sites.Slurm {
		return nil, usage(errors.New("--probe: this site has no compute nodes, the checks are made where jobs run"))
	}
	t, err := a.task()
	if err != nil {
		return nil, failed(err)
	}
	t.Patience = probePatience
	return check.Probe(a.ctx, client, s, found, t), nil
}

// task is a small job with what this program knows of itself.
func (a *app) task() (check.Task, error) {
	program, err := os.Executable()
	if err != nil {
		return check.Task{}, fmt.Errorf("find the program itself: %w", err)
	}
	return check.Task{Program: program, ToolVersion: version, Now: now,
		Say: func(format string, args ...any) { fmt.Fprintf(a.stderr, "hpcbench: "+format+"\n", args...) }}, nil
}

type probeCmd struct {
	Dir string `arg:"" name:"dir" help:"Folder of the job."`
}

// Run is what the job of doctor --probe does on the node.
func (c probeCmd) Run(a *app) error {
	if err := check.OnNode(a.ctx, c.Dir); err != nil {
		return failed(err)
	}
	return nil
}
