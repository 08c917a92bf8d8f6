package summary

import (
	"cmp"
	"math"
	"slices"

	"hpcbench/results"
)

// compat gives what the Hugging Face inference-benchmarker would have printed
// for the window's requests. Its collector sees responses in the order in which
// they end; an open loop's stops at the bell, a closed loop's after the first
// response that ends behind it.
func compat(cohort []*results.Record, w *window, counts results.Counts) results.Compat {
	out := results.Compat{ID: w.step.ID, Discarded: counts.Dropped, TokensSource: results.TokensEvents}
	counted := countedByBell(cohort, w)
	out.Excluded = counts.Sent - len(counted)
	if len(counted) == 0 {
		return out
	}
	var good []*results.Record
	for _, r := range counted {
		if compatSuccess(r) {
			good = append(good, r)
		}
	}
	out.Successful, out.Failed = len(good), len(counted)-len(good)
	out.TotalReqs = len(counted)
	out.Valid = len(good) > 0
	last := counted[len(counted)-1]
	durationUs := compatEnd(last) - counted[0].TStart
	out.DurationMs = durationUs / 1000

	byUsage := severalTokensAnEvent(good)
	if byUsage {
		out.TokensSource = results.TokensUsage
	}
	var ttft, itl, e2e []float64
	for _, r := range good {
		n := r.TextEvents
		if byUsage {
			n = r.OutputTokens
		}
		out.TotalTokens += int64(n)
		out.TokensSent += int64(cmp.Or(r.PromptAsked, r.PromptTokens))
		ttft = append(ttft, float64(r.TFirstText-r.TStart))
		e2e = append(e2e, float64(compatEnd(r)-r.TStart))
		gap := 0.0 // one event: the tool counts it as 0, in the mean too
		if r.TextEvents > 1 && n > 1 {
			gap = float64(r.TLastText-r.TFirstText) / float64(n-1)
		}
		itl = append(itl, gap)
	}
	if durationUs > 0 {
		out.RequestRate = float64(out.Successful) / (float64(durationUs) / 1e6)
		out.TokensPerS = float64(out.TotalTokens) / (float64(durationUs) / 1e6)
	}
	if out.Valid {
		out.TTFTMs, out.ITLMs, out.E2EMs = compatDist(ttft), compatDist(itl), compatDist(e2e)
	}
	return out
}

// countedByBell are the responses that the tool's collector saw, in their order.
func countedByBell(cohort []*results.Record, w *window) []*results.Record {
	var ended []*results.Record
	for _, r := range cohort {
		if r.Outcome != results.OutcomeDropped && r.Outcome != results.OutcomeOpen && r.TEnd > 0 {
			ended = append(ended, r)
		}
	}
	slices.SortFunc(ended, func(a, b *results.Record) int {
		return cmp.Or(cmp.Compare(a.TEnd, b.TEnd), cmp.Compare(a.Seq, b.Seq))
	})
	inTime, _ := slices.BinarySearchFunc(ended, w.to, func(r *results.Record, bell int64) int {
		return cmp.Compare(r.TEnd, bell+1)
	})
	open := 0
	for _, r := range cohort {
		if r.Outcome == results.OutcomeOpen {
			open++
		}
	}
	if w.step.Loop == results.LoopClosed && inTime < len(ended) && len(ended)-inTime+open > 1 {
		inTime++
	}
	return ended[:inTime]
}

// compatSuccess: status 200, some text, and an end. An answer that the server
// aborted ends like any other as far as the tool can see.
func compatSuccess(r *results.Record) bool {
	if r.TextEvents == 0 || r.TFirstText == 0 {
		return false
	}
	if r.Outcome == results.OutcomeCompleted {
		return true
	}
	return r.Outcome == results.OutcomeFailed && r.ErrorClass == results.ErrorAborted && r.TDone > 0
}

// compatEnd is the arrival of [DONE], else of the last text; of a failure, its end.
func compatEnd(r *results.Record) int64 {
	if !compatSuccess(r) {
		return r.TEnd
	}
	return cmp.Or(r.TDone, r.TLastText, r.TEnd)
}

// severalTokensAnEvent says whether events can't stand for tokens: some hold
// more than one. One token a request may be hidden without that (an end token
// has no text), so the sums are compared with that much room.
func severalTokensAnEvent(records []*results.Record) bool {
	tokens, events := 0, 0
	for _, r := range records {
		if r.TokenCounts != "" {
			return true
		}
		if r.OutputTokens == 0 {
			return false // no usage: there is nothing better than events
		}
		tokens += r.OutputTokens
		events += max(r.TokenEvents, r.TextEvents) + 1
	}
	return tokens > events
}

// compatDist is the tool's set of figures: type 7 percentiles and the mean,
// truncated to whole microseconds, in milliseconds.
func compatDist(us []float64) *results.CompatDist {
	var sum float64
	for _, v := range us {
		sum += v
	}
	slices.Sort(us)
	var d results.CompatDist
	for i, into := range []*float64{&d.P50, &d.P60, &d.P70, &d.P80, &d.P90, &d.P95, &d.P99} {
		*into = truncated(Quantile(us, percents[i]))
	}
	d.Avg = truncated(sum / float64(len(us)))
	return &d
}

// truncated keeps a value that arithmetic has put a hair below a whole
// microsecond at that microsecond.
func truncated(us float64) float64 { return math.Floor(us+1e-6) / 1000 }
