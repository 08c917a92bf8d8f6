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
// requestUs is how long a typical request takes: the slope is judged on block
// means of twice that, since requests in flight at two instants closer than
// that are partly the same ones and would make any wobble look significant.
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

	half := w.from + (w.to-w.from)/2
	blocks := int(float64(w.to-half) / max(2*requestUs, 1))
	blocks = min(max(blocks, 4), 30)
	means := blockMeans(records, half, w.to, blocks)
	f.rise, f.riseP = slope(means, float64(w.to-half)/1e6/float64(blocks))
	return f
}

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

// slope fits a line through values that are step seconds apart, and gives the
// two-sided p of Student's t test against no slope.
func slope(values []float64, step float64) (perS, p *float64) {
	n := float64(len(values))
	if n < 3 || step <= 0 {
		return nil, nil
	}
	var meanY float64
	for _, y := range values {
		meanY += y / n
	}
	middle := (n - 1) / 2
	var sxx, sxy float64
	for i, y := range values {
		x := float64(i) - middle
		sxx += x * x
		sxy += x * (y - meanY)
	}
	b := sxy / sxx
	var rest float64
	for i, y := range values {
		d := y - meanY - b*(float64(i)-middle)
		rest += d * d
	}
	se := math.Sqrt(rest / (n - 2) / sxx)
	switch {
	case b == 0:
		p = ptr(1.0)
	case se == 0:
		p = ptr(0.0)
	default:
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 2}
		p = ptr(2 * t.Survival(math.Abs(b)/se))
	}
	return ptr(b / step), p
}
