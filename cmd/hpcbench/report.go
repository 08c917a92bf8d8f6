package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/google/renameio/v2"

	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/collect/report"
)

type reportCmd struct {
	Runs           []string `arg:"" name:"run" help:"Runs: names, unique beginnings, last, or folders; several stand beside each other." predictor:"run"`
	Compare        bool     `xor:"against" help:"With two runs: say whether the second differs from the first."`
	Reference      string   `xor:"against" help:"With one run: say whether it differs from a published table or matrix." placeholder:"NAME" predictor:"reference"`
	AllowSimulated bool     `help:"Let a simulated run be compared with a measured one."`
	Out            string   `short:"o" xor:"file" help:"File to write, - for standard output; RUN.html here if not given." placeholder:"FILE" predictor:"file"`
	Plot           string   `xor:"file" help:"Write one figure of the page instead, as the ending says: .svg or .png." placeholder:"FILE" predictor:"file"`
	Figure         string   `help:"With --plot: which figure; the page's first if not given." placeholder:"ID"`
}

// Run writes one HTML file that needs nothing else, or one of its figures.
func (c reportCmd) Run(a *app) error {
	if c.Compare && len(c.Runs) != 2 {
		return usage(errors.New("--compare takes two runs, the one before and the one after"))
	}
	if c.Reference != "" && len(c.Runs) != 1 {
		return usage(errors.New("--reference takes one run"))
	}
	if c.Figure != "" && c.Plot == "" {
		return usage(errors.New("--figure goes with --plot FILE"))
	}
	var runs []*read.Run
	var docs []*report.Document
	for _, ref := range c.Runs {
		run, err := a.open(ref, read.Options{Values: true, Timelines: true})
		if err != nil {
			return err
		}
		runs = append(runs, run)
		docs = append(docs, report.New(run))
	}
	var against *compare.Comparison
	options := compare.Options{AllowSimulated: c.AllowSimulated}
	switch {
	case c.Compare:
		against = compare.Runs(runs[0], runs[1], options)
	case c.Reference != "":
		var err error
		if against, err = published(c.Reference, options, func() (*read.Run, error) { return runs[0], nil }); err != nil {
			return err
		}
	}
	page := report.RunPage(docs, against, versionLine())
	if c.Plot != "" {
		return plot(a, page, c.Figure, c.Plot)
	}
	if c.Out == "-" {
		return page.HTML(a.stdout)
	}
	out := c.Out
	if out == "" {
		out = filepath.Base(docs[0].Run) + ".html"
	}
	var b bytes.Buffer
	if err := page.HTML(&b); err != nil {
		return failed(err)
	}
	if err := renameio.WriteFile(out, b.Bytes(), 0o644); err != nil {
		return failed(fmt.Errorf("write the report: %w", err))
	}
	_, err := fmt.Fprintf(a.stdout, "Report: %s\n", out)
	return err
}
