package summary

import (
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// intervalFrom is the least number of values that has a two-sided 95 % interval
// of its 95th percentile: 1 − 0.95^n must be at least 0.975.
const intervalFrom = 72

// p95Ranks are the ranks (from 0) of the order statistics that enclose the
// 95th percentile with 95 % confidence, at most 2.5 % beyond each: how many of
// n values lie below the percentile is binomial.
func p95Ranks(n int) (low, high int, ok bool) {
	if n < intervalFrom {
		return 0, 0, false
	}
	below := distuv.Binomial{N: float64(n), P: 0.95}
	// The value of rank r (from 1) lies above the percentile with the probability that at most r−1 lie below it.
	low = sort.Search(n, func(k int) bool { return below.CDF(float64(k)) > 0.025 }) - 1
	high = sort.Search(n, func(k int) bool { return below.CDF(float64(k)) >= 0.975 })
	return max(low, 0), min(high, n-1), true
}
