package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"hpcbench/collect/gate"
	"hpcbench/collect/read"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
)

type baselineCmd struct {
	List    baselineListCmd    `cmd:"" default:"1" help:"List the baselines in force."`
	Show    baselineShowCmd    `cmd:"" help:"Print a baseline."`
	Set     baselineSetCmd     `cmd:"" help:"Promote a run to a baseline."`
	History baselineHistoryCmd `cmd:"" help:"List every baseline that a name ever had."`
}

const baselineTime = "2006-01-02 15:04Z"

// baselines are those of all runs folders.
func (a *app) baselines() ([]gate.Store, error) {
	stores, err := a.stores()
	var all []gate.Store
	for _, s := range stores {
		all = append(all, gate.Store(filepath.Join(s.Dir, results.BaselinesDir)))
	}
	return all, err
}

// baseline finds the one in force by its name, the newest where several sites have one.
func (a *app) baseline(name string) (gate.Baseline, error) {
	stores, err := a.baselines()
	if err != nil {
		return gate.Baseline{}, err
	}
	var newest gate.Baseline
	var missing []error
	for _, s := range stores {
		b, err := s.Get(name)
		switch {
		case errors.Is(err, gate.ErrNoBaseline):
			missing = append(missing, err)
		case err != nil:
			return b, failed(err)
		case newest.Name == "" || b.At.After(newest.At):
			newest = b
		}
	}
	if newest.Name == "" {
		return newest, usage(fmt.Errorf("%w%s", missing[0], conf.DidYouMean(name, baselineNames())))
	}
	return newest, nil
}

// baselineNames are those in force, for completion.
func baselineNames() []string {
	stores, err := new(app).baselines()
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range stores {
		list, _, err := s.List()
		if err != nil {
			continue
		}
		for _, b := range list {
			names = append(names, b.Name)
		}
	}
	return names
}

type baselineListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (c baselineListCmd) Run(a *app) error {
	stores, err := a.baselines()
	if err != nil {
		return err
	}
	all := []gate.Baseline{}
	for _, s := range stores {
		list, problems, err := s.List()
		if err != nil {
			return failed(err)
		}
		for _, p := range problems {
			fmt.Fprintln(a.stderr, "hpcbench: note:", p)
		}
		all = append(all, list...)
	}
	return printBaselines(a, all, c.JSON)
}

func printBaselines(a *app, all []gate.Baseline, asJSON bool) error {
	if asJSON {
		return printJSON(a.stdout, all)
	}
	var rows [][]string
	for _, b := range all {
		rows = append(rows, []string{b.Name, b.Run, b.At.Format(baselineTime), b.By, b.Why})
	}
	return a.list([]string{"baseline", "run", "promoted", "by", "why"}, rows)
}

type baselineShowCmd struct {
	Name string `arg:"" help:"The baseline." predictor:"baseline"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c baselineShowCmd) Run(a *app) error {
	b, err := a.baseline(c.Name)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(a.stdout, b)
	}
	_, err = fmt.Fprintf(a.stdout, "%s: run %s, promoted %s by %s\nwhy: %s\nmodel: %s\nimage: %s %s\nengine: %s\ncommand: %s\nrepeats: %d\nfolder: %s\n",
		b.Name, b.Run, b.At.Format(baselineTime), b.By, b.Why, strings.TrimSpace(b.Model+" "+b.Revision), b.Image, b.ImageDigest, b.EngineVersion,
		strings.Join(b.Command, " "), b.Repeats, b.Dir)
	return err
}

type baselineSetCmd struct {
	Name string `arg:"" help:"Name of the baseline." predictor:"baseline"`
	Ref  string `arg:"" name:"run" help:"Run: its name, a unique beginning of it, or last." predictor:"run"`
	Why  string `required:"" help:"Why it is promoted; kept with it." placeholder:"TEXT"`
	// Force is for those who know that the partition does no harm.
	Force bool `help:"Promote also a run of a partition that isn't for production, such as dev-g."`
}

func (c baselineSetCmd) Run(a *app) error {
	e, err := a.find(c.Ref)
	if err != nil {
		return err
	}
	run, err := a.openEntry(e, read.Options{})
	if err != nil {
		return err
	}
	if site, _, err := sites.LoadSite(e.Spec.Site.Name, sites.System()); err == nil && !c.Force {
		site.Partition = e.Spec.Job.Partition
		if err := production(site); errors.Is(err, errNotProduction) {
			return usage(fmt.Errorf("promote %s: %w", e.Name, err))
		}
	}
	b, err := gate.Promote(run, c.Name, sites.System().Who().User, c.Why, now())
	if err != nil {
		return codeError{codeInvalid, err}
	}
	store := gate.Store(filepath.Join(filepath.Dir(string(e.Dir)), results.BaselinesDir))
	if err := store.Set(b); err != nil {
		return failed(err)
	}
	_, err = fmt.Fprintf(a.stdout, "Baseline %s is run %s now: %d repeats, %s\n", b.Name, b.Run, b.Repeats, b.Model)
	return err
}

type baselineHistoryCmd struct {
	Name string `arg:"" help:"The baseline." predictor:"baseline"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c baselineHistoryCmd) Run(a *app) error {
	stores, err := a.baselines()
	if err != nil {
		return err
	}
	all := []gate.Baseline{}
	for _, s := range stores {
		list, lines, err := s.History(c.Name)
		if err != nil && !errors.Is(err, gate.ErrNoBaseline) {
			return failed(err)
		}
		if n := lines.Bad + lines.Torn; n > 0 {
			fmt.Fprintf(a.stderr, "hpcbench: note: %d lines of the history in %s can't be read\n", n, s)
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return usage(fmt.Errorf("%w: %s has no history%s", gate.ErrNoBaseline, c.Name, conf.DidYouMean(c.Name, baselineNames())))
	}
	return printBaselines(a, all, c.JSON)
}
