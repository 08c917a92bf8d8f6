package report

import (
	"fmt"
	"slices"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/results"
)

// loadAxis is what a plan's steps go along: its rates or numbers of streams.
func loadAxis(t *aggregate.Table) (label string, at func(results.Step) (float64, bool)) {
	for i := range t.Steps {
		if t.Steps[i].Step.RatePerS > 0 {
			return "requests/s asked for", func(s results.Step) (float64, bool) { return s.RatePerS, s.RatePerS > 0 && s.Arm == "" }
		}
	}
	return "streams", func(s results.Step) (float64, bool) {
		return float64(s.Streams), s.Streams > 0 && s.Phase != "prefill" && s.Arm == ""
	}
}

// curve is a metric over the load: a line through the means, a band for their
// 95 % intervals, and a dot for each repeat.
func curve(t *aggregate.Table, name, metric string, scale float64, colour int, at func(results.Step) (float64, bool)) []Series {
	line := Series{Name: name, Kind: SeriesLine, Colour: colour}
	band := Series{Name: name, Kind: SeriesBand, Colour: colour}
	dots := Series{Name: name, Kind: SeriesDots, Colour: colour}
	for i := range t.Steps {
		s := &t.Steps[i]
		x, ok := at(s.Step)
		e, has := s.Estimate(metric)
		if !ok || !has {
			continue
		}
		for _, r := range e.Raw {
			if !r.Unbounded {
				dots.Points = append(dots.Points, Point{X: x, Y: r.Value * scale, Label: fmt.Sprintf("repeat %d", r.Repeat)})
			}
		}
		if e.Mean == nil {
			continue
		}
		p := Point{X: x, Y: *e.Mean * scale, Label: StepLabel(s.Step)}
		if e.Low != nil {
			low, high := max(0, *e.Low*scale), *e.High*scale
			p.Low, p.High = &low, &high
			band.Points = append(band.Points, Point{X: x, Y: p.Y, Low: &low, High: &high})
		}
		line.Points = append(line.Points, p)
	}
	return []Series{band, line, dots}
}

// curveKey explains curve's figures.
const curveKey = "Line: mean of the repeats. Band: its 95 % interval. Hollow dots: each repeat."

// loads are the ticks of a load axis: the loads themselves, where they are few.
func loads(t *aggregate.Table, at func(results.Step) (float64, bool)) []float64 {
	var out []float64
	for i := range t.Steps {
		if x, ok := at(t.Steps[i].Step); ok && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	if len(out) > 12 {
		return nil
	}
	slices.Sort(out)
	return out
}

// loadFigures are latency and throughput over the load, and against each other.
func (d *Document) loadFigures() []Figure {
	t := &d.Table
	label, at := loadAxis(t)
	set, ttft, tpot, e2e, tokens := "corrected", "corrected.ttft_ms", "corrected.tpot_ms", "corrected.e2e_ms", "corrected.output_tokens_per_s"
	median, tail := ".p50", ".p95"
	if !has(t, ttft+median) {
		set, ttft, tpot, e2e, tokens = "compat", "compat.ttft_ms", "compat.itl_ms", "compat.e2e_ms", "compat.output_tokens_per_s"
	}
	var out []Figure
	for _, q := range []struct{ id, title, metric, unit string }{{"ttft", "Time to first token", ttft, "ms"}, {"tpot", "Time per output token", tpot, "ms"}, {"e2e", "End to end latency", e2e, "ms"}} {
		f := Figure{ID: q.id, Title: q.title + " over load (" + set + ")", Kind: FigureXY, Key: curveKey, X: Axis{Label: label, Log: logarithmic(t, at), Ticks: loads(t, at)}, Y: Axis{Label: q.unit, Log: wide(t, q.metric)}}
		f.Y.Zero = !f.Y.Log
		f.Series = append(f.Series, curve(t, "median", q.metric+median, 1, 0, at)...)
		f.Series = append(f.Series, curve(t, "p95", q.metric+tail, 1, 1, at)...)
		f.Alt = curveAlt(q.title, label, t, q.metric+median, at)
		out = append(out, f)
	}
	through := Figure{ID: "throughput", Title: "Throughput over load (" + set + ")", Kind: FigureXY, Key: curveKey, X: Axis{Label: label, Log: logarithmic(t, at), Ticks: loads(t, at)}, Y: Axis{Label: "output tokens/s", Zero: true}}
	through.Series = curve(t, "output tokens/s", tokens, 1, 2, at)
	through.Alt = curveAlt("Output tokens per second", label, t, tokens, at)
	out = append(out, through, against(t, tokens, ttft+tail, at))
	return out
}

func has(t *aggregate.Table, metric string) bool {
	for i := range t.Steps {
		if _, ok := t.Steps[i].Estimate(metric); ok {
			return true
		}
	}
	return false
}

// against is throughput against latency, a point a step, in the order of load.
func against(t *aggregate.Table, throughput, latency string, at func(results.Step) (float64, bool)) Figure {
	f := Figure{ID: "tradeoff", Title: "Throughput against TTFT p95", Kind: FigureXY, X: Axis{Label: "output tokens/s", Zero: true}, Y: Axis{Label: "TTFT p95, ms", Log: wide(t, latency)}}
	f.Y.Zero = !f.Y.Log
	line := Series{Name: "steps in the order of load", Kind: SeriesLine, Colour: 3}
	for i := range t.Steps {
		s := &t.Steps[i]
		if _, ok := at(s.Step); !ok {
			continue
		}
		x, okX := s.Estimate(throughput)
		y, okY := s.Estimate(latency)
		if okX && okY && x.Mean != nil && y.Mean != nil {
			line.Points = append(line.Points, Point{X: *x.Mean, Y: *y.Mean, Label: StepLabel(s.Step)})
		}
	}
	f.Series = []Series{line}
	f.Alt = "Each point is one step: how many tokens a second it gave and how long the slowest 5 % waited for the first token."
	return f
}

// wide says that a metric spans so much that a logarithmic axis shows it better.
func wide(t *aggregate.Table, metric string) bool {
	low, high := 0.0, 0.0
	for i := range t.Steps {
		for _, m := range []string{metric, metric + ".p50", metric + ".p95"} {
			if e, ok := t.Steps[i].Estimate(m); ok && e.Mean != nil && *e.Mean > 0 {
				if low == 0 || *e.Mean < low {
					low = *e.Mean
				}
				high = max(high, *e.Mean)
			}
		}
	}
	return low > 0 && high/low > 20
}

// logarithmic says that the loads grow by a factor rather than by a step.
func logarithmic(t *aggregate.Table, at func(results.Step) (float64, bool)) bool {
	low, high := 0.0, 0.0
	for i := range t.Steps {
		if x, ok := at(t.Steps[i].Step); ok && x > 0 {
			if low == 0 || x < low {
				low = x
			}
			high = max(high, x)
		}
	}
	return low > 0 && high/low > 4
}

// curveAlt tells a curve in words.
func curveAlt(what, label string, t *aggregate.Table, metric string, at func(results.Step) (float64, bool)) string {
	m, _ := aggregate.MetricByName(metric)
	var words []string
	for i := range t.Steps {
		x, ok := at(t.Steps[i].Step)
		e, has := t.Steps[i].Estimate(metric)
		if ok && has && e.Mean != nil {
			words = append(words, fmt.Sprintf("%s at %s", Number(*e.Mean, 3), Rate(x)))
		}
	}
	if len(words) == 0 {
		return what + ": no figures."
	}
	unit := m.Unit
	if unit != "" {
		unit = " in " + unit
	}
	return fmt.Sprintf("%s%s (%s) by %s: %s.", what, unit, m.Label, label, strings.Join(words, ", "))
}
