package main

import (
	"fmt"
	"strings"
	"time"

	"hpcbench/load/plans"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
)

type plansCmd struct {
	List  plansListCmd  `cmd:"" default:"1" help:"List the plans."`
	Show  plansShowCmd  `cmd:"" help:"Print every value of a plan, where it comes from, and how long it takes."`
	Check plansCheckCmd `cmd:"" help:"Read a plan file and report everything that is wrong with it."`
}

type plansListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

type planLine struct {
	Name        string `json:"plan"`
	Kind        string `json:"kind,omitempty"`
	Description string `json:"description"`
	Source      string `json:"source"`
	Error       string `json:"error,omitempty"`
}

func (c plansListCmd) Run(a *app) error {
	infos, err := plans.List(plansDir(sites.System()))
	if err != nil {
		return usage(err)
	}
	var all []planLine
	var rows [][]string
	var broken []error
	for _, i := range infos {
		l := planLine{Name: i.Name, Kind: i.Kind, Description: i.Description, Source: i.Source}
		if i.Err != nil {
			l.Error = i.Err.Error()
			l.Description = "can't be read: see below"
			broken = append(broken, i.Err)
		}
		all = append(all, l)
		rows = append(rows, []string{l.Name, l.Kind, l.Description})
	}
	if c.JSON {
		err = printJSON(a.stdout, all)
	} else {
		err = a.list([]string{"plan", "kind", "description"}, rows)
	}
	if err == nil && len(broken) > 0 {
		err = usage(conf.Join(broken...))
	}
	return err
}

type plansShowCmd struct {
	Name string `arg:"" help:"The plan, or a file that ends in .yaml." predictor:"plan"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c plansShowCmd) Run(a *app) error {
	p, origins, err := plans.Load(c.Name, plansDir(sites.System()))
	if err != nil {
		return usage(err)
	}
	if err := plans.Check(p, origins); err != nil {
		return usage(fmt.Errorf("plan %s: %w", c.Name, err))
	}
	rows, e := conf.Rows(p, origins), results.EstimatePlan(p)
	if c.JSON {
		return printJSON(a.stdout, struct {
			Plan     results.Plan `json:"plan"`
			Values   []conf.Row   `json:"values"`
			Estimate planEstimate `json:"estimate"`
		}{p, rows, planEstimate{e.Steps, e.Exact, e.Seconds, e.WorstSeconds(), e.Requests}})
	}
	if err := a.values(rows); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "\nOne repeat: %s\n", estimateWords(p.Kind, e))
	return err
}

type planEstimate struct {
	Steps    int     `json:"steps"`
	Exact    bool    `json:"exact"`
	Seconds  float64 `json:"load_s"`
	WorstS   float64 `json:"load_worst_s"`
	Requests int     `json:"requests"`
}

// estimateWords says what a plan needs. Its steps are known beforehand unless it chooses them while it runs.
func estimateWords(kind string, e results.PlanEstimate) string {
	about, steps := "about ", "about "
	if e.Exact {
		about = ""
	}
	if plans.Static(kind) {
		steps = ""
	}
	seconds := func(s float64) time.Duration { return (time.Duration(s*1e3) * time.Millisecond).Round(time.Second) }
	return fmt.Sprintf("%s%d steps, %s%d requests, %s of load, %s at most with every drain.",
		steps, e.Steps, about, e.Requests, seconds(e.Seconds), seconds(e.WorstSeconds()))
}

type plansCheckCmd struct {
	File string `arg:"" help:"A file that ends in .yaml." predictor:"file"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c plansCheckCmd) Run(a *app) error {
	if !strings.HasSuffix(c.File, ".yaml") {
		return usage(fmt.Errorf("check %s: a plan file ends in .yaml; `hpcbench plans show NAME` shows a plan by its name", c.File))
	}
	p, origins, err := plans.Load(c.File, "")
	if err == nil {
		err = plans.Check(p, origins)
	}
	return a.checked(c.File, c.JSON, err, "; "+estimateWords(p.Kind, results.EstimatePlan(p)))
}
