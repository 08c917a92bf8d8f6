package summary

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
)

// mixed is a step with every outcome: 10 planned, 9 came about.
func mixed() Input {
	server := simServer{ttftUs: 100_000, gapUs: 10_000, tokens: 51}
	step := results.Step{ID: "x", Loop: results.LoopOpen, RatePerS: 1, DurationS: 10, MaxInFlight: 5}
	in := Input{Attempt: results.Attempt{State: results.StateInterrupted}, Samples: edges(step,
		edge{1e6, results.EdgeBegin}, edge{1e6, results.EdgeOpen}, edge{11e6, results.EdgeClose}, edge{12e6, results.EdgeDrained})}
	in.Samples[1].Step.Planned = 10
	for i := range 9 {
		r := results.Record{Seq: i, Phase: results.PhaseWindow, TIntended: int64(1+i) * 1e6}
		if i < 3 {
			server.answer(&r, r.TIntended, r.TIntended)
		} else {
			r.TStart, r.TSend, r.TEnd = r.TIntended, r.TIntended+10, r.TIntended+5000
		}
		in.Records = append(in.Records, r)
	}
	set := func(i int, outcome, class string, status int, text string) {
		r := &in.Records[i]
		r.Outcome, r.ErrorClass, r.Status, r.ErrorText = outcome, class, status, text
	}
	set(3, results.OutcomeShed, results.ErrorHTTP, 503, "busy")
	set(4, results.OutcomeFailed, results.ErrorHTTP, 500, "")
	set(5, results.OutcomeFailed, results.ErrorHTTP, 500, "engine died")
	set(6, results.OutcomeTimedOut, results.ErrorTimeout, 0, "no answer in 60 s")
	set(7, results.OutcomeOpen, results.ErrorCancelled, 200, "")
	set(8, results.OutcomeDropped, "", 0, "")
	in.Records[8].TSend, in.Records[8].TEnd = 0, 0
	return in
}

func TestEveryRequestEndsInOnePlace(t *testing.T) {
	s := Compute(mixed()).Steps[0]
	want := results.Counts{Planned: 10, Sent: 8, Completed: 3, Shed: 1, Failed: 2, TimedOut: 1, OpenAtEnd: 1, Dropped: 1, NotSent: 1}
	if d := cmp.Diff(want, s.Counts); d != "" {
		t.Error(d)
	}
	errors := []results.ErrorCount{{Class: results.ErrorHTTP, Status: 500, Text: "engine died", Count: 2},
		{Class: results.ErrorHTTP, Status: 503, Text: "busy", Count: 1}, {Class: results.ErrorTimeout, Text: "no answer in 60 s", Count: 1}}
	if d := cmp.Diff(errors, s.Errors); d != "" {
		t.Error(d)
	}
	c := s.Corrected
	if c.Valid || c.TTFTMs.N != 8 || c.TTFTMs.P50 != nil || c.TTFTMs.Mean != nil || *c.TTFTMs.Over != 100 || c.E2EMs.N != 8 || c.ServiceE2E.N != 3 || c.ShedMs.N != 1 {
		t.Errorf("%+v", c)
	}
	if c.OfferedPerS != 1 || c.SentPerS != 0.8 || c.AchievedPerS != 0.3 || c.CohortShare != 3.0/8 {
		t.Errorf("offered %v, sent %v, achieved %v, share %v", c.OfferedPerS, c.SentPerS, c.AchievedPerS, c.CohortShare)
	}
	if s.Compat.TotalReqs != 7 || s.Compat.Successful != 3 || s.Compat.Failed != 4 || s.Compat.Excluded != 1 || s.Compat.Discarded != 1 {
		t.Errorf("compat: %+v", s.Compat)
	}
}

func TestGoodput(t *testing.T) {
	for name, c := range map[string]struct {
		slo  results.SLO
		good float64 // of 9 that were due
	}{
		"all met": {results.SLO{TTFTMs: 100, TPOTMs: 10, E2EMs: 600}, 3}, "TTFT missed": {results.SLO{TTFTMs: 99}, 0},
		"TPOT missed": {results.SLO{TPOTMs: 9.9}, 0}, "E2E missed": {results.SLO{E2EMs: 599}, 0},
	} {
		in := mixed()
		in.Plan.SLO = &c.slo
		got := Compute(in).Steps[0].Corrected
		if got.GoodputPerS == nil || *got.GoodputPerS != c.good/10 || math.Abs(*got.GoodShare-c.good/9) > 1e-12 {
			t.Errorf("%s: %v/s, share %v", name, got.GoodputPerS, got.GoodShare)
		}
	}
	if got := Compute(mixed()).Steps[0].Corrected.GoodShare; got != nil {
		t.Errorf("no SLO, but a share of %v", *got)
	}
}

func TestCutShort(t *testing.T) {
	in := mixed()
	in.Records[0].OutputAsked = 100 // it got 51 and finish_reason length
	in.Records[1].OutputAsked, in.Records[1].Finish = 100, "stop"
	if got := Compute(in).Steps[0].CutShort; got != 1 {
		t.Errorf("%d were cut", got)
	}
}

func TestTPOTWithSeveralTokensInTheFirstEvent(t *testing.T) {
	// 20 tokens, 4 an event, an event each 40 ms: 10 ms a token, where (last − first)/(n − 1) would say 8.4.
	in := mixed()
	r := &in.Records[0]
	r.OutputTokens, r.FirstTokens, r.TokenEvents = 20, 4, 5
	r.TLastToken = r.TFirstToken + 160_000
	r.Gaps = results.EncodeGaps([]results.Gap{{Us: 40_000}, {Us: 40_000}, {Us: 40_000}, {Us: 40_000}})
	r.TokenCounts = results.EncodeCounts([]int{4, 4, 4, 4, 4})
	s := Compute(in).Steps[0]
	if got := *s.Corrected.TPOTMs.Max; got != 10 {
		t.Errorf("TPOT %v ms", got)
	}
	if s.Corrected.MaxPerEvt != 4 || s.Compat.TokensSource != results.TokensUsage {
		t.Errorf("at most %d an event, compat by %s", s.Corrected.MaxPerEvt, s.Compat.TokensSource)
	}
	if s.Contradictory != 0 {
		t.Errorf("%d records contradict themselves", s.Contradictory)
	}
}

func TestContradictions(t *testing.T) {
	for name, change := range map[string]func(*results.Record){
		"an end before its send":      func(r *results.Record) { r.TEnd = r.TSend - 2000 },
		"a token before its send":     func(r *results.Record) { r.TFirstToken = r.TSend - 2000 },
		"a negative time":             func(r *results.Record) { r.TStart = -5 },
		"negative tokens":             func(r *results.Record) { r.OutputTokens = -1 },
		"completed without a token":   func(r *results.Record) { r.TFirstToken = 0 },
		"gaps that can't be read":     func(r *results.Record) { r.Gaps = "!" },
		"fewer gaps than events":      func(r *results.Record) { r.Gaps = results.EncodeGaps([]results.Gap{{Us: 5}}) },
		"counts that don't fit":       func(r *results.Record) { r.TokenCounts = results.EncodeCounts([]int{2, 3}) },
		"a gap that isn't whole":      func(r *results.Record) { r.Gaps = "gICA" },
		"connecting took less than 0": func(r *results.Record) { r.ConnectUs = -1 },
	} {
		in := mixed()
		change(&in.Records[1])
		if got := Compute(in).Steps[0].Contradictory; got != 1 {
			t.Errorf("%s: %d found", name, got)
		}
	}
	in := mixed()
	r := &in.Records[1]
	r.THeaders, r.TFirstEvent, r.TFirstToken = 0, r.TSend-900, r.TSend-900 // clocks may differ by so much
	if got := Compute(in).Steps[0].Contradictory; got != 0 {
		t.Errorf("within the slack: %d found", got)
	}
}

func TestDuplicatesAreCounted(t *testing.T) {
	in := mixed()
	in.Records = append(in.Records, in.Records[0], in.Records[1])
	if s := Compute(in); s.DuplicateRecords != 2 || !results.Invalid(s.Findings) {
		t.Errorf("%d duplicates, %+v", s.DuplicateRecords, s.Findings)
	}
}

func TestDeviationsAndReuse(t *testing.T) {
	in := mixed()
	for i := range in.Records {
		in.Records[i].Reused = i == 0
		in.Records[i].PromptAsked, in.Records[i].TemplateTokens, in.Records[i].PromptTokens = 200, 9, 213
		in.Records[i].OutputAsked = 102
	}
	c := Compute(in).Steps[0].Client
	if math.Abs(*c.DeviationPrompt-0.02) > 1e-12 || *c.DeviationOutput != -0.5 || c.ReusedShare != 1.0/8 {
		t.Errorf("%v %v %v", *c.DeviationPrompt, *c.DeviationOutput, c.ReusedShare)
	}
}

// A window of 2 s in the middle of requests that take 51 s: what is measured is what was in flight.
func TestWindowOfLongRequests(t *testing.T) {
	server := simServer{ttftUs: 1_000_000, gapUs: 10_000, tokens: 5001}
	step := results.Step{ID: "ctx0@c2", Loop: results.LoopClosed, Streams: 2, DurationS: 2, CancelAtEnd: true, SettleS: 1, Phase: "decode"}
	in := Input{Attempt: results.Attempt{State: results.StateComplete}, Samples: edges(step,
		edge{1e6, results.EdgeBegin}, edge{3e6, results.EdgeOpen}, edge{5e6, results.EdgeClose}, edge{5.01e6, results.EdgeDrained})}
	in.Samples[3].Step.StreamSecondsHeld = 4
	for i := range 2 {
		r := results.Record{Seq: i, Phase: results.PhaseStepWarmup}
		server.answer(&r, 1e6, 1e6)
		// Cancelled at 5 s: 301 tokens had come, the last one just then.
		r.Outcome, r.ErrorClass, r.Finish, r.TDone = results.OutcomeOpen, results.ErrorCancelled, "", 0
		r.TEnd, r.TLastToken, r.OutputTokens, r.TokenEvents, r.TIntended = 5_000_100, 5e6, 301, 301, r.TSend
		gaps := make([]results.Gap, 300)
		for k := range gaps {
			gaps[k].Us = 10_000
		}
		r.Gaps = results.EncodeGaps(gaps)
		in.Records = append(in.Records, r)
	}
	s := Compute(in).Steps[0]
	c := s.Corrected
	if s.Counts.Sent != 2 || s.Counts.OpenAtEnd != 2 || s.StartedInWindow != 0 || c.TokensPerS != 200 || *c.TPOTMs.P50 != 10 || c.OutputTokens != 602 ||
		math.Abs(*c.ServiceTTFT.P50-1000) > 0.1 || c.E2EMs.P50 != nil || c.InFlightMean != 2 || s.Contradictory != 0 {
		t.Errorf("%+v %+v", s.Counts, c)
	}
	if len(s.Findings) != 0 {
		t.Errorf("%s", codes(s.Findings))
	}
}
