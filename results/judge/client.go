package judge

import "hpcbench/results"

const (
	// minLagMs and lagOfTTFT bound the 99th percentile (see lateness) of the send lag: max(5 ms, 5 % of the median TTFT).
	minLagMs  = 5.0
	lagOfTTFT = 0.05
	// minSentShare of the drawn schedule must have been sent.
	minSentShare = 0.99
	// minHeldShare of the asked streams must have been held.
	minHeldShare = 0.98
	// maxCPUShare of one core, maxRunDelay of the time runnable but waiting, maxGCPauseMs.
	maxCPUShare  = 0.8
	maxRunDelay  = 0.05
	maxGCPauseMs = 5.0
)

// client: did the generator do what it should, and had it the CPU for it?
func client(s results.StepSummary) []results.Finding {
	var found []results.Finding
	c, counts := s.Client, s.Counts
	if late, name := lateness(c.SendLagMs); late != nil {
		limit := minLagMs
		if ttft := s.Corrected.ServiceTTFT.P50; ttft != nil {
			limit = max(limit, lagOfTTFT**ttft)
		}
		if *late > limit {
			found = append(found, limited(results.LevelInvalid, CodeClientLimited, *late, limit,
				"requests were sent late: %s of the send lag is %.4g ms (limit %.4g ms)", name, *late, limit))
		}
	}
	if s.Step.Loop == results.LoopOpen && s.Finished && counts.Planned > 0 {
		if share := float64(counts.Sent+counts.Dropped) / float64(counts.Planned); share < minSentShare {
			found = append(found, limited(results.LevelInvalid, CodeClientLimited, share, minSentShare,
				"only %d of %d planned requests were sent", counts.Sent, counts.Planned))
		}
	}
	if c.StreamsHeld != nil && c.StreamsAsked != nil && *c.StreamsAsked > 0 && heldThroughout(s) {
		if share := *c.StreamsHeld / *c.StreamsAsked; share < minHeldShare {
			found = append(found, limited(results.LevelInvalid, CodeClientLimited, share, minHeldShare,
				"%.4g streams were held on average, %.4g were asked for (limit %s)", *c.StreamsHeld, *c.StreamsAsked, percent(minHeldShare)))
		}
	}
	if v := c.CPUShareMax; v != nil && *v > maxCPUShare {
		found = append(found, limited(results.LevelWarning, CodeClientBusy, *v, maxCPUShare,
			"the client used up to %s of a core", percent(*v)))
	}
	if v := c.RunDelayShare; v != nil && *v > maxRunDelay {
		found = append(found, limited(results.LevelWarning, CodeClientBusy, *v, maxRunDelay,
			"the client waited for a core %s of the time", percent(*v)))
	}
	if v := c.GCPauseMaxMs; v != nil && *v > maxGCPauseMs {
		found = append(found, limited(results.LevelWarning, CodeClientBusy, *v, maxGCPauseMs,
			"a garbage collection stopped the client for %.3g ms", *v))
	}
	return found
}

// lateness is the percentile of the send lag that is judged: the 99th, and one
// below it where there are so few requests that the 99th is the worst of them;
// a single hiccup of the machine isn't a client that can't keep up.
func lateness(lag results.Dist) (ms *float64, name string) {
	switch {
	case lag.N >= 100:
		return lag.P99, "p99"
	case lag.N >= 20:
		return lag.P95, "p95"
	}
	return lag.P90, "p90"
}

// heldThroughout says whether a closed loop was meant to be full until its
// window closed: one that ends by its count isn't at its tail, and a stream
// whose request was refused is paced on purpose.
func heldThroughout(s results.StepSummary) bool {
	byCount := s.Step.MaxRequests > 0 && s.Counts.Sent >= s.Step.MaxRequests
	return s.Step.DurationS > 0 && s.WindowS > 0 && !byCount && s.Counts.Shed == 0
}

const (
	// maxMergedShare of token events may share their stamp with a neighbour before gaps and TTFT are worth a warning.
	maxMergedShare = 0.05
	// maxClockStepMs is how far the wall clock may jump: kernel stamps are taken from it.
	maxClockStepMs = 1.0
)

// clocks: can the stamps be trusted?
func clocks(s results.StepSummary) []results.Finding {
	var found []results.Finding
	if share := s.Corrected.MergedShare; share > maxMergedShare {
		found = append(found, limited(results.LevelWarning, CodeMergedStamps, share, maxMergedShare,
			"%s of the token events share their stamp with a neighbour and are known only as an interval (limit %s)",
			percent(share), percent(maxMergedShare)))
	}
	kernel, process := s.Clocks[results.ClockKernel], s.Clocks[results.ClockProcess]
	if kernel > 0 && process > 0 {
		found = append(found, limited(results.LevelWarning, CodeMixedClocks, float64(process), 0,
			"%d answers were stamped by the kernel and %d by the process", kernel, process))
	}
	if v := s.Client.ClockStepMs; v != nil && *v > maxClockStepMs {
		level, meaning := results.LevelNote, "durations are of the monotonic clock and stand"
		if kernel > 0 {
			level, meaning = results.LevelInvalid, "the kernel's stamps are taken from it"
		}
		found = append(found, limited(level, CodeClockStepped, *v, maxClockStepMs,
			"the wall clock jumped by %.4g ms in the window: %s", *v, meaning))
	}
	return found
}
