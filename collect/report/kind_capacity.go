package report

import (
	"fmt"
	"strconv"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/results"
)

// capacityGrid is the method's table: a row a level.
func capacityGrid(k *aggregate.Knee, t *aggregate.Table) Grid {
	head := "streams"
	if k.Loop == results.LoopOpen {
		head = "requests/s"
	}
	g := Grid{ID: "capacity", Title: "Capacity: " + k.Words(), Over: heading(t),
		Columns: []Column{right(head), right("TTFT ms"), right("each tok/s"), right("p95 E2E s"), right("tok/s"), right("shed"), right("sent"), left("verdict")}}
	for _, l := range k.Levels {
		s := levelStep(t, k.Loop, l.At)
		row := []Cell{word(Rate(l.At)), word(none), word(none), cellOf(l.P95E2EMs, 1e-3), word(none), word(none), word(strconv.Itoa(l.Requests)), levelCell(l)}
		if s != nil {
			if e, ok := s.Estimate(ttftMetric(t)); ok {
				row[1] = cellOf(e, 1)
			}
			if e, ok := s.Estimate("corrected.tpot_ms.p50"); ok && e.Mean != nil && *e.Mean > 0 {
				row[2] = word(Number(1000 / *e.Mean, 3))
			}
			if e, ok := s.Estimate("corrected.output_tokens_per_s"); ok {
				row[4] = cellOf(e, 1)
			}
			row[5] = shareCell(s, "corrected.shed_share")
		}
		g.Rows = append(g.Rows, row)
	}
	if k.LimitE2EMs > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("a level passes where the 95 %% upper bound of its p95 E2E is at most %s s, and few enough are shed", Number(k.LimitE2EMs/1000, 3)))
	}
	g.Notes = append(g.Notes, "verdict: how many of the repeats pass the level; it counts as passed where all do")
	var each []string
	for _, r := range k.PerRepeat {
		each = append(each, Rate(r.Knee.MaxPassing))
	}
	g.Notes = append(g.Notes, "largest passing level of each repeat: "+strings.Join(each, ", "))
	return g
}

func levelCell(l aggregate.Level) Cell {
	c := Cell{Text: fmt.Sprintf("%s %d/%d", l.Verdict, l.Passed, l.Of)}
	switch l.Verdict {
	case results.LevelPasses:
		c.State = "good"
	case results.LevelFails:
		c.State = "bad"
	}
	return c
}

// levelStep is the step of a level with the most requests, as the knee takes it.
func levelStep(t *aggregate.Table, loop string, at float64) *aggregate.Step {
	var best *aggregate.Step
	for i := range t.Steps {
		s := &t.Steps[i]
		level := float64(s.Step.Streams)
		if loop == results.LoopOpen {
			level = s.Step.RatePerS
		}
		if level == at && (best == nil || s.Counts.Sent >= best.Counts.Sent) && len(s.Used) > 0 {
			best = s
		}
	}
	return best
}

// capacityFigure is the knee on its curve.
func capacityFigure(k *aggregate.Knee) Figure {
	f := Figure{ID: "knee", Title: "p95 E2E by level, with the knee", Kind: FigureXY, X: Axis{Label: "requests in flight", Log: true}, Y: Axis{Label: "p95 E2E, ms", Zero: true}}
	if k.Loop == results.LoopOpen {
		f.X.Label = "requests/s"
	}
	f.Key = curveKey
	line := Series{Name: "p95 E2E", Kind: SeriesLine}
	dots := Series{Name: "p95 E2E", Kind: SeriesDots}
	band := Series{Name: "p95 E2E", Kind: SeriesBand}
	for _, l := range k.Levels {
		f.X.Ticks = append(f.X.Ticks, l.At)
		for _, r := range l.P95E2EMs.Raw {
			if !r.Unbounded {
				dots.Points = append(dots.Points, Point{X: l.At, Y: r.Value, Label: fmt.Sprintf("repeat %d", r.Repeat), State: passState(l.Verdict)})
			}
		}
		if l.P95E2EMs.Mean != nil {
			line.Points = append(line.Points, Point{X: l.At, Y: *l.P95E2EMs.Mean, Label: l.Verdict, Low: l.P95E2EMs.Low, High: l.P95E2EMs.High})
			if l.P95E2EMs.Low != nil {
				band.Points = append(band.Points, Point{X: l.At, Y: *l.P95E2EMs.Mean, Low: ptr(max(0, *l.P95E2EMs.Low)), High: l.P95E2EMs.High})
			}
		}
	}
	f.Series = []Series{band, line, dots}
	if k.LimitE2EMs > 0 {
		f.Marks = append(f.Marks, Mark{Label: "limit", Y: ptr(k.LimitE2EMs)})
	}
	switch {
	case k.MaxPassing > 0 && k.FirstFailing != nil:
		f.Marks = append(f.Marks, Mark{Label: "knee", X: ptr(k.MaxPassing), To: k.FirstFailing})
	case k.MaxPassing > 0:
		f.Marks = append(f.Marks, Mark{Label: "all pass to here", X: ptr(k.MaxPassing)})
	}
	f.Alt = "p95 of E2E latency by level: " + k.Words() + "."
	return f
}

func passState(verdict string) string {
	switch verdict {
	case results.LevelPasses:
		return "good"
	case results.LevelFails:
		return "bad"
	}
	return "dim"
}
