package compare

import (
	"fmt"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// FormatReproduction stands first in its JSON.
const FormatReproduction = "hpcbench.reproduction/1"

// Reproduction is a published table measured again: the comparison in the old
// tool's own figures (compat), and what those figures hide.
type Reproduction struct {
	Format    string            `json:"format"`
	Title     string            `json:"title"`
	Reference results.Reference `json:"reference"`
	// Services says that two services are compared: the published one, and the one at URL.
	Services bool   `json:"services"`
	URL      string `json:"url,omitempty"`
	// Service is what the one at URL is, in the words of who measured it ("Go rewrite"); "" = not said.
	Service    string      `json:"service,omitempty"`
	Comparison *Comparison `json:"comparison"`
	Hidden     []Hidden    `json:"hidden"`
	Corrected  []Corrected `json:"corrected"`
}

// Hidden is what the old tool's figures of one rate leave out, means over the repeats.
type Hidden struct {
	RatePerS float64 `json:"rate_per_s"`
	Step     string  `json:"step"`
	N        int     `json:"n"`
	Sent     float64 `json:"sent_requests"`
	Counted  float64 `json:"counted_requests"`
	// Excluded requests were in flight at the bell, Discarded arrivals never sent since the cap was reached.
	Excluded  float64 `json:"excluded_in_flight"`
	Discarded float64 `json:"discarded_arrivals"`
	// CorrectedValid is false where arrivals were discarded: the load itself was another one.
	CorrectedValid bool   `json:"corrected_valid"`
	TokensSource   string `json:"tokens_source,omitempty"`
}

// Corrected is one figure as the old tool has it and as it is.
type Corrected struct {
	RatePerS  float64 `json:"rate_per_s"`
	Label     string  `json:"label"`
	Unit      string  `json:"unit,omitempty"`
	Compat    Figure  `json:"compat"`
	Corrected Figure  `json:"corrected"`
	Published float64 `json:"published"`
	// Estimate is what the published row would have been: published × corrected/compat of ours.
	Estimate *float64 `json:"estimate_of_published_corrected,omitempty"`
}

// inCorrected are the corrected metrics of the published columns.
var inCorrected = map[string]string{
	"compat.e2e_ms.avg": "corrected.e2e_ms.mean", "compat.e2e_ms.p90": "corrected.e2e_ms.p90",
	"compat.ttft_ms.avg": "corrected.ttft_ms.mean", "compat.ttft_ms.p90": "corrected.ttft_ms.p90",
	"compat.itl_ms.avg": "corrected.tpot_ms.mean", "compat.itl_ms.p90": "corrected.tpot_ms.p90",
	"compat.request_rate_per_s": "corrected.cohort_per_s", "compat.output_tokens_per_s": "corrected.output_tokens_per_s",
}

// Reproduce puts a run beside the published table that it repeats.
func Reproduce(ref results.Reference, run *read.Run, o Options) *Reproduction {
	out := &Reproduction{Format: FormatReproduction, Reference: ref, Comparison: Reference(ref, run, o), URL: run.Spec.Server.URL}
	out.Services = ref.Conditions.Path == results.PathService && path(run.Spec) == results.PathService
	out.Service = run.Spec.Service
	out.Title = fmt.Sprintf("%s, measured again", first(ref.Title, ref.Name))
	switch {
	case out.Services && out.Service != "":
		out.Title = fmt.Sprintf("The service's %s at %s against the legacy service (%s)", out.Service, out.URL, first(ref.Title, ref.Name))
	case out.Services:
		out.Title = fmt.Sprintf("The service at %s against the published one (%s)", out.URL, first(ref.Title, ref.Name))
	}
	t := aggregate.Of(run)
	for _, row := range ref.Rows {
		step := stepAtRate(t, row.RatePerS)
		if step == nil || len(step.Used) == 0 {
			continue
		}
		out.Hidden = append(out.Hidden, hidden(run, row.RatePerS, step))
	}
	for _, r := range out.Comparison.Rows {
		if c, ok := corrected(t, r); ok {
			out.Corrected = append(out.Corrected, c)
		}
	}
	return out
}

func hidden(run *read.Run, rate float64, step *aggregate.Step) Hidden {
	mean := func(metric string) float64 {
		if e, ok := step.Estimate(metric); ok && e.Mean != nil {
			return *e.Mean
		}
		return 0
	}
	h := Hidden{RatePerS: rate, Step: step.Step.ID, N: len(step.Used), Sent: mean("corrected.sent_requests"), Counted: mean("compat.total_requests"),
		Excluded: mean("compat.excluded_in_flight"), Discarded: mean("compat.discarded_arrivals"), CorrectedValid: true}
	for i := range run.Repeats {
		s := run.Repeats[i].Summary
		if s == nil {
			continue
		}
		for j := range s.Steps {
			if s.Steps[j].Step.ID == step.Step.ID {
				h.CorrectedValid = h.CorrectedValid && s.Steps[j].Corrected.Valid
				h.TokensSource = s.Steps[j].Compat.TokensSource
			}
		}
	}
	return h
}

func corrected(t *aggregate.Table, r Row) (Corrected, bool) {
	step := t.StepByID(r.Step)
	name, known := inCorrected[r.Metric]
	if step == nil || !known || r.Base.Mean == nil || r.New.Mean == nil {
		return Corrected{}, false
	}
	c := Corrected{RatePerS: r.RatePerS, Label: r.Label, Unit: r.Unit, Compat: r.New, Published: *r.Base.Mean}
	e, ok := step.Estimate(name)
	if ok {
		c.Corrected = figure(e)
	}
	if c.Corrected.Mean != nil && *r.New.Mean > 0 {
		v := *r.Base.Mean * *c.Corrected.Mean / *r.New.Mean
		c.Estimate = &v
	}
	return c, true
}
