package load

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/stub"
	"hpcbench/engine/vllm"
	"hpcbench/load/endpoint"
	"hpcbench/load/telemetry"
	"hpcbench/results"
	"hpcbench/results/summary"
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

// between checks a figure that a busy machine may make larger but nothing may
// make smaller than what the server was told.
func between(t testing.TB, what string, got *float64, low, high float64) {
	t.Helper()
	if got == nil || *got < low || *got > high {
		t.Errorf("%s is %.3f, it must be from %.3f to %.3f", what, deref(got), low, high)
	}
}

func deref(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

func records(t testing.TB, dir results.AttemptDir) []results.Record {
	t.Helper()
	var all []results.Record
	if _, err := results.ReadLinesFile(dir.Records(), func(r results.Record) { all = append(all, r) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// truthOf reads what the server wrote down, by the answer's id.
func truthOf(t testing.TB, path string) map[string]stub.Truth {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := stub.ReadTruth(f)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]stub.Truth{}
	for _, line := range all {
		byID[line.ID] = line
	}
	return byID
}

// TestRateKnowsTheTruth lays every record beside what the server wrote down:
// its first token, its time per token and its end, E2E = TTFT + (n − 1) × gap,
// are within 1 % of the server's own, however busy the machine is.
func TestRateKnowsTheTruth(t *testing.T) {
	file := filepath.Join(t.TempDir(), "truth.jsonl")
	s := startStub(t, stub.Config{TTFTBaseMs: 100, ITLMs: 10, TruthFile: file})
	p := ratePlan(2, 10, 40)
	p.Warmup.DurationS = 0.5
	c := configOf(t, endpointOf(t, s.URL()), p)
	sum := run(t, c)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if sum.State != results.StateComplete || !sum.Simulated || len(sum.Steps) != 2 || sum.Warmup == nil {
		t.Fatalf("%s, simulated %v, %d steps", sum.State, sum.Simulated, len(sum.Steps))
	}
	a := c.Attempt.Get()
	truth := truthOf(t, file)
	var ttft, tpot, e2e, worst []float64
	for _, r := range records(t, c.Dir) {
		line, ok := truth[r.ServerID]
		if !ok || r.Outcome != results.OutcomeCompleted || r.OutputTokens != 20 || len(line.Tokens) < 20 {
			t.Fatalf("record %+v, truth %+v", r, line)
		}
		ours := func(mono int64) float64 { return float64(mono+line.RealOffsetNs-a.EpochAt.UnixNano()) / 1000 }
		var writes []float64
		for i, n := range line.Tokens {
			if n > 0 {
				writes = append(writes, ours(line.WriteNs[i]))
			}
		}
		first, last, sent := writes[0], writes[len(writes)-1], float64(r.TSend)
		ttft = append(ttft, (float64(r.TFirstToken)-sent)/(first-sent)-1)
		tpot = append(tpot, float64(r.TLastToken-r.TFirstToken)/(last-first)-1)
		e2e = append(e2e, (float64(r.TEnd)-sent)/(ours(line.EndNs)-sent)-1)
		if sent > ours(line.ReadNs)+100 {
			t.Errorf("sent %.0f µs after the server had read it", sent-ours(line.ReadNs))
		}
		worst = append(worst, float64(r.TFirstToken)-first)
	}
	for name, off := range map[string][]float64{"TTFT": ttft, "time per token": tpot, "E2E": e2e} {
		slices.Sort(off)
		if mid := summary.Quantile(off, 0.5); math.Abs(mid) > 0.01 {
			t.Errorf("%s is off by %.2f %% at the median", name, 100*mid)
		}
	}
	if slices.Min(worst) < -200 {
		t.Errorf("a first token was stamped %.0f µs before the server wrote it", -slices.Min(worst))
	}
	for i, step := range sum.Steps {
		n := int(2 * p.RatesPerS[i])
		if c := step.Counts; c.Planned != n || c.Sent != n || c.Completed != n {
			t.Errorf("%s: counts %+v, want %d", step.Step.ID, c, n)
		}
		between(t, step.Step.ID+" TTFT", step.Corrected.TTFTMs.P50, 99.9, 200)
		between(t, step.Step.ID+" time per token", step.Corrected.TPOTMs.P50, 9.9, 20)
		between(t, step.Step.ID+" tokens a request", step.Corrected.TokensPerReq, 20, 20)
		if d := step.Client.DeviationPrompt; d == nil || math.Abs(*d) > 0.001 {
			t.Errorf("prompts deviate by %v", deref(d))
		}
		for _, f := range step.Findings {
			// On a machine that is busy with other tests the client can be late, and says so.
			if f.Level == results.LevelInvalid && f.Code != "client_limited" {
				t.Errorf("%s is invalid: %s", step.Step.ID, f.Reason)
			}
		}
	}
	if a.ScheduleDigest == "" || a.Salt == "" || a.State != results.StateComplete {
		t.Errorf("attempt %+v", a)
	}
}
