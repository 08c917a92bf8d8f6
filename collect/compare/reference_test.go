package compare_test

import (
	"math"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/results"
)

func f(x float64) *float64 { return &x }

// published is a table with the conditions of the made-up runs.
func published(rows ...results.ReferenceRow) results.Reference {
	return results.Reference{
		Format: results.FormatReference, Name: "published", Title: "A published table",
		Conditions: results.ReferenceConditions{Site: "karolina", GPUKind: "NVIDIA A100 40GB", GPUs: 1, Model: "Qwen/Qwen3-4B-Instruct-2507", Path: results.PathBare,
			EngineVersion: "0.14.0", WarmupS: 60, DurationS: 60, PromptTokens: 200, OutputTokens: 200, OutputSD: 10, OutputMin: 180, OutputMax: 220, MaxVUs: 800,
			Statistic: results.StatMeanOf5, Runs: 5, Tool: "inference-benchmarker"},
		Rows: rows,
	}
}

func measured(t *testing.T) (ttft, itl, qps, tokens float64) {
	c := compare.Reference(published(results.ReferenceRow{RatePerS: 3.79, TTFTMs: f(1), ITLMs: f(1), QPS: f(1), TokensPerS: f(1)}), run(t, night(1)), compare.Options{})
	at := func(metric string) float64 { return *row(t, c, "constant@3.79req/s", metric).New.Mean }
	return at("compat.ttft_ms.avg"), at("compat.itl_ms.avg"), at("compat.request_rate_per_s"), at("compat.output_tokens_per_s")
}

func TestReferenceMeanOfFive(t *testing.T) {
	ttft, itl, qps, tokens := measured(t)
	ref := published(results.ReferenceRow{RatePerS: 3.79, TTFTMs: f(ttft * 1.004), ITLMs: f(itl / 1.2), QPS: f(qps), TokensPerS: f(tokens), PrintedAs: "@3,79req/s"})
	c := compare.Reference(ref, run(t, night(1)), compare.Options{})
	if c.Verdict != compare.Regressed || !strings.HasPrefix(c.Reason, "ITL mean at constant@3.79req/s: +20 %") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
	if r := row(t, c, "constant@3.79req/s", "compat.ttft_ms.avg"); r.Verdict != compare.NoChange || math.Abs(*r.Change+0.004) > 1e-3 {
		t.Errorf("TTFT %s: %s", r.Verdict, r.Reason)
	}
	r := row(t, c, "constant@3.79req/s", "compat.itl_ms.avg")
	low, high := r.RatioInterval()
	if ratio := *r.Ratio(); math.Abs(ratio-1.2) > 1e-9 || *low > ratio || *high < ratio {
		t.Errorf("ratio %g (%g…%g)", ratio, *low, *high)
	}
	// SE = s·√(1/5 + 1/5), df 4
	x := *r.New.SD * math.Sqrt(0.4)
	if half := (*high - *low) / 2 * *r.Base.Mean; math.Abs(half/x-2.776) > 0.001 {
		t.Errorf("half width is %.4f SE, want t(4) = 2.776", half/x)
	}
	if q := row(t, c, "constant@3.79req/s", "compat.request_rate_per_s"); q.Decides {
		t.Error("QPS below saturation is the offered load and must not decide")
	}
	if got := strings.Join(c.Assumptions, "\n"); !strings.Contains(got, "taken to have had the spread of ours") {
		t.Errorf("assumptions: %s", got)
	}
}

func TestReferenceSingleRunUsesThePredictionInterval(t *testing.T) {
	ref := published(results.ReferenceRow{RatePerS: 3.79, TTFTMs: f(34)})
	ref.Conditions.Statistic, ref.Conditions.Runs = results.StatP90, 0
	c := compare.Reference(ref, run(t, night(1)), compare.Options{})
	r := row(t, c, "constant@3.79req/s", "compat.ttft_ms.p90")
	low, high := r.RatioInterval()
	if half := (*high - *low) / 2 * *r.Base.Mean / *r.New.SD; math.Abs(half-3.041) > 0.001 {
		t.Errorf("half width %.4f sd, want 3.04", half)
	}
	if r.Test != "prediction interval for one run" || r.Label != "TTFT P90" {
		t.Errorf("test %q, label %q", r.Test, r.Label)
	}
}

func TestReferenceSuspectRowDoesNotDecide(t *testing.T) {
	ref := published(results.ReferenceRow{RatePerS: 3.79, ITLMs: f(1), Suspect: "arrivals were dropped"})
	c := compare.Reference(ref, run(t, night(1)), compare.Options{})
	r := c.Rows[0]
	if r.Decides || r.Suspect == "" || !strings.Contains(r.Reason, "arrivals were dropped") || c.Verdict != compare.Inconclusive {
		t.Errorf("row %+v, verdict %s: %s", r, c.Verdict, c.Reason)
	}
}

func TestReferenceOtherConditionsGiveARatioOnly(t *testing.T) {
	for _, tc := range []struct {
		what   string
		change func(*results.Spec)
	}{
		{"model", func(s *results.Spec) { s.Model.Name = "other/model" }},
		{"GPU kind", func(s *results.Spec) { s.Site.GPUKind = "NVIDIA A100-SXM4-80GB" }},
		{"GPUs", func(s *results.Spec) { s.Job.GPUs = 4 }},
		{"max VUs", func(s *results.Spec) { s.Plan.MaxInFlight = 128 }},
		{"path", func(s *results.Spec) { s.Server.Engine = results.EngineRemote }},
	} {
		c := compare.Reference(published(results.ReferenceRow{RatePerS: 3.79, ITLMs: f(8)}), run(t, night(1, spec(tc.change))), compare.Options{})
		if c.Verdict != compare.NotComparable || len(c.Matters) != 1 || c.Matters[0].What != tc.what || c.Rows[0].P != nil || c.Rows[0].Change == nil {
			t.Errorf("%s: %s %v, row %+v", tc.what, c.Verdict, c.Matters, c.Rows[0])
		}
	}
	c := compare.Reference(published(results.ReferenceRow{RatePerS: 3.79, ITLMs: f(8)}), run(t, night(1, spec(func(s *results.Spec) { s.Site.GPUKind = "" }))), compare.Options{})
	if len(c.Matters) != 0 || !strings.Contains(strings.Join(c.Assumptions, "\n"), "GPU kind is taken to be the published one") {
		t.Errorf("a condition that isn't stated is assumed and said: %v %v", c.Matters, c.Assumptions)
	}
}

func TestReferenceSimulated(t *testing.T) {
	c := compare.Reference(published(results.ReferenceRow{RatePerS: 3.79, ITLMs: f(8)}), run(t, night(1, func(s *collecttest.Setup) { s.Simulated = true })), compare.Options{})
	if c.Verdict != compare.NotComparable || !strings.HasPrefix(c.Reason, "the run is simulated") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}

func TestReferenceOtherLengths(t *testing.T) {
	_, itl, qps, _ := measured(t)
	ref := published(results.ReferenceRow{RatePerS: 3.79, E2ES: f(1), ITLMs: f(itl), QPS: f(qps), TokensPerS: f(qps * 200)})
	c := compare.Reference(ref, run(t, night(1)), compare.Options{})
	if r := row(t, c, "constant@3.79req/s", "compat.e2e_ms.avg"); r.Decides || !strings.Contains(r.Reason, "against 200 (-9.8 %") {
		t.Errorf("E2E %+v", r.Reason)
	}
	if c.Verdict != compare.NoChange {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}

func TestReferenceRowThatWasNotMeasured(t *testing.T) {
	c := compare.Reference(published(results.ReferenceRow{RatePerS: 19.22, ITLMs: f(8)}), run(t, night(1)), compare.Options{})
	if c.Verdict != compare.Inconclusive || !strings.Contains(strings.Join(c.Warnings, "\n"), "19.22/s is published but was not measured") {
		t.Errorf("%s %v", c.Verdict, c.Warnings)
	}
}
