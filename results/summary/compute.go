package summary

import (
	"cmp"
	"math"
	"slices"

	"hpcbench/results"
	"hpcbench/results/judge"
)

// Input is what an attempt left behind. Nothing of it is changed.
type Input struct {
	Attempt results.Attempt
	Records []results.Record
	Samples []results.Sample
	// RecordLines and SampleLines are what reading the two files met; both zero where nothing was broken.
	RecordLines, SampleLines results.Lines
	Plan                     results.Plan
}

// Compute makes the summary of an attempt and has it judged.
func Compute(in Input) results.Summary {
	records, duplicates := orderRecords(in.Records)
	samples := orderSamples(in.Samples)
	out := results.Summary{
		Format: results.FormatSummary,
		Run:    in.Attempt.Run, Repeat: in.Attempt.Repeat, Attempt: in.Attempt.Attempt,
		Simulated: in.Attempt.Simulated, State: in.Attempt.State, Clock: in.Attempt.Clock.Kind,
		ScheduleDigest:   in.Attempt.ScheduleDigest,
		Steps:            []results.StepSummary{},
		TornRecords:      in.RecordLines.Torn,
		BadRecords:       in.RecordLines.Bad,
		BadSamples:       in.SampleLines.Bad + in.SampleLines.Torn,
		DuplicateRecords: duplicates,
	}
	c := newComputer(records, samples, in.Plan)
	for _, w := range allWindows(records, samples, in.Plan) {
		step := c.step(w)
		if w.step.Index == warmupIndex {
			out.Warmup = &step
			continue
		}
		out.Steps = append(out.Steps, step)
	}
	judge.Apply(&out, in.Attempt, in.Plan)
	// An error would mean a figure that JSON can't hold; writing the file will say so.
	out.Digest, _ = out.ContentDigest()
	return out
}

// Step makes and judges the summary of one step alone, while the attempt goes
// on: what a plan needs that chooses its next step from the last one. It says
// false where neither telemetry nor records know the step.
func Step(in Input, index int) (results.StepSummary, bool) {
	records, _ := orderRecords(in.Records)
	samples := orderSamples(in.Samples)
	for _, w := range allWindows(records, samples, in.Plan) {
		if w.step.Index == index {
			c := newComputer(records, samples, in.Plan)
			s := c.step(w)
			s.Findings = judge.Step(s, in.Attempt, in.Plan)
			return s, true
		}
	}
	return results.StepSummary{}, false
}

// allWindows are the windows of every step that telemetry or records know, by
// rising index. The warm-up may have no edges: it is then as long as planned.
func allWindows(records []*results.Record, samples []*results.Sample, plan results.Plan) []*window {
	last := lastInstant(records, samples)
	windows := findWindows(samples, last)
	for _, r := range records {
		w := windows[r.Step]
		if w == nil {
			w = &window{step: results.Step{Index: r.Step}}
			windows[r.Step] = w
		}
		if r.Step == warmupIndex && !w.known && (w.from == 0 || r.TStart < w.from) {
			w.from = r.TStart
			w.to = w.from + int64(math.Round(plan.Warmup.DurationS*1e6))
		}
	}
	if w := windows[warmupIndex]; w != nil && w.step.ID == "" {
		w.step.ID, w.step.Loop = "warmup", results.LoopClosed
		w.step.Streams, w.step.DurationS = max(plan.Warmup.Streams, 1), plan.Warmup.DurationS
	}
	ordered := make([]*window, 0, len(windows))
	for _, w := range windows {
		ordered = append(ordered, w)
	}
	slices.SortFunc(ordered, func(a, b *window) int { return cmp.Compare(a.step.Index, b.step.Index) })
	return ordered
}

// computer holds what all steps of an attempt share.
type computer struct {
	records []*results.Record
	samples []*results.Sample
	series  serverSeries
	slo     *results.SLO
	scratch scratch
	gaps    *gapCounts
}

func newComputer(records []*results.Record, samples []*results.Sample, plan results.Plan) computer {
	return computer{records: records, samples: samples, series: goodReadings(samples), slo: plan.SLO, gaps: newGapCounts()}
}

// step summarises one step without judging it.
func (c *computer) step(w *window) results.StepSummary {
	out := results.StepSummary{
		Step: w.step, Finished: w.finished, WindowFrom: w.from, WindowTo: w.to, DrainedAt: w.drained,
		WindowS: w.seconds(), NoWindow: !w.known && w.step.Index != warmupIndex,
	}
	phase := results.PhaseWindow
	if w.step.Index == warmupIndex {
		phase = results.PhaseWarmup
	}
	var cohort, touching []*results.Record
	idleFrom := int64(0)
	for _, r := range c.records {
		own := r.Step == w.step.Index
		from, to, sent := span(r)
		if own && belongs(r, w, phase) {
			cohort = append(cohort, r)
		}
		if own && sent && from >= w.from && from < w.to {
			out.StartedInWindow++
		}
		if own || (sent && from < w.to && to >= w.from) {
			touching = append(touching, r)
		}
		if sent && !own && from < w.begun() {
			if to > w.begun() {
				out.LeftOver++
			} else {
				idleFrom = max(idleFrom, to)
			}
		}
	}

	c.gaps.reset()
	sums := corrected{gaps: c.gaps}
	sums.tpot.nano = true
	if w.step.Loop == results.LoopClosed && w.to > w.from {
		sums.slices = make([]float64, sliceCount)
	}
	if w.to > w.from {
		sums.pulse = make([]float64, pulseCount)
	}
	for _, r := range touching {
		e := c.scratch.decode(r)
		if r.Step == w.step.Index && belongs(r, w, phase) {
			sums.takeCohort(r, &e, c.slo, w.step.CancelAtEnd)
		}
		sums.takeWindow(r, &e, w)
	}
	out.Counts = countOutcomes(cohort, w)
	typical := typicalUs(&sums.serviceE2E)
	flight := measureInFlight(touching, w, typical)
	out.InFlightEnd = flight.atEnd
	out.Errors = tableErrors(cohort)
	out.Corrected = sums.result(out.Counts, w, c.slo, flight)
	out.Corrected.SilenceS = silence(sums.pulse, touching, w)
	out.Compat = compat(cohort, w, out.Counts)
	out.Client = clientFacts(cohort, c.samples, w, flight)
	out.CutShort = cutShort(cohort)
	out.Contradictory = sums.broken
	out.Clocks = tally(cohort, func(r *results.Record) string { return r.Clock })
	out.Sources = tally(cohort, func(r *results.Record) string { return r.TokensSource })
	if w.known {
		out.Server = c.serverStats(w, idleFrom)
	}
	joinServer(&out)
	return out
}

// belongs says whether a request of the step is of the cohort: sent in its
// window or, where the step cancels what is open at its end, in flight in it.
// Those windows lie in the middle of long requests, and none may begin in one.
func belongs(r *results.Record, w *window, phase string) bool {
	if !w.step.CancelAtEnd {
		return r.Phase == phase
	}
	from, to, sent := span(r)
	return sent && from < w.to && to >= w.from
}

// minToCompare is how many requests our mean TTFT and the server's must be over to be compared.
const minToCompare = 20

// joinServer adds what needs both sides.
func joinServer(out *results.StepSummary) {
	s := out.Server
	if s == nil {
		return
	}
	// The two means are over the same requests only where none is cut at the window's edge, and a scrape's
	// second of lateness must not weigh: hence whole requests, and a good number of them.
	ttft := out.Corrected.ServiceTTFT
	if mean := ttft.Mean; mean != nil && s.TTFTMeanMs != nil && !out.Step.CancelAtEnd && ttft.N >= minToCompare {
		s.ClientPath = ptr(*mean - *s.TTFTMeanMs)
	}
	if tokens := out.Corrected.TokensPerS * out.WindowS; s.EnergyJ != nil && tokens > 0 {
		s.JPerToken = ptr(*s.EnergyJ / tokens)
	}
}

// typicalUs is the median time of completed requests, 0 where there is none.
func typicalUs(e2e *values) float64 {
	if len(e2e.all) == 0 {
		return 0
	}
	slices.Sort(e2e.all)
	return Quantile(e2e.all, 0.5)
}

// tally counts requests by a word; those without it aren't counted.
func tally(cohort []*results.Record, word func(*results.Record) string) map[string]int {
	var n map[string]int
	for _, r := range cohort {
		if w := word(r); w != "" {
			if n == nil {
				n = map[string]int{}
			}
			n[w]++
		}
	}
	return n
}
