package history

import (
	"slices"
	"strconv"
	"time"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// FormatEntry stands first in every line.
const FormatEntry = "hpcbench.history/1"

// Entry is one run in one line.
type Entry struct {
	Format    string    `json:"format"`
	Run       string    `json:"run"`
	Dir       string    `json:"dir"`
	At        time.Time `json:"at"` // UTC, the start of its first repeat; its creation where none has started
	Digest    string    `json:"spec_digest,omitempty"`
	Site      string    `json:"site"`
	GPUKind   string    `json:"gpu_kind,omitempty"`
	GPUs      int       `json:"gpus,omitempty"`
	Model     string    `json:"model"`
	Plan      string    `json:"plan"`
	Engine    string    `json:"engine"`
	Version   string    `json:"engine_version,omitempty"`
	Image     string    `json:"image,omitempty"`
	Over      string    `json:"over,omitempty"`
	Asked     int       `json:"repeats_asked"`
	Good      int       `json:"repeats_good"`
	Simulated bool      `json:"simulated,omitempty"`
	Invalid   int       `json:"invalid_steps,omitempty"` // steps with an INVALID finding in any repeat
	Verdict   string    `json:"verdict,omitempty"`       // where a gate judged it

	// The headline of each step, one column a figure: means over the repeats to
	// six digits, none (−1) where there is none. Columns, since rows of named
	// figures take three times as long to read.
	Steps      StepIDs `json:"steps"`
	N          []int   `json:"n"`
	TTFTMs     Figures `json:"ttft_p50_ms"`
	TPOTMs     Figures `json:"tpot_p50_ms"`
	E2EMs      Figures `json:"e2e_p95_ms"`
	TokensPerS Figures `json:"output_tokens_per_s"`
	ErrorShare Figures `json:"error_share"`
	Saturated  []int   `json:"saturated,omitempty"` // positions in Steps
}

// none stands for a figure that a step doesn't have; real ones are never negative.
const none = -1

// Headlines are the metrics of an entry by the names of aggregate.
var Headlines = []string{"corrected.ttft_ms.p50", "corrected.tpot_ms.p50", "corrected.e2e_ms.p95", "corrected.output_tokens_per_s", "corrected.error_share"}

// column is where a headline metric's figures are, nil for another metric.
func (e *Entry) column(metric string) *Figures {
	for i, c := range []*Figures{&e.TTFTMs, &e.TPOTMs, &e.E2EMs, &e.TokensPerS, &e.ErrorShare} {
		if Headlines[i] == metric {
			return c
		}
	}
	return nil
}

// Figure is the mean of a headline metric of one step; false where there is none.
func (e *Entry) Figure(step, metric string) (value float64, n int, ok bool) {
	i := slices.Index(e.Steps, step)
	c := e.column(metric)
	if i < 0 || c == nil || i >= len(*c) || i >= len(e.N) || (*c)[i] < 0 {
		return 0, 0, false
	}
	return (*c)[i], e.N[i], true
}

// Of makes a run's entry.
func Of(run *read.Run) Entry {
	t := aggregate.Of(run)
	s := run.Spec
	e := Entry{
		Format: FormatEntry, Run: t.Run, Dir: string(run.Dir), At: s.CreatedAt.UTC(), Digest: run.Digest, Site: s.Site.Name, GPUKind: s.Site.GPUKind, GPUs: s.Job.GPUs,
		Model: s.Model.Name, Plan: s.Plan.Name, Engine: s.Server.Engine, Image: s.Server.Image, Over: t.Over.Words, Asked: t.Asked, Good: t.Good, Simulated: t.Simulated,
	}
	if v := aggregate.Distinct(run, func(a *results.Attempt) string { return a.Server.Version }); len(v) == 1 {
		e.Version = v[0]
	}
	first := time.Time{}
	for i := range run.Repeats {
		if a := run.Repeats[i].Attempt; a != nil && !a.StartedAt.IsZero() && (first.IsZero() || a.StartedAt.Before(first)) {
			first = a.StartedAt
		}
	}
	if !first.IsZero() {
		e.At = first.UTC()
	}
	for i := range t.Steps {
		step := &t.Steps[i]
		if slices.ContainsFunc(step.Findings, func(f aggregate.Finding) bool { return f.Level == results.LevelInvalid }) {
			e.Invalid++
		}
		if len(step.Used) > 0 {
			e.add(step)
		}
	}
	return e
}

func (e *Entry) add(step *aggregate.Step) {
	if step.Has("saturated") {
		e.Saturated = append(e.Saturated, len(e.Steps))
	}
	e.Steps = append(e.Steps, step.Step.ID)
	e.N = append(e.N, len(step.Used))
	for _, metric := range Headlines {
		value := float64(none)
		if est, ok := step.Estimate(metric); ok && est.Mean != nil {
			value = sixDigits(*est.Mean)
		}
		c := e.column(metric)
		*c = append(*c, value)
	}
}

func sixDigits(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return short
}
