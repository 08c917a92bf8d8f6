package main

import (
	"fmt"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/collect/report"
	"hpcbench/jobs"
)

type collectCmd struct {
	Ref string `arg:"" name:"run" help:"Run: its name, a unique beginning of it, last, or its folder." predictor:"run"`
	Set string `enum:"corrected,compat,all" default:"corrected" help:"Figures: corrected (from the intended send time, nothing censored), compat (as the Hugging Face tool prints them), or all." placeholder:"SET"`
	// RequireRepeats is for scripts that want all or nothing.
	RequireRepeats bool `help:"Fail unless every repeat that was asked for counts in every step."`
	JSON           bool `name:"json" xor:"form" help:"Print JSON, with every repeat's figures."`
	CSV            bool `name:"csv" xor:"form" help:"Print CSV: a line a step and metric."`
	Markdown       bool `xor:"form" help:"Print Markdown."`
}

// Run prints the averaged tables of a run.
func (c collectCmd) Run(a *app) error {
	run, err := a.open(c.Ref, read.Options{Values: c.JSON})
	if err != nil {
		return err
	}
	d := report.New(run)
	sets := []string{c.Set}
	if c.Set == "all" {
		sets = nil
	}
	switch {
	case c.JSON:
		err = d.JSON(a.stdout)
	case c.CSV:
		err = d.CSV(a.stdout)
	case c.Markdown:
		err = d.Markdown(a.stdout, sets...)
	default:
		err = d.Terminal(a.stdout, a.colour(), sets...)
	}
	if err != nil {
		return failed(err)
	}
	return verdict(d, c.RequireRepeats)
}

// collect prints the tables of a run that was just waited for.
func (a *app) collect(e jobs.Entry) error {
	run, err := a.openEntry(e, read.Options{})
	if err != nil {
		return err
	}
	d := report.New(run)
	if err := d.Terminal(a.stdout, a.colour(), aggregate.SetCorrected); err != nil {
		return failed(err)
	}
	return verdict(d, false)
}

// verdict is the exit code of a table.
func verdict(d *report.Document, requireAll bool) error {
	outcome, words := d.Outcome(requireAll)
	switch outcome {
	case aggregate.Usable:
		return nil
	case aggregate.Invalid:
		return codeError{codeInvalid, fmt.Errorf("run %s: %s", d.Run, words)}
	}
	return failed(fmt.Errorf("run %s: %s; `hpcbench status %s` says where its repeats are", d.Run, words, d.Run))
}
