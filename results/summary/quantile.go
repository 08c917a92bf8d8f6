package summary

import "math"

// Percents are the percentiles of every distribution, in the order of tables.
var percents = []float64{0.50, 0.60, 0.70, 0.80, 0.90, 0.95, 0.99}

// percentNames are their names in results.Dist.Unbounded.
var percentNames = []string{"p50", "p60", "p70", "p80", "p90", "p95", "p99"}

// Quantile is the Hyndman-Fan type 7 quantile of values in rising order, which
// is numpy's default: h = q·(n−1), linear between the values around h. q is
// 0..1; there must be at least one value.
func Quantile[T int64 | float64](sorted []T, q float64) float64 {
	low, share := rank(len(sorted), q)
	if share == 0 {
		return float64(sorted[low])
	}
	return between(float64(sorted[low]), float64(sorted[low+1]), share)
}

// rank is the index below h and how far h is on the way to the next one.
func rank(n int, q float64) (low int, share float64) {
	h := q * float64(n-1)
	// A product that rounding has put a hair beside a whole rank is that rank: else the next value, which may be
	// unbounded, would have a say in it.
	if whole := math.Round(h); math.Abs(h-whole) < 1e-9 {
		h = whole
	}
	low = int(h)
	return low, h - float64(low)
}

// between goes from the nearer end, as numpy does, so that the last digits agree.
func between(a, b, share float64) float64 {
	if share < 0.5 {
		return a + (b-a)*share
	}
	return b - (b-a)*(1-share)
}
