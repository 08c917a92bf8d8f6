package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"hpcbench/load"
	"hpcbench/load/plans"
	"hpcbench/results"
)

// schedule prints what a plan would do: its steps as far as they are known
// beforehand, and what it needs.
func (a *app) schedule(p results.Plan) error {
	if err := p.Check(); err != nil {
		return usage(err)
	}
	e := results.EstimatePlan(p)
	fmt.Fprintf(a.stdout, "Plan %s (%s)\n", p.Name, p.Kind)
	steps, err := load.DryRun(p, plans.Facts{})
	if err != nil {
		return usage(err)
	}
	t := table.NewWriter()
	t.SetStyle(plainStyle)
	t.AppendHeader(table.Row{"step", "loop", "rate/s", "streams", "window s", "requests", "output tokens", "note"})
	for _, s := range steps {
		t.AppendRow(table.Row{s.ID, s.Loop, blank(s.RatePerS), blank(float64(s.Streams)), blank(s.DurationS), blank(float64(s.Requests)),
			blank(float64(s.OutputTokens)), s.NotRun})
	}
	if err := printTable(a.stdout, t); err != nil {
		return err
	}
	if !plans.Static(p.Kind) {
		fmt.Fprintln(a.stdout, "Further steps are chosen while it runs; the first repeat's are kept for the others.")
	}
	about := ""
	if !e.Exact {
		about = "about "
	}
	fmt.Fprintf(a.stdout, "Requests: %s%d   prompt tokens: %s%d   output tokens: %s%d\n", about, e.Requests, about, e.PromptTokens, about, e.OutputTokens)
	fmt.Fprintf(a.stdout, "Time: %s%s, with every drain at its cap %s\n", about, duration(e.Seconds), duration(e.WorstSeconds()))
	fmt.Fprintf(a.stdout, "Walltime to ask for: %s for the load alone; the server's start comes on top\n", duration(e.WorstSeconds()+60))
	return nil
}

func duration(s float64) string {
	return (time.Duration(s*1000) * time.Millisecond).Round(time.Second).String()
}

func blank(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
