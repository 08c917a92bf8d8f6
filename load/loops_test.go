package load

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"hpcbench/engine/stub"
	"hpcbench/results"
	"hpcbench/results/summary"
)

func TestClosedLoopHoldsItsStreams(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 30, ITLMs: 5})
	p := ratePlan(2)
	p.Kind, p.RatesPerS, p.Levels = results.KindConcurrency, nil, []int{1, 8}
	p.Warmup.PerStepS = 0.3
	sum := run(t, configOf(t, endpointOf(t, s.URL()), p))
	for i, step := range sum.Steps {
		streams := float64(p.Levels[i])
		between(t, "streams held", step.Client.StreamsHeld, 0.85*streams, streams)
		between(t, "E2E", step.Corrected.E2EMs.P50, 124, 300)
		// Little's law: what is held is the rate of completions times the time of one.
		held := step.Corrected.AchievedPerS * deref(step.Corrected.ServiceE2E.Mean) / 1000
		between(t, "rate times E2E", &held, 0.85*streams, 1.1*streams)
		c := step.Counts
		if c.Sent != c.Completed || c.Sent < int(6*streams) || c.Sent > int(17*streams) || !step.Finished {
			t.Errorf("%s: %+v", step.Step.ID, c)
		}
	}
}

// Streams that began together would end together for as long as they run: they
// begin spread over half of the warm-up, where nothing is known of a request.
func TestStreamsBeginApartInTheWarmUp(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 30, ITLMs: 5})
	p := ratePlan(0.5)
	p.Kind, p.RatesPerS, p.Levels = results.KindConcurrency, nil, []int{8}
	for _, warm := range []float64{0, 0.8} {
		p.Warmup.PerStepS = warm
		c := configOf(t, endpointOf(t, s.URL()), p)
		sum := run(t, c)
		first := map[int]int64{} // of each stream
		for _, r := range records(t, c.Dir) {
			if at, ok := first[r.Stream]; !ok || r.TSend < at {
				first[r.Stream] = r.TSend
			}
			if warm == 0 && r.Phase != results.PhaseWindow {
				t.Errorf("without a warm-up a request of the phase %s", r.Phase)
			}
		}
		// Each begins a slot after the step's begin, and on a busy machine later.
		var began int64
		_, err := results.ReadLinesFile(c.Dir.Telemetry(), func(s results.Sample) {
			if s.Step != nil && s.Step.Index == 0 && s.Step.Edge == results.EdgeBegin {
				began = s.At
			}
		})
		if err != nil || began == 0 {
			t.Fatalf("the step's begin: %d µs, %v", began, err)
		}
		for stream, at := range first {
			if due := began + int64(float64(stream)/8*warm/2*1e6); at < due {
				t.Errorf("warm-up %g s: stream %d began at %d µs, due at %d µs", warm, stream, at, due)
			}
		}
		if len(first) != 8 || sum.Steps[0].Counts.Completed < 8 {
			t.Errorf("warm-up %g s: %d streams, %+v", warm, len(first), sum.Steps[0].Counts)
		}
	}
}

func TestThroughputSendsItsRequestsToTheEnd(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 20, ITLMs: 2})
	p := ratePlan(0)
	p.Kind, p.RatesPerS, p.MaxInFlight = results.KindThroughput, nil, 30
	p.Limits = &results.Limits{Requests: 50}
	step := run(t, configOf(t, endpointOf(t, s.URL()), p)).Steps[0]
	if c := step.Counts; c.Sent != 50 || c.Completed != 50 || step.InFlightEnd != 0 || !step.Finished {
		t.Errorf("%+v, %d in flight at the end", c, step.InFlightEnd)
	}
	if step.WindowS < 0.1 || step.WindowS > 5 {
		t.Errorf("the window has %.3f s", step.WindowS)
	}
}

// TestFreezeShowsInCorrectedLatency is the test of coordinated omission: the
// server stops for a second, and the requests that were due meanwhile have
// waited, whatever the tool could send.
func TestFreezeShowsInCorrectedLatency(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 10, ITLMs: 1, Faults: stub.Faults{FreezeAt: 2500 * time.Millisecond, FreezeFor: time.Second}})
	step := run(t, configOf(t, endpointOf(t, s.URL()), ratePlan(5, 50))).Steps[0]
	e := step.Corrected.E2EMs
	if e.P99 == nil || *e.P99 < 900 || e.P50 == nil || *e.P50 > 300 {
		t.Errorf("E2E p50 %v, p99 %v; %+v", deref(e.P50), deref(e.P99), step.Counts)
	}
	// A fifth of a window of 5 s was frozen: so are about a fifth of the arrivals.
	if e.P90 == nil || *e.P90 < 350 {
		t.Errorf("E2E p90 is %v: requests were kept back while the server stood", deref(e.P90))
	}
}

func TestRefusalsAreCountedExactly(t *testing.T) {
	for _, inStream := range []bool{false, true} {
		s := startStub(t, stub.Config{TTFTBaseMs: 300, ITLMs: 20, MaxInFlight: 5, Faults: stub.Faults{RefuseInStream: inStream}})
		step := run(t, configOf(t, endpointOf(t, s.URL()), ratePlan(2, 30))).Steps[0]
		c := step.Counts
		// 0.68 s a request and 5 at a time: about 15 of 60 get through, fewer on a busy machine.
		if c.Planned != 60 || c.Sent != 60 || c.Completed+c.Shed != 60 || c.Completed < 5 || c.Completed > 20 || c.Failed != 0 {
			t.Errorf("in stream %v: %+v", inStream, c)
		}
		if len(step.Errors) != 1 || step.Errors[0].Text == "" || step.Errors[0].Count != c.Shed {
			t.Errorf("in stream %v: table of errors %+v", inStream, step.Errors)
		}
	}
}

func TestClosedLoopPacesWhatIsRefused(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 4, ITLMs: 0.2, MaxInFlight: 1})
	p := ratePlan(1)
	p.Kind, p.RatesPerS, p.Levels = results.KindCapacity, nil, []int{3}
	p.Capacity = &results.CapacityPlan{Loop: results.LoopClosed, P95E2EMs: 1e6, MaxShedShare: 0.01, MaxErrorShare: 1, MinRequests: 1000, MinDecidingRequests: 1000, ReissueMs: 100, BracketShare: 0.1, MaxLevel: 3}
	p.Limits = &results.Limits{Seconds: 20}
	sum := run(t, configOf(t, endpointOf(t, s.URL()), p))
	if len(sum.Steps) < 2 || sum.Steps[1].Step.Streams != 3 {
		t.Fatalf("%d steps", len(sum.Steps))
	}
	if c := sum.Steps[1].Counts; c.Shed < 5 || c.Shed > 25 {
		t.Errorf("two streams refused for a second, re-issued every 100 ms: %+v", c)
	}
}

func TestCapDropsAndSaysSo(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 500, ITLMs: 5})
	p := ratePlan(2, 20)
	p.MaxInFlight = 4
	step := run(t, configOf(t, endpointOf(t, s.URL()), p)).Steps[0]
	c := step.Counts
	if c.Planned != 40 || c.Sent+c.Dropped != 40 || c.Dropped < 20 || c.Completed != c.Sent || step.Corrected.Valid {
		t.Errorf("%+v, corrected valid: %v", c, step.Corrected.Valid)
	}
	if step.Compat.Discarded != c.Dropped {
		t.Errorf("compat says %d discarded of %d", step.Compat.Discarded, c.Dropped)
	}
}

func TestDrainGivesUpAtItsLimit(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 100, ITLMs: 1000})
	p := ratePlan(0.5, 4)
	p.DrainS = 0.3
	start := time.Now()
	step := run(t, configOf(t, endpointOf(t, s.URL()), p)).Steps[0]
	if c := step.Counts; c.OpenAtEnd != 2 || c.Sent != 2 {
		t.Errorf("%+v", c)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestTimeoutsAreTheirOwnOutcome(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 100, ITLMs: 1000})
	p := ratePlan(0.5, 4)
	p.Request.TimeoutS = 0.5
	if c := run(t, configOf(t, endpointOf(t, s.URL()), p)).Steps[0].Counts; c.TimedOut != 2 {
		t.Errorf("%+v", c)
	}
}

// TestInterruptSavesWhatThereIs: after the first signal open requests get the
// grace, and the summary on disk is marked.
func TestInterruptSavesWhatThereIs(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 20, ITLMs: 20})
	c := configOf(t, endpointOf(t, s.URL()), ratePlan(30, 20))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.AfterFunc(1500*time.Millisecond, cancel)
	sum, err := Run(ctx, c)
	if !errors.Is(err, ErrInterrupted) {
		t.Fatalf("error %v", err)
	}
	step := sum.Steps[0]
	if sum.State != results.StateInterrupted || step.Finished || step.Counts.Completed < 10 || step.Counts.OpenAtEnd != 0 || step.Counts.NotSent < 500 {
		t.Errorf("%s, %+v", sum.State, step.Counts)
	}
	onDisk, err := results.ReadJSON[results.Summary](c.Dir.Summary(), results.FormatSummary)
	if err != nil || onDisk.State != results.StateInterrupted {
		t.Errorf("on disk: %s, %v", onDisk.State, err)
	}
	if a := c.Attempt.Get(); a.State != results.StateInterrupted || a.Failure == nil {
		t.Errorf("attempt %s, %+v", a.State, a.Failure)
	}
}

func TestSecondSignalStopsAtOnce(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 20, ITLMs: 2000})
	c := configOf(t, endpointOf(t, s.URL()), ratePlan(30, 20))
	abort := make(chan struct{})
	c.Abort = abort
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.AfterFunc(800*time.Millisecond, func() { cancel(); close(abort) })
	start := time.Now()
	sum, err := Run(ctx, c)
	if !errors.Is(err, ErrInterrupted) || time.Since(start) > 6*time.Second {
		t.Fatalf("error %v after %v", err, time.Since(start))
	}
	if c := sum.Steps[0].Counts; c.OpenAtEnd < 3 {
		t.Errorf("%+v", c)
	}
}

// TestSummaryIsMadeAgainToTheSameBytes: what collect does.
func TestSummaryIsMadeAgainToTheSameBytes(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 20, ITLMs: 2})
	p := ratePlan(0.5, 20)
	p.Warmup.DurationS = 0.2
	c := configOf(t, endpointOf(t, s.URL()), p)
	run(t, c)
	a, err := results.ReadJSON[results.Attempt](c.Dir.Attempt(), results.FormatAttempt)
	if err != nil {
		t.Fatal(err)
	}
	in, err := readBack(c.Dir, a, p)
	if err != nil {
		t.Fatal(err)
	}
	again, err := results.EncodeJSON(summary.Compute(in))
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(c.Dir.Summary())
	if err != nil || string(first) != string(again) {
		t.Errorf("the summary of the files has other bytes (%v)", err)
	}
}

func TestARefusedStreamWaits(t *testing.T) {
	shed, failed, good := &results.Record{Outcome: results.OutcomeShed}, &results.Record{Outcome: results.OutcomeFailed}, &results.Record{Outcome: results.OutcomeCompleted}
	for _, c := range []struct {
		rec       *results.Record
		reissueMs float64
		failures  int
		want      time.Duration
	}{
		{shed, 0, 0, refusalPause}, // the plan doesn't say
		{shed, 250, 0, 250 * time.Millisecond},
		{shed, 0.01, 0, time.Millisecond},
		{failed, 0, 1, failurePause},
		{failed, 0, 3, 4 * failurePause},
		{failed, 0, 50, failurePauseMost},
		{good, 100, 0, 0},
	} {
		if got := pauseAfter(c.rec, c.reissueMs, c.failures); got != c.want {
			t.Errorf("%s after %d failures, reissue %g ms: %s, want %s", c.rec.Outcome, c.failures, c.reissueMs, got, c.want)
		}
	}
}
