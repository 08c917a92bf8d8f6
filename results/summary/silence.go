package summary

import (
	"cmp"
	"slices"

	"hpcbench/results"
)

// pulseCount is in how many parts a window is cut to see whether tokens kept coming.
const pulseCount = 64

// minSilenceUs: shorter pauses are every prompt's.
const minSilenceUs = 1_000_000

// silence is the longest time of the window, in seconds, in which no token arrived
// though a request was open at every moment of it: an engine that stands still behind
// a server that still answers. Its resolution is a part of the window; less than a second is none.
func silence(pulse []float64, touching []*results.Record, w *window) float64 {
	if len(pulse) == 0 {
		return 0
	}
	width := float64(w.to-w.from) / float64(len(pulse))
	at := func(i int) int64 { return w.from + int64(float64(i)*width) }
	longest := int64(0)
	for i := 0; i < len(pulse); {
		j := i
		for j < len(pulse) && pulse[j] == 0 {
			j++
		}
		if at(j)-at(i) > longest {
			longest = max(longest, covered(touching, at(i), at(j)))
		}
		i = max(j, i+1)
	}
	if longest < minSilenceUs {
		return 0
	}
	return float64(longest) / 1e6
}

// covered is the longest part of [from, to) in which requests were open without a break.
func covered(records []*results.Record, from, to int64) int64 {
	type stretch struct{ from, to int64 }
	var open []stretch
	for _, r := range records {
		if a, b, ok := span(r); ok && a < to && b > from {
			open = append(open, stretch{max(a, from), min(b, to)})
		}
	}
	slices.SortFunc(open, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	longest, begun, end := int64(0), int64(0), int64(-1)
	for _, s := range open {
		if s.from > end {
			begun = s.from
		}
		end = max(end, s.to)
		longest = max(longest, end-begun)
	}
	return longest
}
