package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hpcbench/collect/read"
	"hpcbench/jobs"
	"hpcbench/results"
)

// open reads the run that is meant. A path is opened as it is, so that a folder
// copied from elsewhere can be read without any configuration, and also one whose
// run.json is broken.
func (a *app) open(ref string, o read.Options) (*read.Run, error) {
	if strings.ContainsRune(ref, filepath.Separator) {
		dir, err := filepath.Abs(ref)
		if err != nil {
			return nil, usage(err)
		}
		return a.openEntry(jobs.Entry{Name: filepath.Base(dir), Dir: results.RunDir(dir)}, o)
	}
	e, err := a.find(ref)
	if err != nil {
		return nil, err
	}
	return a.openEntry(e, o)
}

// openEntry reads a run, with what the accounting knows of its jobs.
func (a *app) openEntry(e jobs.Entry, o read.Options) (*read.Run, error) {
	o.Jobs = a.accounting(e)
	run, err := read.Open(string(e.Dir), o)
	switch {
	case errors.Is(err, read.ErrNoRun), errors.Is(err, os.ErrNotExist):
		return nil, usage(err)
	case err != nil:
		return nil, failed(err)
	}
	return run, nil
}

// accounting hands what Slurm says of a run's jobs to collect, which knows no
// scheduler. Results are read without it all the same: on a laptop there is no sacct,
// and a database that is down must not hide numbers.
func (a *app) accounting(e jobs.Entry) map[string]read.Job {
	if e.Spec.Format == "" { // opened by its path
		spec, err := results.ReadJSON[results.Spec](e.Dir.Spec(), results.FormatSpec)
		if err != nil {
			return nil
		}
		e.Spec = spec
	}
	if e.Spec.Site.Scheduler != results.SchedulerSlurm {
		return nil
	}
	sched, err := scheduler(e)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(a.ctx, 10*time.Second)
	defer cancel()
	spent, err := jobs.Accounting(ctx, sched, e.Dir)
	if err != nil && !errors.Is(err, exec.ErrNotFound) {
		fmt.Fprintln(a.stderr, "hpcbench: note: without the accounting's word on its jobs:", err)
	}
	found := map[string]read.Job{}
	for id, s := range spent {
		found[id] = read.Job{ID: id, State: string(s.State), Ended: s.Ended, ElapsedS: s.Elapsed.Seconds() * e.Spec.Session.Part(s.Name), Line: s.Line}
	}
	return found
}
