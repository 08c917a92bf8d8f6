package summary

import (
	"hpcbench/results"
)

// sliceCount is in how many slices a held window is cut to see whether it was steady.
const sliceCount = 6

// intended is when the schedule wanted a request sent.
func intended(r *results.Record) int64 {
	switch {
	case r.TIntended > 0:
		return r.TIntended
	case r.TSend > 0:
		return r.TSend
	}
	return r.TStart
}

// corrected gathers the default metric set of one step.
type corrected struct {
	ttft, tpot, e2e, serviceTTFT, serviceE2E values
	firstEvent, headers, connect, shed       values
	gaps                                     *gapCounts
	slices                                   []float64
	pulse                                    []float64 // tokens by parts of the window
	tokensIn                                 float64
	promptIn                                 int64
	doneIn                                   int
	output, prompt                           int64 // of answers that count
	outputDone, promptDone                   int64 // of completed ones
	completed, good                          int
	merged, tokenEvents                      int
	tokens                                   float64
	maxPerEvent                              int
	broken                                   int
}

// takeCohort takes one request of the window. cut says that the step cancels
// what is open at its end: such an answer is as good as its tokens.
func (c *corrected) takeCohort(r *results.Record, e *events, slo *results.SLO, cut bool) {
	if r.Outcome == results.OutcomeDropped {
		return
	}
	t0 := intended(r)
	if r.TFirstToken > 0 {
		c.ttft.add(r.TFirstToken - t0)
	} else {
		c.ttft.unbounded++
	}
	if r.TFirstEvent > 0 && r.TSend > 0 {
		c.firstEvent.add(r.TFirstEvent - r.TSend)
	}
	if r.THeaders > 0 && r.TSend > 0 {
		c.headers.add(r.THeaders - r.TSend)
	}
	if r.ConnectUs > 0 {
		c.connect.add(r.ConnectUs)
	}
	if r.Outcome == results.OutcomeShed && r.TEnd > 0 && r.TSend > 0 {
		c.shed.add(r.TEnd - r.TSend)
	}
	c.takeEvents(r, e)
	completed := r.Outcome == results.OutcomeCompleted
	var tpot int64
	if completed || (cut && r.Outcome == results.OutcomeOpen && r.TFirstToken > 0) {
		c.serviceTTFT.add(r.TFirstToken - r.TSend)
		ns, known := perToken(r)
		if known {
			c.tpot.add(ns)
		}
		tpot = ns
		c.output += int64(e.tokens)
		c.prompt += int64(r.PromptTokens)
	}
	if !completed {
		c.e2e.unbounded++
		return
	}
	c.e2e.add(r.TEnd - t0)
	c.serviceE2E.add(r.TEnd - r.TSend)
	c.completed++
	c.outputDone += int64(e.tokens)
	c.promptDone += int64(r.PromptTokens)
	if meets(slo, r.TFirstToken-t0, tpot, r.TEnd-t0) {
		c.good++
	}
}

// takeEvents pools the gaps; merged ones are known only as a bound.
func (c *corrected) takeEvents(r *results.Record, e *events) {
	for _, g := range e.gaps {
		if !g.Merged {
			c.gaps.add(g.Us)
		}
	}
	c.merged += r.Merged
	c.tokenEvents += r.TokenEvents
	c.tokens += e.tokens
	c.maxPerEvent = max(c.maxPerEvent, r.FirstTokens)
	if e.counts == nil && e.tokens > 0 {
		c.maxPerEvent = max(c.maxPerEvent, 1)
	}
	for _, n := range e.counts {
		c.maxPerEvent = max(c.maxPerEvent, n)
	}
	if e.broken || contradicts(r) {
		c.broken++
	}
}

// takeWindow takes a request of any step and phase that may overlap the window.
func (c *corrected) takeWindow(r *results.Record, e *events, w *window) {
	if r.TFirstToken >= w.from && r.TFirstToken < w.to && r.TFirstToken > 0 {
		c.promptIn += int64(r.PromptTokens)
	}
	if r.Outcome == results.OutcomeCompleted && r.TEnd >= w.from && r.TEnd < w.to {
		c.doneIn++
	}
	c.tokensIn += e.within(w.from, w.to)
	if c.slices != nil {
		e.slices(c.slices, w.from, w.to)
	}
	if c.pulse != nil {
		e.slices(c.pulse, w.from, w.to)
	}
}

// perToken is (t_last − t_first)/(n − k1) in nanoseconds, of an answer with
// tokens beyond its first event: with 4 tokens an event, dividing
// by n − 1 would read low.
func perToken(r *results.Record) (ns int64, known bool) {
	rest := r.OutputTokens - max(r.FirstTokens, 1)
	if rest < 1 || r.TLastToken <= r.TFirstToken {
		return 0, false
	}
	return ((r.TLastToken-r.TFirstToken)*1000 + int64(rest)/2) / int64(rest), true
}

// meets says whether a completed request is a good one. A request of one token
// has no time per token and can't miss that bound.
func meets(slo *results.SLO, ttftUs, tpotNs, e2eUs int64) bool {
	if slo == nil {
		return false
	}
	return (slo.TTFTMs == 0 || float64(ttftUs) <= slo.TTFTMs*1000) &&
		(slo.TPOTMs == 0 || float64(tpotNs) <= slo.TPOTMs*1e6) &&
		(slo.E2EMs == 0 || float64(e2eUs) <= slo.E2EMs*1000)
}

// result closes the books.
func (c *corrected) result(counts results.Counts, w *window, slo *results.SLO, f inFlight) results.Corrected {
	s := w.seconds()
	out := results.Corrected{
		Valid:  counts.Dropped == 0,
		TTFTMs: c.ttft.dist(), TPOTMs: c.tpot.dist(), E2EMs: c.e2e.dist(), GapMs: c.gaps.dist(),
		ServiceTTFT: c.serviceTTFT.dist(), ServiceE2E: c.serviceE2E.dist(), FirstEventMs: c.firstEvent.dist(),
		HeadersMs: c.headers.dist(), ConnectMs: c.connect.dist(), ShedMs: c.shed.dist(),
		OutputTokens: c.output, PromptTokens: c.prompt,
		InFlightMean: f.mean, InFlightMax: f.max, InFlightRise: f.rise, InFlightRiseP: f.riseP,
		MaxPerEvt: c.maxPerEvent,
	}
	if counts.Sent > 0 {
		out.CohortShare = float64(counts.Completed) / float64(counts.Sent)
	}
	if c.completed > 0 {
		out.TokensPerReq = ptr(float64(c.outputDone) / float64(c.completed))
		out.PromptPerReq = ptr(float64(c.promptDone) / float64(c.completed))
	}
	if c.tokenEvents > 0 {
		out.MergedShare = float64(c.merged) / float64(c.tokenEvents)
		out.TokensPerEvt = c.tokens / float64(c.tokenEvents)
	}
	if s <= 0 {
		return out
	}
	out.OfferedPerS = float64(counts.Planned) / s
	out.SentPerS = float64(counts.Sent) / s
	out.AchievedPerS = float64(c.doneIn) / s
	out.TokensPerS = c.tokensIn / s
	out.TotalPerS = (c.tokensIn + float64(c.promptIn)) / s
	for _, tokens := range c.slices {
		out.SlicesPerS = append(out.SlicesPerS, tokens/(s/sliceCount))
	}
	if asked := counts.Sent + counts.Dropped; slo != nil && asked > 0 {
		out.GoodputPerS = ptr(float64(c.good) / s)
		out.GoodShare = ptr(float64(c.good) / float64(asked))
	}
	return out
}
