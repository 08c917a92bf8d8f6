package summary

import (
	"math"
	"slices"

	"hpcbench/results"
)

// values gathers one duration over requests, in microseconds or, where that is
// too coarse, nanoseconds. Those of requests that never got there are counted
// as unbounded: longer than any.
type values struct {
	all       []int64
	unbounded int
	nano      bool
}

func (v *values) add(x int64) { v.all = append(v.all, x) }

// ms turns a value into milliseconds.
func (v *values) ms(x float64) *float64 {
	if v.nano {
		return ptr(x / 1e6)
	}
	return ms(x)
}

// dist sorts what was gathered and gives its distribution in milliseconds.
func (v *values) dist() results.Dist {
	slices.Sort(v.all)
	d := results.Dist{N: len(v.all) + v.unbounded}
	finite := len(v.all)
	if d.N == 0 {
		return d
	}
	for i, q := range percents {
		low, share := rank(d.N, q)
		high := low
		if share > 0 {
			high = low + 1
		}
		if high >= finite {
			d.Unbounded = append(d.Unbounded, percentNames[i])
			continue
		}
		*percentile(&d, i) = v.ms(between(float64(v.all[low]), float64(v.all[high]), share))
	}
	if finite > 0 {
		d.Min = v.ms(float64(v.all[0]))
	}
	if low, high, ok := p95Ranks(d.N); ok {
		if low < finite {
			d.P95Lower = v.ms(float64(v.all[low]))
		}
		if high < finite {
			d.P95Upper = v.ms(float64(v.all[high]))
		}
	}
	if v.unbounded > 0 {
		d.Unbounded = append(d.Unbounded, "max")
		if finite > 0 {
			d.Over = v.ms(float64(v.all[finite-1]))
		}
		return d
	}
	d.Max = v.ms(float64(v.all[finite-1]))
	var sum int64
	for _, x := range v.all {
		sum += x
	}
	mean := float64(sum) / float64(finite)
	d.Mean = v.ms(mean)
	if finite > 1 {
		var squares float64
		for _, x := range v.all {
			squares += (float64(x) - mean) * (float64(x) - mean)
		}
		d.SD = v.ms(math.Sqrt(squares / float64(finite-1)))
	}
	return d
}

// percentile is the field of the i-th of percents.
func percentile(d *results.Dist, i int) **float64 {
	return []**float64{&d.P50, &d.P60, &d.P70, &d.P80, &d.P90, &d.P95, &d.P99}[i]
}

// ms turns microseconds into milliseconds behind a pointer.
func ms(us float64) *float64 {
	v := us / 1000
	return &v
}

func ptr[T any](v T) *T { return &v }
