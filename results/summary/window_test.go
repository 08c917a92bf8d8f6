package summary

import (
	"testing"

	"hpcbench/results"
)

type edge struct {
	at   int64
	what string
}

func edges(step results.Step, all ...edge) []results.Sample {
	var samples []results.Sample
	for _, e := range all {
		s := results.StepSample{Index: step.Index, Edge: e.what}
		if e.what == results.EdgeBegin {
			s.Step = &step
		}
		samples = append(samples, results.Sample{At: e.at, Kind: results.SampleStep, Step: &s})
	}
	return samples
}

func TestWindows(t *testing.T) {
	const begin, open, cl, drained, end = results.EdgeBegin, results.EdgeOpen, results.EdgeClose, results.EdgeDrained, results.EdgeEnd
	timed := results.Step{ID: "a", Loop: results.LoopOpen, DurationS: 10}
	for name, c := range map[string]struct {
		step     results.Step
		edges    []edge
		last     int64 // the latest instant of any record
		from, to int64
		finished bool
	}{
		"whole":                      {timed, []edge{{1e6, begin}, {2e6, open}, {12e6, cl}, {13e6, drained}}, 13e6, 2e6, 12e6, true},
		"left in its window":         {timed, []edge{{1e6, begin}, {2e6, open}, {7e6, end}, {8e6, drained}}, 8e6, 2e6, 7e6, false},
		"left in its drain":          {timed, []edge{{1e6, begin}, {2e6, open}, {12e6, cl}, {13e6, end}}, 13e6, 2e6, 12e6, true},
		"left in its warm-up":        {timed, []edge{{1e6, begin}, {2e6, end}}, 3e6, 0, 0, false},
		"killed in its window":       {timed, []edge{{1e6, begin}, {2e6, open}}, 9e6, 2e6, 9e6, false},
		"killed in its drain":        {timed, []edge{{1e6, begin}, {2e6, open}}, 19e6, 2e6, 12e6, false},
		"killed, ends by its count":  {results.Step{ID: "a", Loop: results.LoopClosed, MaxRequests: 9}, []edge{{1e6, begin}, {2e6, open}}, 9e6, 2e6, 9e6, false},
		"killed before its first":    {timed, []edge{{1e6, begin}}, 1e6, 0, 0, false},
		"the first edge of two wins": {timed, []edge{{1e6, begin}, {2e6, open}, {12e6, cl}, {13e6, drained}, {20e6, begin}, {21e6, open}, {31e6, cl}}, 31e6, 2e6, 12e6, true},
	} {
		in := Input{Attempt: results.Attempt{State: results.StateComplete}, Samples: edges(c.step, c.edges...),
			Records: []results.Record{{Seq: 1, Phase: results.PhaseWindow, TStart: 2e6, TSend: 2e6, TEnd: c.last, Outcome: results.OutcomeFailed}}}
		s := Compute(in).Steps[0]
		if s.WindowFrom != c.from || s.WindowTo != c.to || s.Finished != c.finished || s.Step.ID != "a" || s.NoWindow {
			t.Errorf("%s: %d to %d, finished %v", name, s.WindowFrom, s.WindowTo, s.Finished)
		}
	}
}

func TestRecordsWithoutEdges(t *testing.T) {
	s := Compute(Input{Attempt: results.Attempt{State: results.StateRunning},
		Records: []results.Record{{Seq: 1, Step: 3, Phase: results.PhaseWindow, Outcome: results.OutcomeCompleted, TSend: 5, TFirstToken: 6, TEnd: 7}}})
	if len(s.Steps) != 1 || !s.Steps[0].NoWindow || s.Steps[0].Step.Index != 3 || s.Steps[0].Counts.Completed != 1 || !results.Invalid(s.Steps[0].Findings) {
		t.Errorf("%+v", s.Steps)
	}
}

func TestStepsThatAreNotRunAreThere(t *testing.T) {
	s := Compute(Input{Attempt: results.Attempt{State: results.StateComplete},
		Samples: edges(results.Step{Index: 4, ID: "ctx65536@c8", NotRun: "over_capacity_planned"}, edge{5, results.EdgeBegin})})
	if len(s.Steps) != 1 || s.Steps[0].Step.NotRun == "" || results.Invalid(s.Steps[0].Findings) {
		t.Errorf("%+v", s.Steps)
	}
}

// The warm-up is a step of its own, also where it has no edges.
func TestWarmup(t *testing.T) {
	server := simServer{ttftUs: 100_000, gapUs: 10_000, tokens: 50}
	plan := results.Plan{Warmup: results.Warmup{DurationS: 3}}
	var records []results.Record
	for at, seq := int64(1_000_000), 0; at < 4_000_000; seq++ {
		r := results.Record{Seq: seq, Step: -1, Phase: results.PhaseWarmup}
		server.answer(&r, at, at)
		at = r.TEnd + 100
		records = append(records, r)
	}
	bare := Compute(Input{Attempt: results.Attempt{State: results.StateComplete}, Records: records, Plan: plan})
	step := results.Step{Index: -1, ID: "warmup", Loop: results.LoopClosed, Streams: 1, DurationS: 3}
	told := Compute(Input{Attempt: results.Attempt{State: results.StateComplete}, Records: records, Plan: plan,
		Samples: edges(step, edge{1e6, results.EdgeBegin}, edge{1e6, results.EdgeOpen}, edge{4e6, results.EdgeClose}, edge{4.6e6, results.EdgeDrained})})
	for name, s := range map[string]results.Summary{"bare": bare, "told": told} {
		if s.Warmup == nil || len(s.Steps) != 0 {
			t.Fatalf("%s: %+v", name, s)
		}
		c := s.Warmup.Compat
		if c.ID != "warmup" || c.Successful != 5 || c.Excluded != 1 || s.Warmup.WindowS != 3 || len(s.Warmup.Findings) != 0 {
			t.Errorf("%s: %+v over %v s", name, c, s.Warmup.WindowS)
		}
	}
}
