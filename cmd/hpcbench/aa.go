package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/gate"
	"hpcbench/collect/read"
	"hpcbench/collect/report"
	"hpcbench/jobs"
	"hpcbench/jobs/resolve"
	"hpcbench/jobs/suite"
	"hpcbench/results"
)

type aaCmd struct {
	Suite    string `arg:"" help:"Suite, as for nightly." predictor:"suite"`
	Entry    string `help:"Only this entry of it." placeholder:"NAME"`
	Measure  bool   `help:"Submit one more run of each entry, of the software as it is now. On several nights, that is what tells nights apart."`
	Wait     bool   `help:"With --measure: stay until it is over."`
	Force    bool   `help:"Measure also in partitions that aren't for production."`
	Nights   int    `default:"2000" help:"Nights to simulate with the noise that was found."`
	JSON     bool   `name:"json" xor:"form" help:"Print JSON."`
	Markdown bool   `xor:"form" help:"Print Markdown."`
}

// Run says what figures vary by when nothing changed, and what the gate makes of it.
func (c aaCmd) Run(a *app) error {
	n, err := a.openSuite(c.Suite)
	if err != nil {
		return err
	}
	entries := n.suite.Entries
	if c.Entry != "" {
		entries = slices.DeleteFunc(slices.Clone(entries), func(e gate.Entry) bool { return e.Name != c.Entry })
		if len(entries) == 0 {
			return usage(fmt.Errorf("suite %s has no entry %q", n.suite.Name, c.Entry))
		}
	}
	if c.Nights < 100 || c.Nights > 1_000_000 {
		return usage(fmt.Errorf("--nights %d: 100 to 1000000", c.Nights))
	}
	if c.Measure {
		if err := n.checkPlaces(c.Force); err != nil {
			return usage(err)
		}
		begun, err := c.measure(a, n, entries)
		if err != nil {
			return err
		}
		if !c.Wait {
			for _, e := range begun {
				fmt.Fprintf(a.stdout, "Run %s is submitted; `hpcbench aa %s` takes it in when it is over\n", e.Name, c.Suite)
			}
			return nil
		}
		for _, e := range begun {
			if err := a.watch([]jobs.Entry{e}); err != nil {
				return err
			}
		}
	}
	return c.show(a, n, entries)
}

// measure submits a run of each entry.
func (c aaCmd) measure(a *app, n *nightly, entries []gate.Entry) ([]jobs.Entry, error) {
	var begun []jobs.Entry
	for _, e := range entries {
		store, err := storeOf(n.sites[e.Name])
		if err != nil {
			return begun, err
		}
		flags := entryFlags(e)
		flags.Name = n.suite.Name + "-" + e.Name + "-aa-" + now().UTC().Format("20060102-150405")
		spec, err := resolve.Spec(a.ctx, flags.request(true))
		if err != nil {
			return begun, usage(err)
		}
		a.warnings(spec)
		run, err := publish(store, spec, nil)
		if err != nil {
			return begun, failed(err)
		}
		s, err := a.nightlySubmitter(suite.Made{Run: run})
		if err == nil {
			_, err = s.SubmitOnce(a.ctx)
		}
		if err != nil {
			return begun, failed(err)
		}
		begun = append(begun, run)
	}
	return begun, nil
}

// entryAA is one entry's report.
type entryAA struct {
	Suite     string   `json:"suite"`
	Entry     string   `json:"entry"`
	Runs      []string `json:"runs"`
	LeftOut   []string `json:"left_out,omitempty"` // of other software or under other conditions
	Simulated bool     `json:"simulated,omitempty"`
	gate.AAReport
}

func (c aaCmd) show(a *app, n *nightly, entries []gate.Entry) error {
	var all []entryAA
	for _, e := range entries {
		r, err := c.entry(a, n, e)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	if c.JSON {
		return printJSON(a.stdout, all)
	}
	for i, r := range all {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		heading := fmt.Sprintf("Suite %s, entry %s: %d runs of the same software", r.Suite, r.Entry, len(r.Runs))
		if r.Simulated {
			heading += " · SIMULATED"
		}
		write := func() error { return report.AA(a.stdout, r.AAReport, a.colour()) }
		if c.Markdown {
			heading, write = "# "+heading+"\n", func() error { return report.AAMarkdown(a.stdout, r.AAReport) }
		}
		fmt.Fprintln(a.stdout, heading)
		if err := write(); err != nil {
			return failed(err)
		}
	}
	return nil
}

// entry gathers an entry's runs and works out what they vary by. What was measured for
// this alone goes where the gate finds it.
func (c aaCmd) entry(a *app, n *nightly, e gate.Entry) (entryAA, error) {
	r := entryAA{Suite: n.suite.Name, Entry: e.Name}
	runs, leftOut, err := n.sameSoftware(a, e)
	if err != nil {
		return r, err
	}
	if len(runs) == 0 {
		return r, usage(fmt.Errorf("entry %s has no run with %d good repeats yet: `hpcbench aa %s --measure`", e.Name, aggregate.MinRepeats, c.Suite))
	}
	r.LeftOut = leftOut
	for _, run := range runs {
		r.Runs = append(r.Runs, run.Spec.Name)
		r.Simulated = r.Simulated || simulatedRun(run)
	}
	r.AAReport = gate.DefaultRule.Rates(gate.AA(runs, e), c.Nights)
	r.Format = gate.FormatAA
	if len(leftOut) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d runs of other software or under other conditions are left out: %s", len(leftOut), strings.Join(leftOut, ", ")))
	}
	words, err := n.judgedWords(e)
	if err != nil {
		return r, failed(err)
	}
	if words != "" {
		r.Notes = append(r.Notes, words)
	}
	return r, n.feed(e, runs)
}

// sameSoftware are the runs of an entry, of its nights and of this verb, whose software
// and conditions are those of the newest one.
func (n *nightly) sameSoftware(a *app, e gate.Entry) (runs []*read.Run, leftOut []string, err error) {
	store, err := storeOf(n.sites[e.Name])
	if err != nil {
		return nil, nil, err
	}
	names, err := store.Names()
	if err != nil {
		return nil, nil, failed(err)
	}
	var all []*read.Run
	for _, name := range names {
		rest, ours := strings.CutPrefix(name, n.suite.Name+"-"+e.Name+"-")
		if !ours || suite.CheckNight(rest) != nil && !strings.HasPrefix(rest, "aa-") {
			continue
		}
		found, err := store.Find(filepath.Join(store.Dir, name))
		if err != nil {
			return nil, nil, failed(err)
		}
		run, err := a.openEntry(found, read.Options{})
		if err != nil {
			return nil, nil, err
		}
		if run.Good() >= aggregate.MinRepeats && simulatedRun(run) == n.suite.Simulated {
			all = append(all, run)
		}
	}
	slices.SortStableFunc(all, func(x, y *read.Run) int { return x.Spec.CreatedAt.Compare(y.Spec.CreatedAt) })
	for _, run := range all {
		if newest := all[len(all)-1]; software(run) != software(newest) || gate.ConditionsOf(run) != gate.ConditionsOf(newest) {
			leftOut = append(leftOut, run.Spec.Name)
			continue
		}
		runs = append(runs, run)
	}
	return runs, leftOut, nil
}

// software is image, engine and flags of a run, without what is the run's own.
func software(run *read.Run) string {
	s := run.Spec.Server
	versions := aggregate.Distinct(run, func(a *results.Attempt) string { return a.Server.Version })
	text, err := json.Marshal([]any{s.Image, s.ImageSize, s.ImageID, s.Command, run.Spec.Model.Source, versions})
	if err != nil {
		return run.Spec.Name // strings and numbers always encode
	}
	return strings.ReplaceAll(string(text), run.Spec.Job.Dir, "")
}

// judgedWords count how an entry's nights ended.
func (n *nightly) judgedWords(e gate.Entry) (string, error) {
	nights, _, err := gate.LoadNights(n.nightsFile())
	if err != nil {
		return "", err
	}
	count, total := map[gate.State]int{}, 0
	for _, night := range nights {
		if night.Entry == e.Name {
			count[night.State]++
			total++
		}
	}
	if total == 0 {
		return "", nil
	}
	var parts []string
	for _, s := range []gate.State{gate.Green, gate.Red, gate.Inconclusive, gate.MachineChanged, gate.Learning, gate.Invalid} {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[s], s))
		}
	}
	return fmt.Sprintf("of %d nights that were judged: %s", total, strings.Join(parts, ", ")), nil
}

// feed keeps the repeats of A/A runs for the gate: they say how large a step's variance is.
func (n *nightly) feed(e gate.Entry, runs []*read.Run) error {
	known, _, err := gate.LoadNights(n.aaFile())
	if err != nil {
		return failed(err)
	}
	for _, run := range runs {
		rest := strings.TrimPrefix(run.Spec.Name, n.suite.Name+"-"+e.Name+"-")
		if !strings.HasPrefix(rest, "aa-") || slices.ContainsFunc(known, func(k gate.NightRecord) bool { return k.Run == run.Spec.Name }) {
			continue // a night's own repeats are known to the gate anyway
		}
		if _, err := n.store.Beside(results.NightlyDir, n.suite.Name); err != nil {
			return failed(err)
		}
		record := gate.Judger{Entry: e, Night: rest}.Record(n.suite.Name, run, gate.Night{State: gate.Green, Reason: "A/A"})
		if err := gate.AppendNight(n.aaFile(), record); err != nil {
			return failed(err)
		}
	}
	return nil
}
