package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/gate"
	"hpcbench/jobs"
	"hpcbench/jobs/resolve"
	"hpcbench/jobs/suite"
	"hpcbench/results"
)

// machine wires the nightly's state machine to the rooms that do the work.
func (n *nightly) machine(a *app) *suite.Machine {
	var names []string
	for _, e := range n.suite.Entries {
		names = append(names, e.Name)
	}
	return &suite.Machine{
		Dir: n.nightDir(), Night: n.night, Entries: names, BudgetGPUHours: n.suite.BudgetGPUHours, Enough: aggregate.MinRepeats, Now: now,
		Say:       func(words string) { fmt.Fprintln(a.stderr, "hpcbench:", words) },
		Open:      n.open,
		Resolve:   func(ctx context.Context, p suite.Part) (suite.Draft, error) { return n.resolve(ctx, a, p) },
		Submitter: a.nightlySubmitter,
		Status:    func(_ context.Context, all []jobs.Entry) ([]jobs.RunStatus, error) { return a.status(all) },
		Judge:     func(_ context.Context, s suite.Seen) (suite.Judgement, error) { return n.judge(a, s) },
	}
}

func (a *app) nightlySubmitter(m suite.Made) (jobs.Submitter, error) {
	sched, err := scheduler(m.Run)
	if err != nil {
		return jobs.Submitter{}, err
	}
	s := a.submitter(sched, m.Run)
	if m.Base != nil {
		s.Script = m.Run.Dir.Pairs()
	}
	return s, nil
}

// open finds a part's runs.
func (n *nightly) open(p suite.Part) (suite.Made, bool, error) {
	store, err := storeOf(n.sites[p.Entry])
	if err != nil {
		return suite.Made{}, false, err
	}
	run, err := store.Find(filepath.Join(store.Dir, n.runName(p.Entry, p, false)))
	if errors.Is(err, jobs.ErrNoRun) {
		return suite.Made{}, false, nil
	}
	if err != nil || p.Look == 0 {
		return suite.Made{Run: run}, true, err
	}
	base, err := store.Find(filepath.Join(store.Dir, n.runName(p.Entry, p, true)))
	if err != nil {
		return suite.Made{}, false, fmt.Errorf("the candidate of the pairs is there and the frozen side isn't: %w", err)
	}
	return suite.Made{Run: run, Base: &base}, true, nil
}

// resolve makes a part ready to be published.
func (n *nightly) resolve(ctx context.Context, a *app, p suite.Part) (suite.Draft, error) {
	e := n.entry(p.Entry)
	store, err := storeOf(n.sites[p.Entry])
	if err != nil {
		return suite.Draft{}, err
	}
	flags := entryFlags(e)
	flags.Name = n.runName(p.Entry, p, false)
	req := flags.request(true)
	if p.Look == 0 {
		spec, err := resolve.Spec(ctx, req)
		return suite.Draft{Spec: spec, Publish: func() (suite.Made, error) {
			a.warnings(spec)
			run, err := publish(store, spec, nil)
			return suite.Made{Run: run}, err
		}}, err
	}
	frozen, err := n.frozen(e, p)
	if err != nil {
		return suite.Draft{}, err
	}
	req.Repeats = p.Pairs
	load := req.Plan
	req.Plan = func(siteDefault string) (results.Plan, error) {
		plan, err := load(siteDefault)
		plan.Seed += uint64(p.Look) // schedules of their own, equal on both sides
		return plan, err
	}
	base, candidate, err := resolve.Pairs(ctx, req, n.runName(p.Entry, p, true), frozen)
	if err != nil {
		return suite.Draft{}, err
	}
	script, err := resolve.PairsScript(base, candidate)
	return suite.Draft{Spec: candidate, Publish: func() (suite.Made, error) { return publishPairs(store, base, candidate, script) }}, err
}

// publishPairs makes both sides; the candidate comes last, since it is the one that is looked for.
func publishPairs(store jobs.Store, base, candidate results.Spec, script []byte) (suite.Made, error) {
	b, err := publish(store, base, nil)
	if errors.Is(err, jobs.ErrExists) { // somebody was killed between the two
		b, err = store.Find(base.Job.Dir)
	}
	if err != nil {
		return suite.Made{}, err
	}
	run, err := publish(store, candidate, script)
	return suite.Made{Run: run, Base: &b}, err
}

// publish makes a run that appears whole. pairs is the script of a job that two runs share.
func publish(store jobs.Store, spec results.Spec, pairs []byte) (jobs.Entry, error) {
	if want := filepath.Join(store.Dir, spec.Name); spec.Job.Dir != want {
		return jobs.Entry{}, fmt.Errorf("the run folder %s isn't the one that the script names, %s", want, spec.Job.Dir)
	}
	staged, err := store.Stage(spec.Name)
	if err != nil {
		return jobs.Entry{}, err
	}
	err = fillRun(store, staged, spec)
	if err == nil && pairs != nil {
		err = os.WriteFile(staged.Pairs(), pairs, 0o700)
	}
	var dir results.RunDir
	if err == nil {
		dir, err = store.Publish(staged, spec.Name)
	}
	if err != nil {
		return jobs.Entry{}, errors.Join(err, os.RemoveAll(string(staged)))
	}
	return jobs.Entry{Name: spec.Name, Dir: dir, Spec: spec}, nil
}

// frozen is the software of the frozen side. All looks of a night have the same one,
// also where another baseline was promoted in between.
func (n *nightly) frozen(e gate.Entry, p suite.Part) (resolve.Frozen, error) {
	if p.Look > 1 {
		first, there, err := n.open(suite.Part{Entry: p.Entry, Look: 1})
		if err != nil {
			return resolve.Frozen{}, err
		}
		if there {
			return resolve.Frozen{Run: first.Base.Dir, Server: first.Base.Spec.Server, Model: first.Base.Spec.Model}, nil
		}
	}
	b, err := n.baselines(e).Get(e.Baseline.Pinned)
	if err != nil {
		return resolve.Frozen{}, err
	}
	return resolve.Frozen{Run: results.RunDir(b.Dir), Server: b.Server, Model: b.ModelFacts}, nil
}

// baselines are those of an entry's site.
func (n *nightly) baselines(e gate.Entry) gate.Store {
	return gate.Store(filepath.Join(n.sites[e.Name].RunsDir, results.BaselinesDir))
}
