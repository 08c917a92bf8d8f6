package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/engine/stub"
	"hpcbench/load/plans"
	"hpcbench/results"
)

// repeatOf is another repeat of a load: its own folder, the same run.
func repeatOf(t *testing.T, c Config, repeat int) Config {
	t.Helper()
	other := configOf(t, c.Endpoint, c.Plan)
	file, err := NewAttemptFile(other.Dir, 0o600, Standalone("test", repeat, 0, "digest", "test"))
	if err != nil {
		t.Fatal(err)
	}
	other.Attempt, other.StepsFile, other.Gateway, other.Facts = file, c.StepsFile, c.Gateway, c.Facts
	return other
}

func TestSweepIsFrozenByTheFirstRepeat(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 20, ITLMs: 2, Slots: 8})
	p := ratePlan(1)
	p.Kind, p.RatesPerS, p.MaxInFlight = results.KindSweep, nil, 16
	p.Sweep = &results.SweepPlan{Steps: 3, Fraction: 1.2}
	c := configOf(t, endpointOf(t, s.URL()), p)
	c.StepsFile = filepath.Join(t.TempDir(), "steps.json")
	first := run(t, c)
	if len(first.Steps) != 4 {
		t.Fatalf("%d steps", len(first.Steps))
	}
	// 8 slots and 58 ms a request: 138 a second.
	most := first.Steps[0].Corrected.AchievedPerS
	between(t, "throughput", &most, 30, 1.1*8/0.058)
	between(t, "the last rate", &first.Steps[3].Step.RatePerS, 1.199*most, 1.201*most)
	if first.ScheduleDigest == "" {
		t.Error("the schedule has no digest")
	}
	frozen, err := results.ReadJSON[results.FrozenSteps](c.StepsFile, results.FormatSteps)
	if err != nil || len(frozen.Steps) != 4 || frozen.ByRepeat != 1 {
		t.Fatalf("%+v, %v", frozen, err)
	}
	second := run(t, repeatOf(t, c, 2))
	for i := range first.Steps {
		if first.Steps[i].Step != second.Steps[i].Step {
			t.Errorf("step %d: %+v and %+v", i, first.Steps[i].Step, second.Steps[i].Step)
		}
	}
	if entries, err := os.ReadDir(string(c.Dir)); err != nil || len(entries) != 5 {
		t.Errorf("the attempt's folder has %v, %v", entries, err)
	}
}

func TestStepsOfAnotherSpecAreRefused(t *testing.T) {
	s := startStub(t, stub.Config{})
	p := ratePlan(1)
	p.Kind, p.RatesPerS, p.MaxInFlight = results.KindSweep, nil, 2
	p.Sweep = &results.SweepPlan{Steps: 1, Fraction: 1}
	c := configOf(t, endpointOf(t, s.URL()), p)
	c.StepsFile = filepath.Join(t.TempDir(), "steps.json")
	if err := results.WriteJSON(c.StepsFile, results.FrozenSteps{Format: results.FormatSteps, SpecDigest: "other"}, 0o600); err != nil {
		t.Fatal(err)
	}
	sum, err := Run(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "another spec") || sum.State != results.StateFailed {
		t.Errorf("%s, %v", sum.State, err)
	}
}

func TestMatrixHoldsCellsAndLeavesOutWhatCannotFit(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 10, TTFTPerTokenMs: 0.05, ITLMs: 5})
	p := ratePlan(1)
	p.Kind, p.RatesPerS, p.Levels = results.KindMatrix, nil, []int{1, 4}
	p.Output.Tokens = 2000
	p.Matrix = &results.MatrixPlan{ContextsTokens: []int{0, 1000}, PrefillTokens: []int{500, 1000}, PrefillSamples: 5, KVTokens: 8000, SettleS: 0.2}
	c := configOf(t, endpointOf(t, s.URL()), p)
	sum := run(t, c)
	byID := map[string]results.StepSummary{}
	for _, step := range sum.Steps {
		byID[step.Step.ID] = step
	}
	if over := byID["ctx1000@c4"]; !strings.HasPrefix(over.Step.NotRun, plans.OverCapacity) || over.Counts.Sent != 0 {
		t.Errorf("%+v", over.Step)
	}
	pre := byID["prefill@1000"]
	if pre.Counts.Completed != 5 {
		t.Errorf("prefill: %+v", pre.Counts)
	}
	// The prompts are new each time, so that the whole of it is read: 10 ms + 0.05 ms a token.
	between(t, "TTFT of 1,000 tokens", pre.Corrected.ServiceTTFT.P50, 59, 150)
	cell := byID["ctx0@c4"]
	between(t, "decode of 4 streams", &cell.Corrected.TokensPerS, 400, 4*201)
	if cell.Counts.OpenAtEnd != cell.Counts.Sent {
		t.Errorf("the cell's requests are cancelled at its end: %+v", cell.Counts)
	}
	between(t, "streams held", cell.Client.StreamsHeld, 3.9, 4)
}

func TestGatewayArmsGoTheirOwnWays(t *testing.T) {
	direct := startStub(t, stub.Config{TTFTBaseMs: 10, ITLMs: 1})
	gateway := startStub(t, stub.Config{TTFTBaseMs: 30, ITLMs: 1})
	p := ratePlan(0)
	p.Kind, p.RatesPerS, p.Levels = results.KindGateway, nil, []int{2}
	p.Gateway = &results.GatewayPlan{DirectURL: direct.URL(), GatewayURL: gateway.URL(), Blocks: 2, Requests: 20, AA: true}
	c := configOf(t, endpointOf(t, direct.URL()), p)
	if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "gateway_url") {
		t.Errorf("one URL is enough: %v", err)
	}
	g := endpointOf(t, gateway.URL())
	c.Gateway = &g
	sum := run(t, c)
	if len(sum.Steps) != 12 {
		t.Fatalf("%d steps", len(sum.Steps))
	}
	mean := map[string]float64{}
	for _, step := range sum.Steps {
		low := 9.9
		if step.Step.Arm == results.ArmGateway {
			low = 29.9
		}
		between(t, step.Step.ID+" TTFT", step.Corrected.ServiceTTFT.P50, low, 1000)
		mean[step.Step.Arm] += deref(step.Corrected.ServiceTTFT.Mean) / 4
		if step.Counts.Completed != 10 {
			t.Errorf("%s: %+v", step.Step.ID, step.Counts)
		}
	}
	if mean[results.ArmGateway] < mean[results.ArmDirect]+5 || len(mean) != 3 {
		t.Errorf("mean TTFT by arm %v", mean)
	}
}

func TestCapacityGoesUpUntilRequestsWait(t *testing.T) {
	// Above 4 streams a request waits for a slot: at 16 its E2E has tripled.
	s := startStub(t, stub.Config{TTFTBaseMs: 3, ITLMs: 1, Slots: 4})
	p := ratePlan(10)
	p.Kind, p.RatesPerS = results.KindCapacity, nil
	p.Capacity = &results.CapacityPlan{Loop: results.LoopClosed, RelativeToOne: 2.5, MaxShedShare: 0.01, MaxErrorShare: 0.01, MaxLevel: 64,
		BracketShare: 0.5, MinRequests: 80, MinDecidingRequests: 120}
	sum := run(t, configOf(t, endpointOf(t, s.URL()), p))
	k := results.FindKnee(p, sum.Steps)
	if sum.Steps[0].Step.Phase != results.CapacityBaseline || len(sum.Steps) < 3 || k.FirstFailing == nil || *k.FirstFailing > 32 {
		t.Errorf("%d steps, %+v", len(sum.Steps), k)
	}
}

func TestSchedulesOfOneSeedAreAlike(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 1, ITLMs: 0.1})
	p := ratePlan(0.3, 30)
	p.Kind = results.KindPoisson
	p.Output = results.OutputPlan{Distribution: results.DistNormal, Tokens: 20, SD: 5, Min: 5, Max: 40}
	c := configOf(t, endpointOf(t, s.URL()), p)
	a, b, other := run(t, c), run(t, repeatOf(t, c, 1)), run(t, repeatOf(t, c, 2))
	if a.ScheduleDigest == "" || a.ScheduleDigest != b.ScheduleDigest || a.ScheduleDigest == other.ScheduleDigest {
		t.Errorf("digests %s, %s, of another repeat %s", a.ScheduleDigest, b.ScheduleDigest, other.ScheduleDigest)
	}
	if a.Steps[0].Counts.Planned != b.Steps[0].Counts.Planned {
		t.Errorf("%d and %d arrivals", a.Steps[0].Counts.Planned, b.Steps[0].Counts.Planned)
	}
}

// A context that the model doesn't take is left out by what the server says of itself.
func TestMatrixAsksTheServerForItsContext(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 5, ITLMs: 1, MaxModelLen: 1000})
	p := ratePlan(0.3)
	p.Kind, p.RatesPerS, p.Levels = results.KindMatrix, nil, []int{1}
	p.Output.Tokens = 200
	p.Matrix = &results.MatrixPlan{ContextsTokens: []int{0, 900}}
	sum := run(t, configOf(t, endpointOf(t, s.URL()), p))
	if over := sum.Steps[1]; !strings.HasPrefix(over.Step.NotRun, plans.OverModelLen) || over.Counts.Sent != 0 {
		t.Errorf("%+v, sent %d", over.Step, over.Counts.Sent)
	}
	if sum.Steps[0].Step.NotRun != "" || sum.Steps[0].Counts.Sent == 0 {
		t.Errorf("%+v", sum.Steps[0].Step)
	}
}

// A cell whose every request is refused ends with its window: it isn't waited for until it would have settled.
func TestMatrixDoesNotWaitForACellThatOnlyFails(t *testing.T) {
	s := startStub(t, stub.Config{Faults: stub.Faults{ErrorShare: 1}})
	p := ratePlan(2)
	p.Kind, p.RatesPerS, p.Levels = results.KindMatrix, nil, []int{2}
	p.Matrix = &results.MatrixPlan{ContextsTokens: []int{0}, SettleS: 0.1}
	began := time.Now()
	sum := run(t, configOf(t, endpointOf(t, s.URL()), p))
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if c := sum.Steps[0].Counts; c.Failed < hopelessFailures || !results.Invalid(sum.Steps[0].Findings) {
		t.Errorf("%+v %+v", c, sum.Steps[0].Findings)
	}
}
