//go:build engine

package load

import (
	"context"
	"math"
	"testing"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/realtest"
	"hpcbench/engine/vllm"
	"hpcbench/load/endpoint"
	"hpcbench/load/plans"
	"hpcbench/load/telemetry"
	"hpcbench/results"
)

// realServer starts vLLM's CPU build with the tiny model and waits until it is ready.
func realServer(t testing.TB) (endpoint.Endpoint, engine.Endpoint) {
	t.Helper()
	e, err := realtest.Find()
	if err != nil {
		t.Fatal(err)
	}
	const key = "test-key"
	p := e.Run(t, realtest.Start{Key: key, Args: append([]string{"vllm", "serve", e.Model, "--served-model-name", "tiny", "--host", "127.0.0.1",
		"--port", "{port}", "--max-model-len", "4096", "--max-num-seqs", "16"}, realtest.Args...)})
	at := engine.Loopback(p.Port, engine.Secret(key))
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	if _, err := vllm.Ready(ctx, at, "tiny", p.Dead); err != nil {
		t.Fatalf("%v\n%s", err, p.Log(t))
	}
	u, err := endpoint.ParseURL(at.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	return endpoint.Endpoint{URL: u, Key: key, Model: "tiny"}, at
}

// TestEveryKindAgainstARealEngine applies one short plan of each kind to a
// living vLLM. What is checked are its own facts: prompts have the tokens asked
// for, answers too, the engine counted the same tokens, nothing came from the
// prefix cache, and no finding is INVALID but those of a client without a core.
func TestEveryKindAgainstARealEngine(t *testing.T) {
	e, at := realServer(t)
	base := ratePlan(4)
	base.RatesPerS = nil
	base.Warmup = results.Warmup{DurationS: 2, PerStepS: 0.5}
	base.Prompt.Tokens, base.Output.Tokens = 120, 60
	base.Request.TimeoutS = 60
	with := func(kind string, change func(*results.Plan)) results.Plan {
		p := base
		p.Name, p.Kind = kind, kind
		change(&p)
		return p
	}
	for _, p := range []results.Plan{
		with(results.KindRate, func(p *results.Plan) { p.RatesPerS = []float64{2, 5} }),
		with(results.KindPoisson, func(p *results.Plan) { p.RatesPerS = []float64{4}; p.Request.Usage = results.UsageFinal }),
		with(results.KindConcurrency, func(p *results.Plan) { p.Levels = []int{1, 8} }),
		with(results.KindThroughput, func(p *results.Plan) { p.MaxInFlight = 24 }),
		with(results.KindSweep, func(p *results.Plan) {
			p.MaxInFlight, p.Sweep = 16, &results.SweepPlan{Steps: 2, Fraction: 0.8}
		}),
		with(results.KindMatrix, func(p *results.Plan) {
			p.Levels, p.Output.Tokens = []int{1, 2}, 2000
			p.Matrix = &results.MatrixPlan{ContextsTokens: []int{0, 1000}, PrefillTokens: []int{500}, PrefillSamples: 5, SettleS: 0.3}
		}),
		with(results.KindCapacity, func(p *results.Plan) {
			p.Levels, p.Output.Tokens = []int{2, 4}, 20
			p.Capacity = &results.CapacityPlan{Loop: results.LoopClosed, RelativeToOne: 4, MaxErrorShare: 0.01, MaxShedShare: 0.01, MaxLevel: 4,
				BracketShare: 0.5, MinRequests: 80, MinDecidingRequests: 80}
		}),
		with(results.KindRate, func(p *results.Plan) { p.Name, p.Request.API, p.RatesPerS = "completions", "completions", []float64{3} }),
	} {
		t.Run(p.Name, func(t *testing.T) {
			c := configOf(t, e, p)
			c.Facts = plans.Facts{MaxModelLen: 4096, MaxNumSeqs: 16}
			c.Telemetry = telemetry.Options{Scrape: func(ctx context.Context) (results.ServerSample, error) { return vllm.Scrape(ctx, at) }}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			sum, err := Run(ctx, c)
			if err != nil {
				t.Fatal(err)
			}
			checkAttempt(t, c, sum)
			for _, s := range sum.Steps {
				checkRealStep(t, p, s)
			}
		})
	}
}

func checkAttempt(t *testing.T, c Config, sum results.Summary) {
	t.Helper()
	a := c.Attempt.Get()
	if sum.Simulated || a.Server.MaxModelLen != 4096 || a.Server.TemplateTokens == 0 && c.Plan.Request.API == "chat" || len(sum.Steps) == 0 {
		t.Errorf("simulated %v, %+v, %d steps", sum.Simulated, a.Server, len(sum.Steps))
	}
	for _, r := range records(t, c.Dir) {
		if r.Outcome == results.OutcomeCompleted && r.PromptTokens-r.TemplateTokens != r.PromptAsked {
			t.Errorf("request %d asked for %d prompt tokens and %d of the template, the engine counts %d", r.Seq, r.PromptAsked, r.TemplateTokens, r.PromptTokens)
			break
		}
		if r.Outcome == results.OutcomeCompleted && r.OutputTokens != r.OutputAsked {
			t.Errorf("request %d asked for %d tokens and got %d", r.Seq, r.OutputAsked, r.OutputTokens)
			break
		}
	}
}

func checkRealStep(t *testing.T, p results.Plan, s results.StepSummary) {
	t.Helper()
	c := s.Counts
	if c.Sent == 0 || c.Completed+c.OpenAtEnd != c.Sent || c.OpenAtEnd > 0 && !s.Step.CancelAtEnd {
		t.Errorf("%s: %+v, errors %+v", s.Step.ID, c, s.Errors)
	}
	for _, f := range s.Findings {
		if f.Level == results.LevelInvalid && f.Code != "client_limited" && f.Code != "unsteady" {
			t.Errorf("%s: %s: %s", s.Step.ID, f.Code, f.Reason)
		} else {
			t.Logf("%s: %s %s: %s", s.Step.ID, f.Level, f.Code, f.Reason)
		}
	}
	if s.Server == nil || s.Server.Whole == nil {
		t.Errorf("%s: nothing is known from the engine", s.Step.ID)
		return
	}
	w := s.Server.Whole
	if w.Foreign > 0 {
		t.Errorf("%s: %.0f foreign requests: %+v", s.Step.ID, w.Foreign, w)
	}
	if w.GenerationTokens != nil && !s.Step.CancelAtEnd && math.Abs(*w.GenerationTokens-float64(w.OurTokens)) > 0.02*float64(w.OurTokens)+2 {
		t.Errorf("%s: the engine counts %.0f tokens, we %d", s.Step.ID, *w.GenerationTokens, w.OurTokens)
	}
	t.Logf("%s: %d done, TTFT p50 %.1f ms (engine's mean %.1f), TPOT p50 %.2f ms, %.0f tokens/s", s.Step.ID, c.Completed,
		deref(s.Corrected.TTFTMs.P50), deref(s.Server.TTFTMeanMs), deref(s.Corrected.TPOTMs.P50), s.Corrected.TokensPerS)
}
