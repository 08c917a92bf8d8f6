package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hpcbench/jobs"
)

type waitCmd struct {
	Refs []string `arg:"" name:"run" help:"Runs: names, unique beginnings, or last." predictor:"run"`
}

// Run waits until nothing of the runs is under way.
func (c waitCmd) Run(a *app) error {
	var entries []jobs.Entry
	for _, ref := range c.Refs {
		e, err := a.find(ref)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return a.watch(entries)
}

// watch follows runs of one scheduler, shows what changes, and fails where a run
// ended with repeats missing.
func (a *app) watch(entries []jobs.Entry) error {
	if len(entries) == 0 {
		fmt.Fprintln(a.stdout, "There are no runs.")
		return nil
	}
	for _, e := range entries[1:] {
		if schedulerKey(e) != schedulerKey(entries[0]) {
			return usage(errors.New("these runs belong to different schedulers; wait for them one by one"))
		}
	}
	sched, err := poller(entries[0])
	if err != nil {
		return failed(err)
	}
	every := time.Second
	for _, e := range entries {
		every = max(every, time.Duration(e.Spec.Site.PollS*float64(time.Second)))
	}
	view := newView(a)
	last, err := jobs.Wait(a.ctx, sched, entries, every, view.show)
	view.close(last)
	switch {
	case errors.Is(err, context.Canceled):
		return codeError{codeInterrupted, fmt.Errorf("stopped waiting; the jobs go on (`hpcbench wait %s`, `hpcbench cancel %s`)", entries[0].Name, entries[0].Name)}
	case err != nil:
		return failed(err)
	}
	for _, r := range last {
		if missing := r.Missing(); len(missing) > 0 {
			err = errors.Join(err, fmt.Errorf("run %s: %d of %d repeats are complete, missing %s; `hpcbench status %s` says why, `hpcbench resume %s` sends them again",
				r.Name, r.Complete(), len(r.Repeats), jobs.Ranges(missing), r.Name, r.Name))
		}
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// followAndCollect is `submit --wait`: to the end, and then the table. Repeats that
// failed are named, and what there is is shown all the same.
func (a *app) followAndCollect(e jobs.Entry) error {
	waited := a.watch([]jobs.Entry{e})
	if waited != nil && (a.ctx.Err() != nil || errors.Is(waited, jobs.ErrNever)) {
		return waited // nothing is over yet, or nothing will ever begin
	}
	collected := a.collect(e)
	fmt.Fprintf(a.stdout, "\nFiles: %s\n", e.Dir)
	if waited == nil {
		fmt.Fprintf(a.stdout, "Next:  hpcbench compare %s --reference NAME   (`hpcbench references` lists the published tables)\n", e.Name)
	} else {
		fmt.Fprintf(a.stdout, "Next:  hpcbench status %s   hpcbench logs %s   hpcbench resume %s\n", e.Name, e.Name, e.Name)
	}
	if waited != nil {
		return waited // why repeats are missing says more than that the table is short
	}
	return collected
}
