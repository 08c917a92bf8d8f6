package summary

import (
	"testing"

	"hpcbench/results"
)

func TestForeignRequests(t *testing.T) {
	// Readings at 5 and 17 s enclose the step; requests get their first token each half second from 5.75 s on.
	at := func(us int64, outcome string) results.Record {
		r := results.Record{Phase: results.PhaseWindow, TSend: us - 50_000, TEnd: us + 100_000, Outcome: outcome}
		if outcome == results.OutcomeCompleted {
			r.TFirstToken, r.TLastToken, r.OutputTokens, r.TokenEvents = us, us+50_000, 10, 10
		}
		return r
	}
	base := func() []results.Record {
		var all []results.Record
		for i := range int64(20) {
			all = append(all, at(5_750_000+i*500_000, results.OutcomeCompleted))
		}
		return all
	}
	for name, c := range map[string]struct {
		started float64
		more    []results.Record
		foreign float64
	}{
		"all ours":                     {20, nil, 0},
		"three strangers":              {23, nil, 3},
		"a cancelled one of ours":      {21, []results.Record{at(9_000_000, results.OutcomeOpen)}, 0},
		"a timed out one of ours":      {21, []results.Record{at(9_000_000, results.OutcomeTimedOut)}, 0},
		"a refused one explains none":  {21, []results.Record{at(9_000_000, results.OutcomeShed)}, 1},
		"one at the edge of a reading": {21, []results.Record{at(5_100_000, results.OutcomeCompleted)}, 0},
		"one long before":              {21, []results.Record{at(3_000_000, results.OutcomeCompleted)}, 1},
		"one dropped":                  {21, []results.Record{{Phase: results.PhaseWindow, Outcome: results.OutcomeDropped, TIntended: 9e6}}, 1},
		"fewer than ours":              {18, nil, 0},
	} {
		step := results.Step{ID: "x", Loop: results.LoopOpen, DurationS: 10}
		in := Input{Attempt: results.Attempt{State: results.StateComplete}, Records: append(base(), c.more...), Samples: append(edges(step,
			edge{5.4e6, results.EdgeBegin}, edge{5.5e6, results.EdgeOpen}, edge{15.5e6, results.EdgeClose}, edge{16.2e6, results.EdgeDrained}),
			scrape(5e6, func(x *results.ServerSample) {
				x.TTFT, x.GenerationTokens = &results.SumCount{Count: 100}, ptr(1000.0)
			}),
			scrape(17e6, func(x *results.ServerSample) {
				x.TTFT, x.GenerationTokens = &results.SumCount{Count: 100 + c.started}, ptr(1200.0)
			}))}
		for i := range in.Records {
			in.Records[i].Seq = i
		}
		w := Compute(in).Steps[0].Server.Whole
		if w.Foreign != c.foreign || w.Started != c.started || w.From != 5e6 || w.To != 17e6 || *w.GenerationTokens != 200 {
			t.Errorf("%s: %+v", name, w)
		}
	}
}

func TestFinishCountersStandInForFirstTokens(t *testing.T) {
	x := &results.ServerSample{Finished: map[string]float64{"stop": 3, "length": 4}}
	if got := started(x); got == nil || *got != 7 {
		t.Errorf("got %v", got)
	}
	if got := started(&results.ServerSample{}); got != nil {
		t.Errorf("an engine that states neither: %v", *got)
	}
}
