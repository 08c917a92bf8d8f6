package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hpcbench/collect/history"
	"hpcbench/collect/report"
	"hpcbench/results"
)

type historyCmd struct {
	Site      string `help:"Only runs of this site." placeholder:"NAME" predictor:"site"`
	Model     string `help:"Only runs of this model, by its org/name." placeholder:"MODEL" predictor:"model"`
	Plan      string `help:"Only runs of this plan." placeholder:"PLAN" predictor:"plan"`
	Simulated bool   `help:"Runs of the stub engine instead of measured ones."`
	Metric    string `help:"Show how a figure of every step moved, instead of the list; such as corrected.tpot_ms.p50." placeholder:"METRIC" predictor:"headline"`
	Step      string `help:"With --metric, only this step." placeholder:"STEP"`
	Rebuild   bool   `help:"Make the history anew from the run folders; those that are gone leave it."`
	JSON      bool   `name:"json" help:"Print JSON."`
}

// Run lists runs over time, or shows how one figure moved.
func (c historyCmd) Run(a *app) error {
	if c.Metric != "" && !slices.Contains(history.Headlines, c.Metric) {
		return usage(fmt.Errorf("--metric %s: the history has %s", c.Metric, strings.Join(history.Headlines, ", ")))
	}
	stores, err := a.stores()
	if err != nil {
		return err
	}
	var all []history.Entry
	for _, s := range stores {
		path := filepath.Join(s.Dir, results.HistoryFile)
		if c.Rebuild {
			if _, _, err := history.Rebuild(path, s.Dir); err != nil {
				return failed(err)
			}
		}
		entries, problems, err := history.Update(path, s.Dir)
		if err != nil {
			return failed(err)
		}
		for _, p := range problems {
			fmt.Fprintln(a.stderr, "hpcbench: note:", p)
		}
		all = append(all, entries...)
	}
	filter := history.Filter{Site: c.Site, Model: c.Model, Plan: c.Plan, Simulated: c.Simulated}
	all = history.Select(all, filter)
	if c.Metric == "" {
		return c.list(a, all)
	}
	return c.trend(a, all, filter)
}

func (c historyCmd) list(a *app, all []history.Entry) error {
	if c.JSON {
		return printJSON(a.stdout, all)
	}
	var rows [][]string
	for _, e := range all {
		remarks := []string{e.Verdict}
		if e.Simulated {
			remarks = append(remarks, "SIMULATED")
		}
		if e.Invalid > 0 {
			remarks = append(remarks, fmt.Sprintf("INVALID steps: %d", e.Invalid))
		}
		rows = append(rows, []string{e.At.Format("2006-01-02 15:04Z"), e.Run, e.Site, e.Plan, fmt.Sprintf("%d/%d", e.Good, e.Asked), strings.TrimPrefix(strings.Join(remarks, ", "), ", ")})
	}
	return a.list([]string{"started", "run", "site", "plan", "good", "remarks"}, rows)
}

func (c historyCmd) trend(a *app, all []history.Entry, filter history.Filter) error {
	trends := history.Trends(all, filter, c.Metric)
	if c.Step != "" {
		trends = slices.DeleteFunc(trends, func(t history.StepTrend) bool { return t.Step != c.Step })
	}
	if c.JSON {
		return printJSON(a.stdout, trends)
	}
	if len(trends) == 0 {
		return c.nothing(a)
	}
	var rows [][]string
	for _, t := range trends {
		for _, p := range t.Points {
			rows = append(rows, []string{t.Step, p.At.Format("2006-01-02 15:04Z"), p.Run, report.Number(p.Value, 4), fmt.Sprint(p.N), p.Version})
		}
	}
	return a.list([]string{"step", "started", "run", c.Metric, "n", "engine"}, rows, 3, 4)
}

// nothing says why there is no trend to show; a script sees no line.
func (c historyCmd) nothing(a *app) error {
	words := "no measured run has " + c.Metric
	if c.Simulated {
		words = "no simulated run has " + c.Metric
	}
	if c.Step != "" {
		words += " in step " + c.Step
	}
	if !c.Simulated {
		words += "; --simulated shows the stub's"
	}
	_, err := fmt.Fprintln(a.stderr, "hpcbench: note:", words)
	return err
}
