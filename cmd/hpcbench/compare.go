package main

import (
	"errors"
	"fmt"

	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/collect/report"
)

type compareCmd struct {
	Runs           []string `arg:"" name:"run" help:"The run before and the run after; with --reference or --baseline one run." predictor:"run"`
	Reference      string   `xor:"against" help:"Compare with a published table or matrix (see hpcbench references)." placeholder:"NAME" predictor:"reference"`
	Baseline       string   `xor:"against" help:"Compare with a baseline (see hpcbench baseline list)." placeholder:"NAME" predictor:"baseline"`
	AllowSimulated bool     `help:"Let a simulated run be compared with a measured one."`
	JSON           bool     `name:"json" xor:"form" help:"Print JSON."`
	Markdown       bool     `xor:"form" help:"Print Markdown."`
}

// Run compares two runs, or a run with a published table or a baseline.
func (c compareCmd) Run(a *app) error {
	wanted := 2
	if c.Reference != "" || c.Baseline != "" {
		wanted = 1
	}
	if len(c.Runs) != wanted {
		return usage(fmt.Errorf("compare takes two runs, the one before and the one after, or one run and --reference or --baseline NAME; %d were given", len(c.Runs)))
	}
	result, err := c.compare(a)
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		err = report.CompareJSON(a.stdout, result)
	case c.Markdown:
		err = report.CompareMarkdown(a.stdout, result)
	default:
		err = report.Compare(a.stdout, result, a.colour())
	}
	if err != nil {
		return failed(err)
	}
	return verdictCode(result)
}

// verdictCode is the exit code of a comparison.
func verdictCode(c *compare.Comparison) error {
	switch c.Verdict {
	case compare.Regressed:
		return codeError{codeRegressed, nil}
	case compare.Invalid:
		return codeError{codeInvalid, errors.New("invalid: " + c.Reason)}
	case compare.NotComparable: // nothing was compared, and no script must take that for "no change"
		return usage(errors.New("not comparable: " + c.Reason))
	}
	return nil
}

func (c compareCmd) compare(a *app) (*compare.Comparison, error) {
	options := compare.Options{AllowSimulated: c.AllowSimulated}
	if c.Reference == "" {
		base := c.Runs[0]
		if c.Baseline != "" {
			b, err := a.baseline(c.Baseline)
			if err != nil {
				return nil, err
			}
			base = b.Dir
		}
		before, err := a.open(base, read.Options{})
		if err != nil {
			return nil, err
		}
		after, err := a.open(c.Runs[len(c.Runs)-1], read.Options{})
		if err != nil {
			return nil, err
		}
		return compare.Runs(before, after, options), nil
	}
	return published(c.Reference, options, func() (*read.Run, error) { return a.open(c.Runs[0], read.Options{}) })
}
