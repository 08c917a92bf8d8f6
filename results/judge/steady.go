package judge

import (
	"math"

	"hpcbench/results"
)

const (
	// saturatedP and saturatedShare: arrivals left unserved in the second half of the window, as a share and how sure.
	saturatedP     = 0.01
	saturatedShare = 0.01
	// overloadOfTimeout: where completed requests take more than this part of the limit, those that timed out did so in a queue.
	overloadOfTimeout = 0.5
	// driftP, maxDrift (of the mean) and maxDriftRequests: requests in flight over the second half of the window.
	driftP           = 0.001
	maxDrift         = 0.5
	maxDriftRequests = 2.0
	// An engine stands still when no token comes for so long with requests open, and for so many times what a first token
	// takes: a long prompt is silent as well.
	minStallS  = 5.0
	stallTTFTs = 3.0
	// maxSliceRatio is highest/lowest throughput of the last three slices of a held window.
	maxSliceRatio = 1.10
)

// load is whether the server kept up.
type load struct {
	saturated bool
	unserved  float64 // share of arrivals
	queued    bool    // its requests timed out in a queue
}

// loadOf: in an open loop, requests in flight rise by what arrives and isn't
// served. A rise that is surely no wobble is a server that doesn't keep up; so
// is one whose requests time out while those that get through take almost as long.
func loadOf(s results.StepSummary, plan results.Plan) load {
	c := s.Corrected
	if s.Step.Loop != results.LoopOpen || c.SentPerS <= 0 {
		return load{}
	}
	var l load
	if c.InFlightRise != nil && c.InFlightRiseP != nil {
		l.unserved = *c.InFlightRise / c.SentPerS
		l.saturated = *c.InFlightRiseP < saturatedP && l.unserved > saturatedShare
	}
	if p50 := c.ServiceE2E.P50; p50 != nil && float64(s.Counts.TimedOut) > maxTimeoutShare*float64(s.Counts.Sent) &&
		*p50 > overloadOfTimeout*plan.Request.TimeoutS*1000 {
		l.saturated, l.queued = true, true
	}
	return l
}

// stalled: a server whose engine hangs goes on answering /health, and its queue looks
// like a saturated one's.
func stalled(s results.StepSummary) []results.Finding {
	limit := minStallS
	for _, ms := range []*float64{s.Corrected.ServiceTTFT.P50, s.Corrected.ServiceTTFT.Min} {
		if ms != nil { // the median is unbounded where most got no token at all
			limit = max(limit, stallTTFTs**ms/1000)
			break
		}
	}
	if s.Corrected.SilenceS <= limit {
		return nil
	}
	return []results.Finding{limited(results.LevelInvalid, CodeStalled, s.Corrected.SilenceS, limit,
		"not one token came for %.3g s though requests were open (limit %.3g s): the engine stood still", s.Corrected.SilenceS, limit)}
}

// steady: an open loop's requests in flight must not drift, except on a
// saturated server; a closed loop's throughput must not vary from slice to slice.
func steady(s results.StepSummary, l load) []results.Finding {
	if s.Step.Loop == results.LoopClosed {
		return held(s)
	}
	if l.queued {
		return []results.Finding{limited(results.LevelNote, CodeSaturated, float64(s.Counts.TimedOut)/float64(s.Counts.Sent), maxTimeoutShare,
			"the server didn't keep up: %d of %d requests timed out in its queue", s.Counts.TimedOut, s.Counts.Sent)}
	}
	if l.saturated {
		return []results.Finding{limited(results.LevelNote, CodeSaturated, l.unserved, saturatedShare,
			"the server didn't keep up: %s of the arrivals in the second half of the window were left unserved, %d were in flight at its end",
			percent(l.unserved), s.InFlightEnd)}
	}
	c := s.Corrected
	if c.InFlightRise == nil || c.InFlightRiseP == nil || *c.InFlightRiseP >= driftP {
		return nil
	}
	drift := *c.InFlightRise * s.WindowS / 2
	limit := max(maxDriftRequests, maxDrift*c.InFlightMean)
	if math.Abs(drift) <= limit {
		return nil
	}
	return []results.Finding{limited(results.LevelInvalid, CodeUnsteady, drift, math.Copysign(limit, drift),
		"requests in flight changed by %+.3g over the second half of the window, on a mean of %.3g, while the server kept up", drift, c.InFlightMean)}
}

// held compares the last three slices of a held window. A stream that starts
// anew gives no token for a TTFT, and one slice may hold one such pause a
// stream more than another: that much is allowed on top.
func held(s results.StepSummary) []results.Finding {
	all := s.Corrected.SlicesPerS
	if len(all) < 3 || !s.Finished || !heldThroughout(s) {
		return nil
	}
	share := 0.0
	if s.StartedInWindow > 0 {
		pause := s.Corrected.ServiceTTFT.P90
		if pause == nil {
			return nil
		}
		share = *pause / 1000 / (s.WindowS / float64(len(all)))
		if share >= 1 {
			return nil // slices shorter than the pauses say nothing
		}
	}
	limit := maxSliceRatio * (1 + share) / (1 - share)
	lowest, highest := math.Inf(1), 0.0
	for _, v := range all[len(all)-3:] {
		lowest, highest = min(lowest, v), max(highest, v)
	}
	if lowest == 0 {
		return []results.Finding{limited(results.LevelInvalid, CodeUnsteady, 0, limit,
			"one of the last three slices of the window has no token at all")}
	}
	if ratio := highest / lowest; ratio > limit {
		return []results.Finding{limited(results.LevelInvalid, CodeUnsteady, ratio, limit,
			"throughput of the last three slices of the window varies by a factor of %.3g (limit %.3g)", ratio, limit)}
	}
	return nil
}
