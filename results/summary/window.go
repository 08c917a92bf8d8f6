package summary

import (
	"cmp"
	"math"
	"slices"

	"hpcbench/results"
)

// warmupIndex is Record.Step of the warm-up before the first step.
const warmupIndex = -1

// window is one step as its edges in telemetry tell it. Instants are in
// microseconds since the epoch; 0 = the edge isn't there.
type window struct {
	step     results.Step
	begin    int64
	open     int64
	closed   int64
	drained  int64
	end      int64
	planned  int
	heldS    float64
	known    bool // has any edge
	from, to int64
	finished bool
}

// begun is when the step's first request may have been sent.
func (w *window) begun() int64 {
	if w.begin > 0 {
		return w.begin
	}
	return w.from
}

// seconds is the length of the window.
func (w *window) seconds() float64 { return float64(w.to-w.from) / 1e6 }

// findWindows makes the windows out of the step samples, by step index. last is
// the latest instant that any file tells of: where the attempt was killed in a
// window, that window ends there.
func findWindows(samples []*results.Sample, last int64) map[int]*window {
	found := map[int]*window{}
	for _, s := range samples {
		if s.Kind != results.SampleStep || s.Step == nil {
			continue
		}
		w := found[s.Step.Index]
		if w == nil {
			w = &window{known: true, step: results.Step{Index: s.Step.Index}}
			found[s.Step.Index] = w
		}
		w.take(s.At, s.Step)
	}
	for _, w := range found {
		w.settle(last)
	}
	return found
}

func (w *window) take(at int64, s *results.StepSample) {
	if s.Step != nil {
		w.step = *s.Step
	}
	w.planned = max(w.planned, s.Planned)
	w.heldS = max(w.heldS, s.StreamSecondsHeld)
	edge := map[string]*int64{
		results.EdgeBegin: &w.begin, results.EdgeOpen: &w.open, results.EdgeClose: &w.closed,
		results.EdgeDrained: &w.drained, results.EdgeEnd: &w.end,
	}[s.Edge]
	if edge != nil && *edge == 0 {
		*edge = at
	}
}

// settle decides where the window begins and ends.
func (w *window) settle(last int64) {
	if w.open == 0 {
		return // never opened: no window, not finished
	}
	w.from = w.open
	switch {
	case w.closed > 0 && (w.end == 0 || w.end >= w.closed):
		w.to, w.finished = w.closed, true
	case w.end > 0:
		w.to = w.end
	default:
		w.to = last
		if w.step.DurationS > 0 {
			w.to = min(last, w.open+int64(math.Round(w.step.DurationS*1e6)))
		}
	}
	w.to = max(w.to, w.from)
}

// lastInstant is the latest instant in records and samples.
func lastInstant(records []*results.Record, samples []*results.Sample) int64 {
	var last int64
	for _, r := range records {
		last = max(last, r.TStart, r.TEnd)
	}
	for _, s := range samples {
		last = max(last, s.At)
	}
	return last
}

// orderRecords gives the records in the order of release, whatever their order
// on disk was, and how many share a Seq with another. Equal ones are told apart
// by the rest, so that two orders on disk can't give two answers.
func orderRecords(records []results.Record) (ordered []*results.Record, duplicates int) {
	ordered = make([]*results.Record, len(records))
	for i := range records {
		ordered[i] = &records[i]
	}
	slices.SortFunc(ordered, func(a, b *results.Record) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Step, b.Step), cmp.Compare(a.TStart, b.TStart),
			cmp.Compare(a.TEnd, b.TEnd), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.OutputTokens, b.OutputTokens))
	})
	for i := 1; i < len(ordered); i++ {
		if ordered[i].Seq == ordered[i-1].Seq {
			duplicates++
		}
	}
	return ordered, duplicates
}

// orderSamples gives the samples in the order of time.
func orderSamples(samples []results.Sample) []*results.Sample {
	ordered := make([]*results.Sample, len(samples))
	for i := range samples {
		ordered[i] = &samples[i]
	}
	index := func(s *results.Sample) string {
		if s.GPU != nil {
			return s.GPU.Index
		}
		return ""
	}
	slices.SortStableFunc(ordered, func(a, b *results.Sample) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(index(a), index(b)))
	})
	return ordered
}
