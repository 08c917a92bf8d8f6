package plans

import (
	"fmt"
	"math"

	"hpcbench/results"
)

// capacity searches the knee: one request at a time as the baseline, then
// rising levels until one doesn't pass, then the bracket between the last that
// passes and the first that doesn't is halved until it is at most BracketShare
// wide. Both ends of the bracket are run again with MinDecidingRequests where
// they had fewer. The bounds and verdicts are results.FindKnee's, so that
// collect sees the search as it was.
func capacity(p results.Plan) Stepper {
	return func(done []results.StepSummary) (results.Step, bool) {
		s, ok := nextLevel(p, done)
		s.Index = len(done)
		return s, ok
	}
}

func nextLevel(p results.Plan, done []results.StepSummary) (results.Step, bool) {
	c := p.Capacity
	if len(done) == 0 {
		n := c.MinRequests
		if c.RelativeToOne > 0 {
			n = c.MinDecidingRequests // all bounds follow from it
		}
		return closedLevel(p, 1, n, results.CapacityBaseline), true
	}
	k := results.FindKnee(p, done)
	above := ladder(p, done)
	if k.FirstFailing == nil || undecided(k) {
		for _, at := range above {
			if at > highest(k) {
				return levelStep(p, at, c.MinRequests, results.CapacityLevel), true
			}
		}
	}
	if k.FirstFailing == nil {
		return results.Step{}, false
	}
	for _, end := range []float64{k.MaxPassing, *k.FirstFailing} {
		if l, ok := find(k, end); ok && !l.Decided && !tried(done, end, results.CapacityRefine) {
			return levelStep(p, end, c.MinDecidingRequests, results.CapacityRefine), true
		}
	}
	if mid, ok := between(c, k.MaxPassing, *k.FirstFailing); ok {
		return levelStep(p, mid, c.MinDecidingRequests, results.CapacityRefine), true
	}
	return results.Step{}, false
}

// undecided says that from the first level which doesn't pass on all had too
// few requests: a slow server ends few of a single stream's in a window, and more
// of the next level's.
func undecided(k results.Knee) bool {
	for _, l := range k.Levels {
		if l.At >= *k.FirstFailing && !l.TooFew() {
			return false
		}
	}
	return true
}

// between is the level in the middle of a bracket, and false where the bracket
// is narrow enough or nothing lies inside it. Rates are halved on the
// logarithm and kept to three digits.
func between(c *results.CapacityPlan, pass, fail float64) (float64, bool) {
	if pass == 0 || (fail-pass)/pass <= c.BracketShare {
		return 0, false
	}
	var mid float64
	if c.Loop == results.LoopOpen {
		mid = threeDigits(math.Sqrt(pass * fail))
	} else {
		mid = math.Floor((pass + fail) / 2)
	}
	return mid, mid > pass && mid < fail
}

// ladder is the rising levels: the plan's, else doubled up to MaxLevel. Open
// loops double from the rate that one stream reached.
func ladder(p results.Plan, done []results.StepSummary) []float64 {
	c := p.Capacity
	var levels []float64
	if c.Loop == results.LoopOpen {
		rate := done[0].Corrected.AchievedPerS
		if len(p.RatesPerS) > 0 {
			return p.RatesPerS
		}
		for range 24 {
			if !(rate > 0) {
				break
			}
			levels = append(levels, threeDigits(rate))
			rate *= 2
		}
		return levels
	}
	if len(p.Levels) > 0 {
		for _, n := range p.Levels {
			levels = append(levels, float64(n))
		}
		return levels
	}
	for n := 2; n < c.MaxLevel; n *= 2 {
		levels = append(levels, float64(n))
	}
	return append(levels, float64(c.MaxLevel))
}

func highest(k results.Knee) float64 {
	if len(k.Levels) == 0 {
		return 0
	}
	return k.Levels[len(k.Levels)-1].At
}

func find(k results.Knee, at float64) (results.Level, bool) {
	for _, l := range k.Levels {
		if l.At == at {
			return l, true
		}
	}
	return results.Level{}, false
}

// tried says whether a level was already run with the deciding number of
// requests, though its time may have ended before they were sent.
func tried(done []results.StepSummary, at float64, phase string) bool {
	for _, s := range done {
		if s.Step.Phase == phase && (float64(s.Step.Streams) == at || s.Step.RatePerS == at) {
			return true
		}
	}
	return false
}

func levelStep(p results.Plan, at float64, requests int, phase string) results.Step {
	if p.Capacity.Loop == results.LoopOpen {
		return openLevel(p, at, requests, phase)
	}
	return closedLevel(p, int(at), requests, phase)
}

// closedLevel holds a level for the requests asked for (and at least eight a
// stream), and at most DurationS, or as many times that as the requests are of
// MinRequests.
func closedLevel(p results.Plan, streams, requests int, phase string) results.Step {
	c := p.Capacity
	return results.Step{
		ID:          fmt.Sprintf("%s@%d", phase, streams),
		Loop:        results.LoopClosed,
		Streams:     streams,
		WarmupS:     p.Warmup.PerStepS,
		DurationS:   p.DurationS * longer(c, requests),
		MaxRequests: max(requests, 8*streams),
		ReissueMs:   c.ReissueMs,
		Phase:       phase,
	}
}

// openLevel runs a rate for DurationS, and longer where that has fewer than the
// requests asked for.
func openLevel(p results.Plan, rate float64, requests int, phase string) results.Step {
	return results.Step{
		ID:          fmt.Sprintf("%s@%greq/s", phase, rate),
		Loop:        results.LoopOpen,
		Arrival:     arrivalPoisson,
		RatePerS:    rate,
		MaxInFlight: p.Capacity.MaxLevel,
		WarmupS:     p.Warmup.PerStepS,
		// A tenth more than the mean, so that a drawn schedule rarely has fewer.
		DurationS: max(p.DurationS, 1.1*float64(requests)/rate),
		Phase:     phase,
	}
}

func longer(c *results.CapacityPlan, requests int) float64 {
	if c.MinRequests <= 0 {
		return 1
	}
	return max(1, float64(requests)/float64(c.MinRequests))
}

func threeDigits(v float64) float64 {
	if v <= 0 {
		return v
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(v)))
	return math.Round(v*scale) / scale
}
