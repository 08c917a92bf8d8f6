package summary

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"hpcbench/results"
)

// inFlight is what was open at once in a window: sent and not ended.
type inFlight struct {
	mean  float64
	max   int
	atEnd int
	rise  *float64 // requests/s each second: least squares over the second half
	riseP *float64
}

// never is the end of a request that hasn't ended.
const never = math.MaxInt64

// span is when a request was in flight; ok is false where it was never sent.
func span(r *results.Record) (from, to int64, ok bool) {
	if r.TSend == 0 || r.Outcome == results.OutcomeDropped {
		return 0, 0, false
	}
	if r.TEnd == 0 {
		return r.TSend, never, true
	}
	return r.TSend, r.TEnd, true
}

// measureInFlight takes all records that may overlap the window.
func measureInFlight(records []*results.Record, w *window, requestUs float64) inFlight {
	var f inFlight
	if w.to <= w.from {
		return f
	}
	var starts, ends []int64
	var area float64
	for _, r := range records {
		from, to, ok := span(r)
		if !ok || from >= w.to || to < w.from {
			continue
		}
		area += float64(min(to, w.to) - max(from, w.from))
		starts = append(starts, max(from, w.from))
		if to >= w.to {
			f.atEnd++
		} else {
			ends = append(ends, to)
		}
	}
	f.mean = area / float64(w.to-w.from)
	slices.Sort(starts)
	slices.Sort(ends)
	for open, e := 0, 0; len(starts) > 0; starts = starts[1:] {
		for e < len(ends) && ends[e] <= starts[0] {
			e++
			open--
		}
		open++
		f.max = max(f.max, open)
	}

	// Blocks shorter than a request would hold the same requests again and again.
	half := w.from + (w.to-w.from)/2
	blocks := min(max(int(float64(w.to-half)/max(requestUs/2, 1)), minBlocks), maxBlocks)
	f.rise = slope(blockMeans(records, half, w.to, blocks), float64(w.to-half)/1e6/float64(blocks))
	f.riseP = driftP(openAt(records, half, w.to, blocks))
	return f
}

const (
	minBlocks = 8
	maxBlocks = 30
)

// blockMeans are the time averages of requests in flight over equal blocks.
func blockMeans(records []*results.Record, from, to int64, blocks int) []float64 {
	means := make([]float64, blocks)
	width := float64(to-from) / float64(blocks)
	if width < 1 {
		return nil
	}
	for _, r := range records {
		a, b, ok := span(r)
		if !ok || a >= to || b <= from {
			continue
		}
		left, right := float64(max(a, from)-from), float64(min(b, to)-from)
		for i := int(left / width); i < blocks && float64(i)*width < right; i++ {
			means[i] += max(0, min(right, float64(i+1)*width)-max(left, float64(i)*width)) / width
		}
	}
	return means
}

// openAt is how many requests are open at the edges of equal blocks.
func openAt(records []*results.Record, from, to int64, blocks int) []float64 {
	open := make([]float64, blocks+1)
	width := float64(to-from) / float64(blocks)
	if width < 1 {
		return nil
	}
	for _, r := range records {
		a, b, ok := span(r)
		if !ok || a >= to || b <= from {
			continue
		}
		first := int(math.Ceil(float64(a-from) / width))
		for i := max(first, 0); i <= blocks && float64(b-from) > float64(i)*width; i++ {
			open[i]++
		}
	}
	return open
}

// slope is the rise per second of the line through values step seconds apart.
func slope(values []float64, step float64) *float64 {
	n := float64(len(values))
	if n < 3 || step <= 0 {
		return nil
	}
	middle := (n - 1) / 2
	var sxx, sxy float64
	for i, y := range values {
		x := float64(i) - middle
		sxx += x * x
		sxy += x * y
	}
	return ptr(sxy / sxx / step)
}

// driftP is the two-sided p of Student's t test that the steps from value to
// value have a mean of 0. A queue near its capacity wanders without a drift:
// fitting a line through it would call one walk in five a trend, its steps
// tell the two apart.
func driftP(values []float64) *float64 {
	n := float64(len(values) - 1)
	if n < 3 {
		return nil
	}
	mean := (values[len(values)-1] - values[0]) / n
	var squares float64
	for i := 1; i < len(values); i++ {
		d := values[i] - values[i-1] - mean
		squares += d * d
	}
	se := math.Sqrt(squares / (n - 1) / n)
	switch {
	case mean == 0:
		return ptr(1.0)
	case se == 0:
		return ptr(0.0)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	return ptr(2 * t.Survival(math.Abs(mean)/se))
}
