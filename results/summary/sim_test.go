package summary

import (
	"math"
	"slices"

	"hpcbench/results"
)

// simServer is a server of known behaviour: slots (0 = any number), the rest
// waits first in, first out.
type simServer struct {
	ttftUs, gapUs int64
	tokens        int
	slots         int
	perEvent      int // tokens in each event after the first, 0 = 1
	// slowingPerS makes gaps longer with time: by this share a second.
	slowingPerS float64
}

// simStep is an open loop against it: arrivals at these instants (µs after the
// step began), at most maxInFlight open.
type simStep struct {
	index       int
	at          int64 // when the step begins
	durationS   float64
	maxInFlight int
	arrivals    []int64
}

// every gives constant arrivals; the first comes one gap after the start, as
// with the Hugging Face tool.
func every(ratePerS, durationS float64) []int64 {
	var all []int64
	for i := 1; ; i++ {
		t := int64(math.Round(float64(i) / ratePerS * 1e6))
		if float64(t) >= durationS*1e6 {
			return all
		}
		all = append(all, t)
	}
}

// onTicks gives constant arrivals as the Hugging Face tool makes them: it adds
// rate/100 every 10 ms and starts what has become whole.
func onTicks(ratePerS, durationS float64) []int64 {
	var all []int64
	due := 0.0
	for tick := int64(0); float64(tick)*10_000 < durationS*1e6; tick++ {
		for due += ratePerS / 100; due >= 1; due-- {
			all = append(all, tick*10_000)
		}
	}
	return all
}

// run makes the records and edges of a step.
func (s simServer) run(step simStep, seq *int, descr results.Step) ([]results.Record, []results.Sample) {
	descr.Index, descr.Loop, descr.DurationS, descr.MaxInFlight = step.index, results.LoopOpen, step.durationS, step.maxInFlight
	var records []results.Record
	var ends []int64 // of requests in slots
	var open []int64 // of requests in flight at the client
	var lastEnd int64
	for _, a := range step.arrivals {
		t := step.at + a
		*seq++
		r := results.Record{Seq: *seq, Step: step.index, Phase: results.PhaseWindow, TIntended: t}
		open = slices.DeleteFunc(open, func(end int64) bool { return end <= t })
		if step.maxInFlight > 0 && len(open) >= step.maxInFlight {
			r.Outcome = results.OutcomeDropped
			records = append(records, r)
			continue
		}
		begins := t
		if s.slots > 0 {
			slices.Sort(ends)
			if len(ends) >= s.slots {
				begins = max(begins, ends[len(ends)-s.slots])
			}
		}
		now := s
		now.gapUs += int64(float64(s.gapUs) * s.slowingPerS * float64(a) / 1e6)
		now.answer(&r, t, begins)
		ends = append(ends, r.TEnd)
		open = append(open, r.TEnd)
		lastEnd = max(lastEnd, r.TEnd)
		records = append(records, r)
	}
	windowEnd := step.at + int64(step.durationS*1e6)
	edge := func(at int64, what string) results.Sample {
		return results.Sample{At: at, Kind: results.SampleStep, Step: &results.StepSample{Index: step.index, Edge: what}}
	}
	samples := []results.Sample{edge(step.at, results.EdgeBegin), edge(step.at, results.EdgeOpen),
		edge(windowEnd, results.EdgeClose), edge(max(windowEnd, lastEnd), results.EdgeDrained)}
	samples[0].Step.Step = &descr
	samples[1].Step.Planned = len(step.arrivals)
	return records, samples
}

// answer fills in a completed request that the server takes up at begins.
func (s simServer) answer(r *results.Record, t, begins int64) {
	per := max(s.perEvent, 1)
	events := 1 + (s.tokens-1+per-1)/per
	gaps := make([]results.Gap, events-1)
	counts := []int{1}
	left := s.tokens - 1
	for i := range gaps {
		gaps[i].Us = s.gapUs * int64(per)
		counts = append(counts, min(per, left))
		left -= per
	}
	r.Outcome, r.Status, r.Finish = results.OutcomeCompleted, 200, "length"
	r.TStart, r.TSend = t, t+20
	r.THeaders = begins + s.ttftUs - 50
	r.TFirstEvent = begins + s.ttftUs
	r.TFirstToken, r.TFirstText = r.TFirstEvent, r.TFirstEvent
	r.TLastToken = r.TFirstToken + int64(len(gaps))*s.gapUs*int64(per)
	r.TLastText = r.TLastToken
	r.TDone, r.TEnd = r.TLastToken, r.TLastToken
	r.PromptAsked, r.PromptTokens = 200, 200
	r.OutputAsked, r.OutputTokens, r.FirstTokens = s.tokens, s.tokens, 1
	r.TokensSource, r.Clock, r.Reused = results.TokensContinuous, results.ClockKernel, true
	r.Events, r.TokenEvents, r.TextEvents = events+2, events, events
	r.Gaps, r.TokenCounts = results.EncodeGaps(gaps), results.EncodeCounts(counts)
}

// simAttempt runs steps one after the other, a second apart.
func simAttempt(s simServer, steps ...simStep) Input {
	in := Input{Attempt: results.Attempt{Run: "sim", Repeat: 1, Simulated: true, State: results.StateComplete,
		Clock: results.ClockFacts{Kind: results.ClockKernel}}}
	at, seq := int64(1_000_000), 0
	for i, step := range steps {
		step.index, step.at = i, at
		records, samples := s.run(step, &seq, results.Step{ID: "step", RatePerS: float64(len(step.arrivals)) / step.durationS})
		in.Records = append(in.Records, records...)
		in.Samples = append(in.Samples, samples...)
		at = samples[len(samples)-1].At + 1_000_000
	}
	return in
}
