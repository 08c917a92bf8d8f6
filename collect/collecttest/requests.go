package collecttest

import (
	"math"
	"math/rand/v2"

	"hpcbench/results"
)

// requests draws the requests of one repeat: TTFT and TPOT are lognormal around
// the set medians times the repeat's level, lengths normal, and a step's own
// rate makes it a little slower. Lengths depend on the repeat alone, so that
// repeat k of two nights has the same ones.
func (s Setup) requests(k int, night float64, noise *rand.Rand) ([]results.Record, []results.Sample) {
	lengths := rand.New(rand.NewPCG(7, uint64(k)))
	var records []results.Record
	var samples []results.Sample
	at := int64(60e6) // after the warm-up
	seq := 0
	for i, step := range s.Steps {
		if step.NotRun != "" {
			whole := step
			samples = append(samples, results.Sample{At: at, Kind: results.SampleStep, Step: &results.StepSample{Index: step.Index, Edge: results.EdgeBegin, Step: &whole}})
			continue
		}
		level := night * math.Exp(noise.NormFloat64()*s.RepeatCV)
		n, gap := arrivals(step)
		open, closing := at, at+int64(step.DurationS*1e6)
		if step.DurationS == 0 {
			closing = open + int64(float64(n)*gap*1e6)
		}
		whole := step
		samples = append(samples,
			results.Sample{At: open - 1, Kind: results.SampleStep, Step: &results.StepSample{Index: step.Index, Edge: results.EdgeBegin, Step: &whole}},
			results.Sample{At: open, Kind: results.SampleStep, Step: &results.StepSample{Index: step.Index, Edge: results.EdgeOpen, Planned: n}})
		slower := 1.0
		if f, ok := s.Slower[i]; ok {
			slower = f
		}
		load := 1 + 0.02*(step.RatePerS+0.5*float64(step.Streams))
		last := closing
		for j := range n {
			r := results.Record{Seq: seq, Step: step.Index, Arm: step.Arm}
			ttft := int64(1e3 * s.TTFTMs * load * level * math.Exp(0.08*noise.NormFloat64()))
			tpot := 1e3 * s.TPOTMs * load * level * slower * math.Exp(0.04*noise.NormFloat64())
			tokens := max(2, int(s.OutputTokens+10*lengths.NormFloat64()))
			if step.OutputTokens > 0 {
				tokens = step.OutputTokens
			}
			sent := open + int64(float64(j)*gap*1e6) + 20
			if step.CancelAtEnd { // one long request a stream, from before the window beyond its end
				sent = open - 2e6
			}
			fill(&r, sent, ttft, tpot, tokens)
			if step.CancelAtEnd {
				cutAt(&r, closing, tpot)
			}
			if step.Streams > 0 {
				r.Stream = j % step.Streams
			}
			if step.PromptTokens > 0 {
				r.PromptAsked, r.PromptTokens = step.PromptTokens, step.PromptTokens
			}
			seq++
			if s.Record != nil && !s.Record(k, &r) {
				continue
			}
			last = max(last, r.TEnd)
			records = append(records, r)
		}
		samples = append(samples, telemetry(step, open, closing, n)...)
		samples = append(samples,
			results.Sample{At: closing, Kind: results.SampleStep, Step: &results.StepSample{Index: step.Index, Edge: results.EdgeClose, StreamSecondsHeld: float64(step.Streams) * step.DurationS}},
			results.Sample{At: last, Kind: results.SampleStep, Step: &results.StepSample{Index: step.Index, Edge: results.EdgeDrained}})
		at = last + 4e6
	}
	return records, samples
}

// fill makes a request that was sent at an instant and came to its end.
func fill(r *results.Record, sent, ttft int64, tpotUs float64, tokens int) {
	first := sent + ttft
	last := first + int64(tpotUs*float64(tokens-1))
	r.Phase, r.Outcome, r.Status, r.Finish = results.PhaseWindow, results.OutcomeCompleted, 200, "stop"
	r.TIntended, r.TStart, r.TSend, r.THeaders, r.TFirstEvent, r.TFirstToken, r.TLastToken = sent-20, sent-10, sent, first-500, first, first, last
	r.TFirstText, r.TLastText, r.TDone, r.TEnd = first, last, last+200, last+200
	r.PromptAsked, r.PromptTokens, r.OutputAsked, r.OutputTokens, r.FirstTokens, r.TokensSource = 200, 200, tokens, tokens, 1, results.TokensUsage
	r.Events, r.TokenEvents, r.TextEvents, r.Reused, r.Clock = tokens+1, tokens, tokens, true, results.ClockKernel
}

// cutAt cancels a request at an instant, as windows of long requests do.
func cutAt(r *results.Record, at int64, tpotUs float64) {
	got := 1 + int(float64(at-r.TFirstToken)/tpotUs)
	r.Phase, r.Outcome, r.ErrorClass, r.Finish = results.PhaseStepWarmup, results.OutcomeOpen, results.ErrorCancelled, ""
	r.TLastToken = r.TFirstToken + int64(tpotUs*float64(got-1))
	r.TLastText, r.TDone, r.TEnd = r.TLastToken, 0, at
	r.OutputTokens, r.Events, r.TokenEvents, r.TextEvents, r.TokensSource = got, got, got, got, results.TokensContinuous
}

// arrivals is how many requests a step has and how far apart they are, in seconds.
func arrivals(step results.Step) (n int, gap float64) {
	switch {
	case step.CancelAtEnd:
		return step.Streams, 0
	case step.MaxRequests > 0 && step.DurationS == 0:
		return step.MaxRequests, 1
	case step.RatePerS > 0:
		return int(step.RatePerS * step.DurationS), 1 / step.RatePerS
	}
	streams := max(step.Streams, 1)
	gap = 1.7 / float64(streams) // a stream's next request comes when its last one ended
	return int(step.DurationS / gap), gap
}

// telemetry is one server, GPU and client sample every five seconds.
func telemetry(step results.Step, open, closing int64, n int) []results.Sample {
	var out []results.Sample
	p := func(v float64) *float64 { return &v }
	for at := open; at < closing; at += 5e6 {
		share := float64(at-open) / float64(max(closing-open, 1))
		running := math.Round(float64(n)/max(step.DurationS, 1)*1.7*(1+0.05*math.Sin(9*share))*10) / 10
		if step.Streams > 0 {
			running = float64(step.Streams)
		}
		out = append(out,
			results.Sample{At: at, Kind: results.SampleServer, Server: &results.ServerSample{Running: p(running), Waiting: p(0), KVUsage: p(0.01 * running), ScrapeMs: 2}},
			results.Sample{At: at, Kind: results.SampleGPU, GPU: &results.GPUSample{Index: "0", UtilShare: p(0.9), PowerW: p(300 + 2*running)}},
			results.Sample{At: at, Kind: results.SampleClient, Client: &results.ClientSample{CPUShare: 0.1, InFlight: int(running)}})
	}
	return out
}
