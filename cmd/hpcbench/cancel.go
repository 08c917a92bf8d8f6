package main

import (
	"fmt"
	"strings"

	"hpcbench/jobs"
)

type cancelCmd struct {
	Ref string `arg:"" name:"run" help:"Run: its name, a unique beginning of it, or last." predictor:"run"`
}

// Run ends the run's own jobs, by their recorded ids; what was measured is kept.
func (c cancelCmd) Run(a *app) error {
	e, err := a.find(c.Ref)
	if err != nil {
		return err
	}
	sched, err := scheduler(e)
	if err != nil {
		return failed(err)
	}
	ids, err := jobs.Cancel(a.ctx, sched, e, now())
	for _, id := range ids {
		fmt.Fprintf(a.stdout, "Cancelled job %s of run %s\n", id, e.Name)
		if others := jobs.SharedWith(e, id); len(others) > 0 {
			fmt.Fprintf(a.stdout, "It was shared: %s ended with it\n", strings.Join(others, ", "))
		}
	}
	if err != nil {
		return failed(err)
	}
	if len(ids) == 0 {
		fmt.Fprintf(a.stdout, "Run %s has no job that is pending or running\n", e.Name)
	}
	return nil
}
