package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hpcbench/collect/gate"
	"hpcbench/collect/history"
	"hpcbench/collect/read"
	"hpcbench/jobs/suite"
	"hpcbench/results"
)

// judge is the gate as the state machine's judge. What it found stays in a file of the
// night, from which the reports are made.
func (n *nightly) judge(a *app, seen suite.Seen) (suite.Judgement, error) {
	e := n.entry(seen.Entry)
	run, err := a.openEntry(seen.Run.Run, read.Options{})
	if err != nil {
		return suite.Judgement{}, err
	}
	found := gate.EntryNight{Entry: e.Name, Run: run.Spec.Name, Simulated: simulatedRun(run), TookS: took(run)}
	var record gate.NightRecord
	if found.Simulated != n.suite.Simulated {
		found.Night = gate.Night{State: gate.Invalid, Reason: simulatedWords(found.Simulated)}
		record = gate.NightRecord{Suite: n.suite.Name, Entry: e.Name, Night: n.night, At: run.Spec.CreatedAt.UTC(), Run: run.Spec.Name, State: gate.Invalid, Reason: found.Night.Reason}
	} else {
		j, without, err := n.judger(e, run)
		if err != nil {
			return suite.Judgement{}, err
		}
		if without == "" {
			without = seen.NoMore
		}
		looks, err := a.looks(seen)
		if err != nil {
			return suite.Judgement{}, err
		}
		for _, l := range looks {
			found.Pairs = append(found.Pairs, l.Candidate.Spec.Name)
			found.TookS += took(l.Base) + took(l.Candidate)
		}
		found.Night = j.Screen(run)
		if found.Night.State == gate.NeedsPairs && (len(looks) > 0 || without != "") {
			var problems []string
			found.Night, problems = j.Confirm(run, looks, without)
			for _, p := range problems {
				fmt.Fprintf(a.stderr, "hpcbench: note: %s: %s doesn't count\n", e.Name, p)
			}
		}
		record = j.Record(n.suite.Name, run, found.Night)
		record.Pairs = found.Pairs
	}
	if found.Night.Pairs == 0 {
		if err := n.remember(run, record); err != nil {
			return suite.Judgement{}, err
		}
	}
	if err := results.WriteJSON(n.entryFile(e.Name), found, 0o640); err != nil {
		return suite.Judgement{}, err
	}
	return suite.Judgement{State: string(found.Night.State), Reason: found.Night.Reason, Pairs: found.Night.Pairs, Again: found.Night.State == gate.Invalid}, nil
}

func (n *nightly) entryFile(entry string) string {
	return filepath.Join(n.nightDir(), "entry-"+entry+".json")
}

func simulatedRun(run *read.Run) bool {
	s := run.Spec.Simulated
	for i := range run.Repeats {
		s = s || run.Repeats[i].Summary != nil && run.Repeats[i].Summary.Simulated
	}
	return s
}

func simulatedWords(simulated bool) string {
	if simulated {
		return "the run is simulated, and the suite doesn't say `simulated: true`: the stub's numbers say nothing about a machine"
	}
	return "the suite says `simulated: true`, and the run is a real one: they can't be compared"
}

// judger is the gate with what is known before the night. without says why there can't
// be pairs, "" where there can.
func (n *nightly) judger(e gate.Entry, run *read.Run) (j gate.Judger, without string, err error) {
	nights, _, err := gate.LoadNights(n.nightsFile())
	if err != nil {
		return j, "", err
	}
	conditions := gate.ConditionsOf(run)
	j = gate.Judger{Rule: gate.DefaultRule, Entry: e, Nights: nights.Under(conditions), Night: n.night}
	if j.AA, _, err = gate.LoadNights(n.aaFile()); err != nil {
		return j, "", err
	}
	j.AA = j.AA.Under(conditions)
	b, err := n.baselines(e).Get(e.Baseline.Pinned)
	switch {
	case errors.Is(err, gate.ErrNoBaseline):
		return j, fmt.Sprintf("no baseline %s is promoted to compare with side by side: `hpcbench baseline set %s RUN --why …`", e.Baseline.Pinned, e.Baseline.Pinned), nil
	case err != nil:
		return j, "", err
	case b.Conditions != conditions:
		return j, fmt.Sprintf("baseline %s was measured under other conditions: promote a run of this suite", b.Name), nil
	}
	j.Pinned = &b
	return j, "", nil
}

// looks opens the runs of the confirming jobs.
func (a *app) looks(seen suite.Seen) ([]gate.Look, error) {
	var all []gate.Look
	for _, m := range seen.Looks {
		base, err := a.openEntry(*m.Base, read.Options{})
		if err != nil {
			return nil, err
		}
		candidate, err := a.openEntry(m.Run, read.Options{})
		if err != nil {
			return nil, err
		}
		all = append(all, gate.Look{Base: base, Candidate: candidate})
	}
	return all, nil
}

// took is from the first start to the last end of a run's repeats, in seconds.
func took(run *read.Run) float64 {
	var first, last time.Time
	for i := range run.Repeats {
		at := run.Repeats[i].Attempt
		if at == nil {
			continue
		}
		if first.IsZero() || at.StartedAt.Before(first) {
			first = at.StartedAt
		}
		if at.EndedAt.After(last) {
			last = at.EndedAt
		}
	}
	return max(0, last.Sub(first).Seconds())
}

// remember keeps a decided night for the nights after it, and its word in the history of
// runs. Said twice it does no harm: the last line counts.
func (n *nightly) remember(run *read.Run, record gate.NightRecord) error {
	if err := gate.AppendNight(n.nightsFile(), record); err != nil {
		return err
	}
	entry := history.Of(run)
	entry.Verdict = string(record.State)
	path := filepath.Join(filepath.Dir(string(run.Dir)), results.HistoryFile)
	known, _, err := history.Load(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, k := range known {
		if k.Dir == entry.Dir && k.Verdict == entry.Verdict && k.Good == entry.Good {
			return nil
		}
	}
	return history.Append(path, entry)
}
