package summary

import (
	"math"
	"testing"

	"hpcbench/results"
)

func scrape(at int64, set func(*results.ServerSample)) results.Sample {
	s := results.Sample{At: at, Kind: results.SampleServer, Server: &results.ServerSample{}}
	set(s.Server)
	return s
}

// counted is readings each second: generation and prompt tokens rise by 500
// and 200 a second, requests by 10, TTFT by 0.1 s each.
func counted(from, to int64, start func(second int64) float64) []results.Sample {
	var all []results.Sample
	for s := from; s <= to; s++ {
		n := float64(s)
		all = append(all, scrape(s*1e6, func(x *results.ServerSample) {
			x.GenerationTokens, x.PromptTokens = ptr(500*n), ptr(200*n)
			x.TTFT = &results.SumCount{SumS: n, Count: 10 * n}
			x.Running, x.Waiting, x.KVUsage = ptr(n), ptr(0.0), ptr(0.5)
			x.Preemptions, x.PrefixQueries, x.PrefixHits = ptr(0.0), ptr(200*n), ptr(0.0)
			if start != nil {
				x.ProcessStart = ptr(start(s))
			}
		}))
	}
	return all
}

func steppedAt(samples []results.Sample) results.StepSummary {
	step := results.Step{ID: "x", Loop: results.LoopOpen, DurationS: 10}
	return Compute(Input{Attempt: results.Attempt{State: results.StateComplete}, Samples: append(samples, edges(step,
		edge{5.0e6, results.EdgeBegin}, edge{5.5e6, results.EdgeOpen}, edge{15.5e6, results.EdgeClose}, edge{16.2e6, results.EdgeDrained})...)}).Steps[0]
}

func TestServerStats(t *testing.T) {
	s := steppedAt(counted(1, 30, nil)).Server
	// Tokens between edges that fall in the middle of a second; all else between the readings at 5 and 17 s.
	for what, got := range map[string][2]float64{
		"generation": {*s.GenerationTokens, 5000}, "prompt": {*s.PromptTokens, 2000}, "started": {*s.Started, 120},
		"TTFT": {*s.TTFTMeanMs, 100}, "readings": {float64(s.Samples), 10}, "running mean": {s.Running.Mean, 10.5},
		"running least": {s.Running.Min, 6}, "running most": {s.Running.Max, 15}, "prefix": {*s.PrefixQueries, 2400},
	} {
		if math.Abs(got[0]-got[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", what, got[0], got[1])
		}
	}
	if s.Restarted || s.EnergyJ != nil || s.E2EMeanMs != nil {
		t.Errorf("%+v", s)
	}
}

func TestServerStatsWithFewReadings(t *testing.T) {
	if s := steppedAt(nil).Server; s != nil {
		t.Errorf("a remote server: %+v", s)
	}
	s := steppedAt(counted(10, 12, nil)).Server
	if *s.GenerationTokens != 1000 || *s.Started != 20 || s.Samples != 3 {
		t.Errorf("readings in the middle only: %v tokens, %v started", *s.GenerationTokens, *s.Started)
	}
	if s := steppedAt(counted(8, 8, nil)).Server; s.Started != nil || *s.GenerationTokens != 0 || s.Samples != 1 {
		t.Errorf("one reading: %+v", s)
	}
	failing := counted(1, 30, nil)
	for i := range failing {
		failing[i].Server.Failed = "connection refused"
	}
	if s := steppedAt(failing).Server; s != nil {
		t.Errorf("failed readings: %+v", s)
	}
}

func TestRestartIsSeen(t *testing.T) {
	restart := func(at int64) func(int64) float64 {
		return func(s int64) float64 { return map[bool]float64{true: 1000, false: 900}[s >= at] }
	}
	for at, want := range map[int64]bool{3: false, 6: true, 15: true, 17: true, 25: false} {
		if got := steppedAt(counted(1, 30, restart(at))).Server.Restarted; got != want {
			t.Errorf("at %d s: %v", at, got)
		}
	}
	// Without a start time, falling counters say so.
	fallen := counted(1, 30, nil)
	for i := range fallen {
		if i >= 10 {
			fallen[i].Server.GenerationTokens = ptr(float64(i))
		}
	}
	if s := steppedAt(fallen).Server; !s.Restarted || s.GenerationTokens != nil {
		t.Errorf("fallen counters: %v, %v", s.Restarted, s.GenerationTokens)
	}
}

func TestBusyBefore(t *testing.T) {
	before := func(at int64, running float64, lastEnd int64) *float64 {
		in := Input{Records: []results.Record{{Seq: 1, Step: 0, Phase: results.PhaseWindow, Outcome: results.OutcomeCompleted, TSend: 1e6, TFirstToken: 1.1e6, TEnd: lastEnd}},
			Samples: append(edges(results.Step{Index: 1, ID: "b", Loop: results.LoopOpen, DurationS: 5}, edge{10e6, results.EdgeBegin},
				edge{10e6, results.EdgeOpen}, edge{15e6, results.EdgeClose}),
				scrape(at, func(x *results.ServerSample) { x.Running, x.Waiting = ptr(running), ptr(1.0) }))}
		return Compute(in).Steps[1].Server.BusyBefore
	}
	if got := before(9e6, 2, 8e6); got == nil || *got != 3 {
		t.Errorf("running 2 and waiting 1: %v", got)
	}
	if got := before(8.2e6, 2, 8e6); got != nil {
		t.Errorf("too soon after our last answer: %v", *got)
	}
	if got := before(10.5e6, 2, 8e6); got != nil {
		t.Errorf("only after the step began: %v", *got)
	}
}

func TestLeftOver(t *testing.T) {
	in := Input{Samples: append(edges(results.Step{Index: 0, ID: "a"}, edge{1e6, results.EdgeBegin}, edge{1e6, results.EdgeOpen}, edge{5e6, results.EdgeClose}),
		edges(results.Step{Index: 1, ID: "b"}, edge{6e6, results.EdgeBegin}, edge{6e6, results.EdgeOpen}, edge{9e6, results.EdgeClose})...)}
	for i, end := range []int64{5.5e6, 6.5e6, 0} {
		in.Records = append(in.Records, results.Record{Seq: i, Step: 0, Phase: results.PhaseWindow, TSend: 2e6, TEnd: end, Outcome: results.OutcomeOpen})
	}
	s := Compute(in)
	if s.Steps[0].LeftOver != 0 || s.Steps[1].LeftOver != 2 || s.Steps[0].InFlightEnd != 3 || s.Steps[1].InFlightEnd != 1 {
		t.Errorf("left over %d and %d, in flight at the end %d and %d", s.Steps[0].LeftOver, s.Steps[1].LeftOver, s.Steps[0].InFlightEnd, s.Steps[1].InFlightEnd)
	}
}
