package load

import (
	"context"
	"math"
	"testing"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/stub"
	"hpcbench/engine/vllm"
	"hpcbench/load/endpoint"
	"hpcbench/load/telemetry"
	"hpcbench/results"
)

// startStub runs a stub server in this process.
func startStub(t testing.TB, c stub.Config) *stub.Server {
	t.Helper()
	c.Model = "m"
	s, err := stub.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func endpointOf(t testing.TB, url string) endpoint.Endpoint {
	t.Helper()
	u, err := endpoint.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return endpoint.Endpoint{URL: u, Model: "m"}
}

// ratePlan is a short open loop of fixed lengths.
func ratePlan(durationS float64, rates ...float64) results.Plan {
	return results.Plan{
		Name: "test", Kind: results.KindRate, RatesPerS: rates, DurationS: durationS, Seed: 1,
		Prompt:  results.PromptPlan{Source: results.SourceSynthetic, Tokens: 50},
		Output:  results.OutputPlan{Distribution: results.DistFixed, Tokens: 20},
		Request: results.RequestPlan{API: "chat", Usage: results.UsageContinuous, IgnoreEOS: true, TimeoutS: 10},
	}
}

// configOf makes a load of a plan against an endpoint, in a folder of its own.
func configOf(t testing.TB, e endpoint.Endpoint, p results.Plan) Config {
	t.Helper()
	dir := results.AttemptDir(t.TempDir())
	file, err := NewAttemptFile(dir, 0o600, Standalone("test", 1, 0, "digest", "test"))
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Endpoint: e, Plan: p, Dir: dir, Attempt: file,
		Warn: func(w string) { t.Log(w) },
		Telemetry: telemetry.Options{Scrape: func(ctx context.Context) (results.ServerSample, error) {
			return vllm.Scrape(ctx, engine.Endpoint{BaseURL: e.URL.String()})
		}},
	}
}

func run(t testing.TB, c Config) results.Summary {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s, err := Run(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(t testing.TB, what string, got *float64, want, share float64) {
	t.Helper()
	if got == nil || math.Abs(*got/want-1) > share {
		v := math.NaN()
		if got != nil {
			v = *got
		}
		t.Errorf("%s is %.3f, true is %.3f", what, v, want)
	}
}

func records(t testing.TB, dir results.AttemptDir) []results.Record {
	t.Helper()
	var all []results.Record
	if _, err := results.ReadLinesFile(dir.Records(), func(r results.Record) { all = append(all, r) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRateKnowsTheTruth: E2E = TTFT + (n − 1) × gap within 1 %.
func TestRateKnowsTheTruth(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 100, ITLMs: 10})
	p := ratePlan(2, 10, 40)
	p.Warmup.DurationS = 0.5
	c := configOf(t, endpointOf(t, s.URL()), p)
	sum := run(t, c)
	if sum.State != results.StateComplete || !sum.Simulated || len(sum.Steps) != 2 || sum.Warmup == nil {
		t.Fatalf("%s, simulated %v, %d steps", sum.State, sum.Simulated, len(sum.Steps))
	}
	for i, step := range sum.Steps {
		n := int(2 * p.RatesPerS[i])
		if c := step.Counts; c.Planned != n || c.Sent != n || c.Completed != n {
			t.Errorf("%s: counts %+v, want %d", step.Step.ID, c, n)
		}
		near(t, "TTFT", step.Corrected.TTFTMs.P50, 100, 0.02)
		near(t, "TPOT", step.Corrected.TPOTMs.P50, 10, 0.01)
		near(t, "E2E", step.Corrected.E2EMs.P50, 100+19*10, 0.01)
		near(t, "output tokens", step.Corrected.TokensPerReq, 20, 0)
		if d := step.Client.DeviationPrompt; d == nil || math.Abs(*d) > 0.001 {
			t.Errorf("prompts deviate by %v", d)
		}
		for _, f := range step.Findings {
			t.Logf("%s: %s %s: %s", step.Step.ID, f.Level, f.Code, f.Reason)
			// On a machine that is busy with other tests the client can be late, and says so.
			if f.Level == results.LevelInvalid && f.Code != "client_limited" {
				t.Errorf("%s is invalid", step.Step.ID)
			}
		}
	}
	if a := c.Attempt.Get(); a.ScheduleDigest == "" || a.Salt == "" || a.State != results.StateComplete {
		t.Errorf("attempt %+v", a)
	}
}
