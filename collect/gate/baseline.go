package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// FormatBaseline stands first in a baseline's file.
const FormatBaseline = "hpcbench.baseline/1"

// ErrNoBaseline says that no baseline of a name was promoted.
var ErrNoBaseline = errors.New("no such baseline")

// Baseline is a run that somebody promoted on purpose: its frozen software, and
// its figures so that the gate needs the run folder no more.
type Baseline struct {
	Format string    `json:"format"`
	Name   string    `json:"name"`
	At     time.Time `json:"at"` // UTC, of the promotion
	By     string    `json:"by"`
	Why    string    `json:"why"`

	Run           string   `json:"run"`
	Dir           string   `json:"dir"`
	SpecDigest    string   `json:"spec_digest"`
	Simulated     bool     `json:"simulated,omitempty"`
	Model         string   `json:"model"`
	Revision      string   `json:"revision,omitempty"`
	Image         string   `json:"image,omitempty"`
	ImageDigest   string   `json:"image_digest,omitempty"`
	EngineVersion string   `json:"engine_version,omitempty"`
	Command       []string `json:"command,omitempty"` // of the server
	// Server and ModelFacts are the frozen software whole, as the run had it: what runs beside a candidate.
	Server     results.ServerSpec `json:"server"`
	ModelFacts results.ModelFacts `json:"model_facts"`
	Conditions string             `json:"conditions,omitempty"` // ConditionsOf the run
	Repeats    int                `json:"repeats"`              // good ones
	Figures    []Figures          `json:"figures"`
}

// Promote makes a baseline of a run. It refuses a run with under three good
// repeats, with INVALID steps only, or of mixed engine versions.
func Promote(run *read.Run, name, by, why string, at time.Time) (Baseline, error) {
	fail := func(words string) (Baseline, error) {
		return Baseline{}, fmt.Errorf("promote %s to baseline %s: %s", run.Spec.Name, name, words)
	}
	t := aggregate.Of(run)
	switch {
	case !nameForm.MatchString(name):
		return fail("a name is of letters, digits, '.', '_' and '-', at most 64")
	case strings.TrimSpace(why) == "":
		return fail("say why (--why): whoever reads a red night wants to know")
	case !run.SpecRead:
		return fail("its run.json can't be read")
	case t.Good < aggregate.MinRepeats:
		return fail(fmt.Sprintf("it has %d good repeats, %d are needed", t.Good, aggregate.MinRepeats))
	}
	versions := aggregate.Distinct(run, func(a *results.Attempt) string { return a.Server.Version })
	digests := aggregate.Distinct(run, func(a *results.Attempt) string { return a.Server.ImageDigest })
	if len(versions) > 1 || len(digests) > 1 {
		return fail("its repeats have different engine versions or images")
	}
	b := Baseline{Format: FormatBaseline, Name: name, At: at.UTC(), By: by, Why: why, Run: run.Spec.Name, Dir: string(run.Dir), SpecDigest: run.Digest, Simulated: t.Simulated,
		Model: run.Spec.Model.Name, Revision: run.Spec.Model.Revision, Image: run.Spec.Server.Image, ImageDigest: strings.Join(digests, ""),
		EngineVersion: strings.Join(versions, ""), Command: run.Spec.Server.Command,
		Server: run.Spec.Server, ModelFacts: run.Spec.Model, Conditions: ConditionsOf(run), Repeats: t.Good}
	for i := range t.Steps {
		for _, e := range t.Steps[i].Estimates {
			if values, ok := e.Values(); ok && gateable(e.Metric) && len(values) >= aggregate.MinRepeats {
				b.Figures = append(b.Figures, Figures{Key: Key{t.Steps[i].Step.ID, e.Metric}, Values: values, Asked: t.Asked})
			}
		}
	}
	if len(b.Figures) == 0 {
		return fail("not one step has three valid repeats")
	}
	return b, nil
}

func gateable(metric string) bool {
	m, ok := aggregate.MetricByName(metric)
	return ok && m.Better != aggregate.Neither && m.Unit != ""
}

// Values are the baseline's repeats of one row; nil where it has none.
func (b Baseline) Values(k Key) []float64 {
	for _, f := range b.Figures {
		if f.Key == k {
			return f.Values
		}
	}
	return nil
}

// Store is a folder of baselines: NAME.json is the one in force, NAME.jsonl all
// that ever were, in the order of their promotion.
type Store string

func (s Store) file(name, ending string) string { return filepath.Join(string(s), name+ending) }

// Set puts a baseline into force. What it replaces stays in the history, which
// is written first: a promotion can't be without a trace.
func (s Store) Set(b Baseline) error {
	if err := os.MkdirAll(string(s), 0o700); err != nil {
		return fmt.Errorf("set baseline %s: %w", b.Name, err)
	}
	line, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("set baseline %s: %w", b.Name, err)
	}
	f, err := os.OpenFile(s.file(b.Name, ".jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("set baseline %s: %w", b.Name, err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("set baseline %s: %w", b.Name, err)
	}
	return results.WriteJSON(s.file(b.Name, ".json"), b, 0o600)
}

// Get reads the baseline in force; ErrNoBaseline where there is none.
func (s Store) Get(name string) (Baseline, error) {
	if !nameForm.MatchString(name) {
		return Baseline{}, fmt.Errorf("baseline %q: %w", name, ErrNoBaseline)
	}
	b, err := results.ReadJSON[Baseline](s.file(name, ".json"), FormatBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return Baseline{}, fmt.Errorf("baseline %s: %w", name, ErrNoBaseline)
	}
	if err != nil {
		return Baseline{}, fmt.Errorf("baseline %s: %w", name, err)
	}
	return b, nil
}

// List reads all baselines in force by name. Broken files are answered as problems.
func (s Store) List() ([]Baseline, []read.Problem, error) {
	entries, err := os.ReadDir(string(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("list the baselines: %w", err)
	}
	var out []Baseline
	var problems []read.Problem
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || e.IsDir() {
			continue
		}
		b, err := s.Get(name)
		if err != nil {
			problems = append(problems, read.Problem{File: s.file(name, ".json"), Words: err.Error()})
			continue
		}
		out = append(out, b)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, problems, nil
}

// History is every baseline of a name, oldest first, and how many lines were broken.
func (s Store) History(name string) ([]Baseline, results.Lines, error) {
	b, err := os.ReadFile(s.file(name, ".jsonl"))
	if errors.Is(err, fs.ErrNotExist) || !nameForm.MatchString(name) {
		return nil, results.Lines{}, fmt.Errorf("baseline %s: %w", name, ErrNoBaseline)
	}
	if err != nil {
		return nil, results.Lines{}, fmt.Errorf("baseline %s: %w", name, err)
	}
	var out []Baseline
	lines, err := results.ReadLines(bytes.NewReader(b), func(b Baseline) { out = append(out, b) })
	return out, lines, err
}
