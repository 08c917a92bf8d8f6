package summary

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"hpcbench/results"
	"hpcbench/results/judge"
)

func poissonArrivals(rng *rand.Rand, ratePerS, durationS float64) []int64 {
	var all []int64
	for t := rng.ExpFloat64() / ratePerS; t < durationS; t += rng.ExpFloat64() / ratePerS {
		all = append(all, int64(t*1e6))
	}
	return all
}

const seeds = 20

// The rule as a whole, against servers that can do 20 requests/s at a second each.
func TestOpenLoopsThatKeepUpAreValid(t *testing.T) {
	server := simServer{ttftUs: 50_000, gapUs: 9_500, tokens: 101, slots: 20}
	slow := simServer{ttftUs: 20_000, gapUs: 800, tokens: 101, slowingPerS: 0.05}
	for name, c := range map[string]struct {
		server    simServer
		rate, s   float64
		poisson   bool
		saturated [2]int // least and most of the seeds
		unsteady  [2]int
	}{
		"half full":                  {server, 10, 120, true, [2]int{0, 1}, [2]int{0, 0}},
		"nearly full, wandering":     {server, 19, 120, true, [2]int{0, 2}, [2]int{0, 0}},
		"at its limit":               {server, 19.8, 60, true, [2]int{0, 2}, [2]int{0, 0}},
		"a tenth of a short window":  {server, 2, 15, true, [2]int{0, 2}, [2]int{0, 0}},
		"a fifth too much":           {server, 24, 120, true, [2]int{seeds * 9 / 10, seeds}, [2]int{0, 0}},
		"constant, nearly full":      {server, 19.9, 120, false, [2]int{0, 0}, [2]int{0, 0}},
		"constant, 5 % too much":     {server, 21, 120, false, [2]int{seeds, seeds}, [2]int{0, 0}},
		"constant, four times":       {server, 80, 30, false, [2]int{seeds, seeds}, [2]int{0, 0}},
		"constant, slowing down":     {slow, 100, 120, false, [2]int{0, 0}, [2]int{seeds, seeds}},
		"constant, ever in the ramp": {simServer{ttftUs: 50_000, gapUs: 300_000, tokens: 101}, 5, 20, false, [2]int{seeds, seeds}, [2]int{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := map[string]int{}
			for seed := range uint64(seeds) {
				arrivals := every(c.rate, c.s)
				if c.poisson {
					arrivals = poissonArrivals(rand.New(rand.NewPCG(seed, 9)), c.rate, c.s)
				}
				for _, f := range Compute(simAttempt(c.server, simStep{durationS: c.s, arrivals: arrivals})).Steps[0].Findings {
					n[f.Code]++
				}
				if !c.poisson { // every seed is the same
					for code := range n {
						n[code] = seeds
					}
					break
				}
			}
			for code, want := range map[string][2]int{judge.CodeSaturated: c.saturated, judge.CodeUnsteady: c.unsteady} {
				if n[code] < want[0] || n[code] > want[1] {
					t.Errorf("%s in %d of the seeds, want %d to %d", code, n[code], want[0], want[1])
				}
			}
		})
	}
}

// heldAttempt holds streams for 30 s; gapAt gives the gap (µs) at an instant.
func heldAttempt(streams, tokens int, ttftUs int64, gapAt func(t int64) int64) Input {
	in := Input{Attempt: results.Attempt{State: results.StateComplete}}
	const from, to = 1_000_000, 31_000_000
	for stream := range streams {
		for t := int64(from) - 3_000_000 + int64(stream)*10_000; t < to; {
			s := simServer{ttftUs: ttftUs, gapUs: gapAt(t), tokens: tokens}
			r := results.Record{Seq: len(in.Records), Stream: stream, Phase: results.PhaseWindow}
			if t < from {
				r.Phase = results.PhaseStepWarmup
			}
			s.answer(&r, t, t)
			r.TIntended = r.TSend
			in.Records = append(in.Records, r)
			t = r.TEnd + 50
		}
	}
	step := &results.Step{ID: fmt.Sprintf("concurrency@%d", streams), Loop: results.LoopClosed, Streams: streams, DurationS: 30}
	for _, e := range []results.StepSample{{Edge: results.EdgeBegin, Step: step}, {Edge: results.EdgeOpen},
		{Edge: results.EdgeClose, StreamSecondsHeld: 29.9 * float64(streams)}, {Edge: results.EdgeDrained}} {
		at := map[string]int64{results.EdgeBegin: from - 3_000_000, results.EdgeOpen: from, results.EdgeClose: to, results.EdgeDrained: to + 9_000_000}[e.Edge]
		in.Samples = append(in.Samples, results.Sample{At: at, Kind: results.SampleStep, Step: &e})
	}
	return in
}

func TestHeldLoopsMustBeSteady(t *testing.T) {
	even := func(int64) int64 { return 10_000 }
	for name, c := range map[string]struct {
		in     Input
		steady bool
	}{
		"even":           {heldAttempt(8, 200, 50_000, even), true},
		"one stream":     {heldAttempt(1, 200, 50_000, even), true},
		"long prompts":   {heldAttempt(2, 50, 3_000_000, even), true},
		"in lockstep":    {heldAttempt(4, 400, 900_000, even), true},
		"a third slower": {heldAttempt(8, 100, 50_000, func(t int64) int64 { return 10_000 + max(0, t-24_000_000)/1400 }), false},
		"stops for 4 s": {heldAttempt(8, 100, 50_000, func(t int64) int64 {
			return map[bool]int64{true: 40_000, false: 10_000}[t > 20_000_000 && t < 24_000_000]
		}), false},
		"slow at the outset": {heldAttempt(8, 100, 50_000, func(t int64) int64 { return max(10_000, 22_000-t/1000) }), true},
	} {
		s := Compute(c.in).Steps[0]
		found := slices.ContainsFunc(s.Findings, func(f results.Finding) bool { return f.Code == judge.CodeUnsteady })
		if found == c.steady {
			t.Errorf("%s: slices %.4v, findings %s", name, s.Corrected.SlicesPerS, codes(s.Findings))
		}
		if c.steady && results.Invalid(s.Findings) {
			t.Errorf("%s: %s", name, codes(s.Findings))
		}
	}
}
