package compare_test

import (
	"math"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/results"
)

func TestReproduceSaysWhatTheOldToolHid(t *testing.T) {
	ref := published(results.ReferenceRow{RatePerS: 3.79, E2ES: f(1.7), TTFTMs: f(31), ITLMs: f(9), QPS: f(3.7), TokensPerS: f(670)})
	r := compare.Reproduce(ref, run(t, night(1)), compare.Options{})
	if len(r.Hidden) != 1 || len(r.Corrected) != 5 || r.Services || r.Title != "A published table, measured again" {
		t.Fatalf("hidden %d, corrected %d, title %q", len(r.Hidden), len(r.Corrected), r.Title)
	}
	h := r.Hidden[0]
	if h.Sent != 227 || h.Counted+h.Excluded != h.Sent || h.Excluded < 4 || h.Discarded != 0 || !h.CorrectedValid {
		t.Errorf("hidden %+v", h)
	}
	for _, c := range r.Corrected {
		if c.Estimate == nil {
			t.Errorf("%s has no estimate", c.Label)
			continue
		}
		if want := c.Published * *c.Corrected.Mean / *c.Compat.Mean; math.Abs(*c.Estimate-want) > 1e-9 {
			t.Errorf("%s: estimate %g, want %g", c.Label, *c.Estimate, want)
		}
		if c.Label == "QPS" && *c.Estimate <= c.Published {
			t.Errorf("excluded requests hid some of the rate: %g of %g", c.Published, *c.Estimate)
		}
	}
}

func TestReproduceWhereTheCapDropped(t *testing.T) {
	capped := func(s *collecttest.Setup) {
		s.Summary = func(_ int, sum *results.Summary) {
			for i := range sum.Steps {
				sum.Steps[i].Corrected.Valid = false
				sum.Steps[i].Compat.Discarded = 30
			}
		}
	}
	r := compare.Reproduce(published(results.ReferenceRow{RatePerS: 3.79, ITLMs: f(9)}), run(t, night(1, capped)), compare.Options{})
	if h := r.Hidden[0]; h.CorrectedValid || h.Discarded != 30 {
		t.Errorf("hidden %+v", h)
	}
	if c := r.Corrected[0]; c.Corrected.Mean != nil || c.Estimate != nil {
		t.Errorf("there is no corrected figure and no estimate: %+v", c)
	}
}

func TestReproduceOfTheServiceNamesTheRewrite(t *testing.T) {
	ref := published(results.ReferenceRow{RatePerS: 3.79, ITLMs: f(9)})
	ref.Conditions.Path = results.PathService
	for service, want := range map[string]string{
		"Go rewrite": "The service's Go rewrite at https://chat.example/v1 against the legacy service",
		"":           "The service at https://chat.example/v1 against the published one", // nobody said what it is
	} {
		remote := spec(func(s *results.Spec) {
			s.Server.Engine, s.Server.URL, s.Service = results.EngineRemote, "https://chat.example/v1", service
		})
		r := compare.Reproduce(ref, run(t, night(1, remote)), compare.Options{})
		if !r.Services || r.Service != service || !strings.HasPrefix(r.Title, want) {
			t.Errorf("services %v, %q, title %q", r.Services, r.Service, r.Title)
		}
		if r.Comparison.Verdict == compare.NotComparable {
			t.Errorf("the two services compare: %s", r.Comparison.Reason)
		}
	}
}

func TestEveryPublishedTableReproduces(t *testing.T) {
	refs, err := results.References()
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range refs {
		var rates []float64
		for _, row := range ref.Rows {
			rates = append(rates, row.RatePerS)
		}
		r := compare.Reproduce(ref, run(t, collecttest.Setup{Name: "again", DurationS: 20, RepeatCV: 0.01, RatesPerS: rates}), compare.Options{})
		if len(r.Hidden) != len(ref.Rows) || len(r.Comparison.Rows) < 3*len(ref.Rows) {
			t.Errorf("%s: %d rates, %d rows of %d", ref.Name, len(r.Hidden), len(r.Comparison.Rows), len(ref.Rows))
		}
		if r.Comparison.Verdict != compare.NotComparable { // 20 s steps are not the published 120 s
			t.Errorf("%s: %s: %s", ref.Name, r.Comparison.Verdict, r.Comparison.Reason)
		}
	}
}

func TestMatrixAgainstPublished(t *testing.T) {
	ref := results.MatrixReference{Name: "page", Conditions: results.MatrixConditions{GPUKind: "NVIDIA A100-SXM4-40GB", GPUs: 1, Model: "Qwen/Qwen3-4B-Instruct-2507", WindowS: 20, MaxOutputTokens: 8192},
		Cells: []results.MatrixCell{{ContextTokens: 0, Streams: 32, Status: results.CellValid, TotalPerS: f(2700), TTFTMs: f(20), TPOTMs: f(11.8)},
			{ContextTokens: 65536, Streams: 32, Status: results.CellOverCapacityPlanned}, {ContextTokens: 65536, Streams: 8, Status: results.CellValid, TotalPerS: f(100)}}}
	setup := collecttest.Matrix()
	own := setup.Spec
	setup.Spec = func(s *results.Spec) { own(s); s.Plan.Prompt.Shared = true }
	setup.Summary = func(_ int, sum *results.Summary) {
		for i := range sum.Steps {
			sum.Steps[i].Findings = nil
		}
	}
	c := compare.Matrix(ref, run(t, setup), compare.Options{})
	if len(c.Rows) != 3 || c.Verdict != compare.Regressed {
		t.Errorf("%d rows, %s: %s", len(c.Rows), c.Verdict, c.Reason)
	}
	if r := row(t, c, "ctx0@c32", "corrected.ttft_ms.p50"); r.Verdict != compare.Regressed || *r.Change < 0.5 {
		t.Errorf("TTFT %+v", r)
	}
	if r := row(t, c, "ctx0@c32", "corrected.output_tokens_per_s"); r.Verdict != compare.NoChange || !r.Decides {
		t.Errorf("tokens/s: %s %s", r.Verdict, r.Reason)
	}
	if got := strings.Join(c.Warnings, "\n"); !strings.Contains(got, "1 published cells were not measured: ctx65536@c8") {
		t.Errorf("warnings %s", got)
	}
	c = compare.Matrix(ref, run(t, collecttest.Matrix()), compare.Options{})
	if c.Verdict != compare.NotComparable || c.Matters[0].What != "prompts shared by all streams" {
		t.Errorf("prompts of their own: %s %v", c.Verdict, c.Matters)
	}
}
