package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"hpcbench/collect/gate"
	"hpcbench/collect/history"
	"hpcbench/collect/report"
	"hpcbench/jobs/suite"
)

// The names of a night's reports.
const (
	junitFile    = "junit.xml"
	pageFile     = "report.html"
	markdownFile = "report.md"
	jsonFile     = "night.json"
)

// whole puts together what the judge found and what the state machine knows.
func (n *nightly) whole(s suite.State) (gate.SuiteNight, error) {
	night := gate.SuiteNight{Format: gate.FormatSuiteNight, Suite: n.suite.Name, Night: n.night, At: now().UTC(), GPUHours: s.GPUHours, BudgetGPUHours: n.suite.BudgetGPUHours}
	for _, e := range s.Entries {
		entry, err := n.found(e)
		if err != nil {
			return night, err
		}
		night.Entries = append(night.Entries, entry)
	}
	return night, nil
}

func (n *nightly) found(e suite.EntryState) (gate.EntryNight, error) {
	if e.Phase == suite.PhaseTrouble {
		return gate.EntryNight{Entry: e.Entry, Run: e.Run, Pairs: e.Pairs, Trouble: e.Words, Simulated: n.suite.Simulated}, nil
	}
	var entry gate.EntryNight
	return entry, readPlain(n.entryFile(e.Entry), &entry)
}

// write makes all reports of a night in a folder, each whole.
func (n *nightly) write(night gate.SuiteNight, dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("make the folder of reports: %w", err)
	}
	trends, err := n.trends()
	if err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{
		junitFile:    func(w io.Writer) error { return gate.JUnit(w, night) },
		markdownFile: func(w io.Writer) error { return report.NightMarkdown(w, night) },
		jsonFile:     func(w io.Writer) error { return report.NightJSON(w, night) },
		pageFile:     report.NightPage(night, trends, versionLine()).HTML,
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if err := renameio.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}

// trends are the gate metrics over the nights, by entry.
func (n *nightly) trends() (map[string][]report.Trend, error) {
	nights, _, err := gate.LoadNights(n.nightsFile())
	if err != nil {
		return nil, err
	}
	out := map[string][]report.Trend{}
	at := map[string]int{}
	for _, night := range nights {
		for _, f := range night.Figures {
			if len(f.Values) == 0 {
				continue
			}
			key := night.Entry + "\x00" + f.Step + "\x00" + f.Metric
			i, seen := at[key]
			if !seen {
				i = len(out[night.Entry])
				at[key] = i
				out[night.Entry] = append(out[night.Entry], report.Trend{Step: f.Step, Metric: f.Metric, Pinned: n.pinnedMean(night.Entry, f.Key)})
			}
			t := &out[night.Entry][i]
			t.Points = append(t.Points, history.Point{At: night.At, Run: night.Run, Value: mean(f.Values), N: len(f.Values), Verdict: string(night.State)})
		}
	}
	return out, nil
}

// pinnedMean is the promoted baseline's figure; nil where there is none.
func (n *nightly) pinnedMean(entry string, k gate.Key) *float64 {
	for _, e := range n.suite.Entries {
		if e.Name != entry {
			continue
		}
		b, err := n.baselines(e).Get(e.Baseline.Pinned)
		if values := b.Values(k); err == nil && len(values) > 0 {
			x := mean(values)
			return &x
		}
	}
	return nil
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// readPlain reads a JSON file of ours that has no format word: a part of another.
func readPlain(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read what the judge found: %w", err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read what the judge found in %s: %w", path, err)
	}
	return nil
}
