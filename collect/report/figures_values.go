package report

import (
	"fmt"
	"math"
	"slices"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// curvePoints is how many points of a distribution or timeline are drawn: more
// can't be seen, and the page stays small.
const curvePoints = 160

// distributionFigures are the cumulative distributions of TTFT and TPOT, one
// curve a step, over all requests of the repeats that count.
func (d *Document) distributionFigures() []Figure {
	var out []Figure
	for _, q := range []struct {
		id, title, label string
		values           func(*read.StepValues) []float64
	}{
		{"ttft-distribution", "How long requests waited for the first token", "TTFT, ms", func(s *read.StepValues) []float64 { return s.TTFTMs }},
		{"tpot-distribution", "How long requests took per output token", "TPOT, ms", func(s *read.StepValues) []float64 { return s.TPOTMs }},
	} {
		f := Figure{ID: q.id, Title: q.title, Kind: FigureXY, X: Axis{Label: q.label, Log: true}, Y: Axis{Label: "share of requests", Zero: true, Max: ptr(1.0)}}
		for i := range d.Steps {
			s := &d.Steps[i]
			all := pooled(d.run, s, q.values)
			if len(all) == 0 {
				continue
			}
			scale := 0.5
			if len(d.Steps) > 1 {
				scale = float64(i) / float64(len(d.Steps)-1)
			}
			f.Series = append(f.Series, Series{Name: StepLabel(s.Step), Kind: SeriesLine, Scale: &scale, Points: cumulative(all)})
		}
		f.Alt = fmt.Sprintf("Cumulative distribution of %s, one curve for each of %d steps.", q.label, len(f.Series))
		out = append(out, f)
	}
	return out
}

func ptr[T any](v T) *T { return &v }

func pooled(run *read.Run, s *aggregate.Step, values func(*read.StepValues) []float64) []float64 {
	var all []float64
	for i := range run.Repeats {
		r := &run.Repeats[i]
		if r.Values != nil && r.Values.Steps[s.Step.Index] != nil && slices.Contains(s.Used, r.Index) {
			all = append(all, values(r.Values.Steps[s.Step.Index])...)
		}
	}
	slices.Sort(all)
	return all
}

// cumulative thins a distribution to quantiles, closer together in the tails.
func cumulative(sorted []float64) []Point {
	var out []Point
	n := min(len(sorted), curvePoints)
	for i := range n {
		p := 0.5
		if n > 1 {
			p = (1 - math.Cos(math.Pi*float64(i)/float64(n-1))) / 2
		}
		v := aggregate.Quantile(sorted, p)
		if v > 0 { // the axis is logarithmic
			out = append(out, Point{X: short(v), Y: short(p)})
		}
	}
	return out
}

// short drops digits that nobody sees, to keep the page small.
func short(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	scale := math.Pow(10, 4-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}

// timelineFigures are what each repeat went through: requests running and
// waiting, use of the KV cache and power over the time since its first window.
func (d *Document) timelineFigures() []Figure {
	var out []Figure
	for _, q := range []struct {
		id, title, label string
		of               func(results.Sample) (float64, bool)
		sum              bool
	}{
		{"in-flight", "Requests in flight", "requests", func(s results.Sample) (float64, bool) {
			if s.Client == nil {
				return 0, false
			}
			return float64(s.Client.InFlight), true
		}, false},
		{"waiting", "Requests waiting in the engine", "requests", func(s results.Sample) (float64, bool) {
			return server(s, func(v *results.ServerSample) *float64 { return v.Waiting })
		}, false},
		{"kv", "Use of the KV cache", "share", func(s results.Sample) (float64, bool) {
			return server(s, func(v *results.ServerSample) *float64 { return v.KVUsage })
		}, false},
		{"power", "Power of all GPUs", "W", func(s results.Sample) (float64, bool) {
			if s.GPU == nil || s.GPU.PowerW == nil {
				return 0, false
			}
			return *s.GPU.PowerW, true
		}, true},
	} {
		f := Figure{ID: q.id, Title: q.title + " over time", Kind: FigureXY, X: Axis{Label: "seconds since the first window opened"}, Y: Axis{Label: q.label, Zero: true}, Height: 220}
		for i := range d.run.Repeats {
			r := &d.run.Repeats[i]
			if r.Values == nil {
				continue
			}
			if points := timeline(r.Values.Timeline, q.of, q.sum); len(points) > 1 {
				f.Series = append(f.Series, Series{Name: fmt.Sprintf("repeat %d", r.Index), Kind: SeriesLine, Colour: len(f.Series), Step: true, Points: points})
			}
		}
		if len(f.Series) > 0 {
			f.Alt = fmt.Sprintf("%s of %d repeats over the time since their first window, a line each.", q.title, len(f.Series))
			out = append(out, f)
		}
	}
	return out
}

func server(s results.Sample, of func(*results.ServerSample) *float64) (float64, bool) {
	if s.Server == nil || of(s.Server) == nil {
		return 0, false
	}
	return *of(s.Server), true
}

// timeline takes one gauge out of the telemetry. Samples of one instant are
// added up where sum says so (several GPUs). Long ones are thinned to the
// largest value of each slice, so that no peak is lost.
func timeline(samples []results.Sample, of func(results.Sample) (float64, bool), sum bool) []Point {
	start := int64(-1)
	for _, s := range samples {
		if s.Step != nil && s.Step.Edge == results.EdgeOpen && s.Step.Index >= 0 {
			start = s.At
			break
		}
	}
	if start < 0 {
		return nil
	}
	var all []Point
	for _, s := range samples {
		v, ok := of(s)
		if !ok || s.At < start {
			continue
		}
		x := float64(s.At-start) / 1e6
		if n := len(all); sum && n > 0 && x-all[n-1].X < 0.2 {
			all[n-1].Y += v
			continue
		}
		all = append(all, Point{X: x, Y: v})
	}
	if len(all) > 2*curvePoints {
		all = thin(all, 2*curvePoints)
	}
	for i := range all {
		all[i].X, all[i].Y = math.Round(all[i].X*10)/10, short(all[i].Y)
	}
	return all
}

func thin(all []Point, n int) []Point {
	out := make([]Point, 0, n)
	for i := range n {
		part := all[i*len(all)/n : (i+1)*len(all)/n]
		peak := part[0]
		for _, p := range part {
			if p.Y > peak.Y {
				peak.Y = p.Y
			}
		}
		out = append(out, peak)
	}
	return out
}
