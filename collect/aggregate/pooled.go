package aggregate

import (
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"

	"hpcbench/collect/read"
)

// Percentile is one percentile of all requests of a step, pooled over repeats.
type Percentile struct {
	P         float64  `json:"p"`               // 0..1
	Value     *float64 `json:"value,omitempty"` // nil where unbounded, or where n is too small to state it
	Unbounded bool     `json:"unbounded,omitempty"`
	// Low and High are a 95 % interval by order statistics, only where n allows one.
	Low  *float64 `json:"low_95,omitempty"`
	High *float64 `json:"high_95,omitempty"`
}

// Pooled is the distribution of one quantity over all requests of the used
// repeats. Requests inside a repeat are correlated, so these intervals are
// too narrow for a statement about another repeat: that is the estimate's.
type Pooled struct {
	Quantity    string       `json:"quantity"` // "ttft_ms", "tpot_ms", "e2e_ms"
	N           int          `json:"n"`        // with the unbounded ones
	Unbounded   int          `json:"unbounded,omitempty"`
	Over        *float64     `json:"over,omitempty"` // the largest finished value: an unbounded percentile is "> over"
	Percentiles []Percentile `json:"percentiles"`
}

// Pooled percentiles and the smallest n from which a point is stated.
var pooledPoints = []struct {
	p    float64
	minN int
}{{0.50, 2}, {0.90, 10}, {0.95, 20}, {0.99, 100}}

// Pool makes the pooled percentiles of finished values of several repeats and a
// count of unbounded ones, which stand above all finished values.
func Pool(quantity string, parts [][]float64, unbounded int) Pooled {
	var all []float64
	for _, p := range parts {
		all = append(all, p...)
	}
	slices.Sort(all)
	out := Pooled{Quantity: quantity, N: len(all) + unbounded, Unbounded: unbounded}
	if len(all) > 0 {
		out.Over = &all[len(all)-1]
	}
	for _, pt := range pooledPoints {
		out.Percentiles = append(out.Percentiles, percentile(all, out.N, pt.p, pt.minN))
	}
	return out
}

func percentile(sorted []float64, n int, p float64, minN int) Percentile {
	out := Percentile{P: p}
	if n < minN || n == 0 {
		return out
	}
	h := p * float64(n-1)
	lo := int(h)
	up := min(lo+1, n-1)
	if up < len(sorted) || lo < len(sorted) && h == float64(lo) {
		v := sorted[lo]
		if up < len(sorted) {
			v += (h - float64(lo)) * (sorted[up] - sorted[lo])
		}
		out.Value = &v
	} else {
		out.Unbounded = true
	}
	if l, u, ok := Ranks(n, p); ok && l <= len(sorted) {
		out.Low = &sorted[l-1]
		if u <= len(sorted) {
			out.High = &sorted[u-1]
		}
	}
	return out
}

// Ranks are the order statistics (1-based) that bound the p-th quantile with at
// least 95 % coverage, 2.5 % on each side, from the binomial distribution.
// False where n is too small for an interval: p95 needs 72, p99 368.
func Ranks(n int, p float64) (low, high int, ok bool) {
	b := distuv.Binomial{N: float64(n), P: p}
	// P(X_(low) > q) = P(Bin < low) ≤ 0.025, P(X_(high) < q) = P(Bin ≥ high) ≤ 0.025
	low = sort.Search(n+1, func(k int) bool { return b.CDF(float64(k)) > 0.025 })
	high = 1 + sort.Search(n+1, func(k int) bool { return b.CDF(float64(k)) >= 0.975 })
	return low, high, low >= 1 && high <= n
}

// pool gathers the values of one step over the used repeats.
func pool(run *read.Run, index int, used map[int]bool) []Pooled {
	var ttft, tpot, e2e [][]float64
	openTTFT, openE2E := 0, 0
	for i := range run.Repeats {
		r := &run.Repeats[i]
		if !used[r.Index] || r.Values == nil || r.Values.Steps[index] == nil {
			continue
		}
		s := r.Values.Steps[index]
		ttft, tpot, e2e = append(ttft, s.TTFTMs), append(tpot, s.TPOTMs), append(e2e, s.E2EMs)
		openTTFT += s.OpenTTFT
		openE2E += s.OpenE2E
	}
	if len(ttft) == 0 {
		return nil
	}
	return []Pooled{Pool("ttft_ms", ttft, openTTFT), Pool("tpot_ms", tpot, 0), Pool("e2e_ms", e2e, openE2E)}
}
