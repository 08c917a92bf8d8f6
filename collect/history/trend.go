package history

import (
	"time"
)

// Filter picks the entries that belong to one trend; "" fits everything.
// Simulated runs come only where asked for.
type Filter struct {
	Site, Model, Plan, GPUKind string
	Simulated                  bool
}

func (f Filter) fits(e *Entry) bool { return e.Simulated == f.Simulated && f.about(e) }

func (f Filter) about(e *Entry) bool {
	is := func(want, have string) bool { return want == "" || want == have }
	return is(f.Site, e.Site) && is(f.Model, e.Model) && is(f.Plan, e.Plan) && is(f.GPUKind, e.GPUKind)
}

// Point is one run in a trend.
type Point struct {
	At      time.Time `json:"at"`
	Run     string    `json:"run"`
	Value   float64   `json:"value"`
	N       int       `json:"n"`
	Version string    `json:"engine_version,omitempty"`
	Image   string    `json:"image,omitempty"`
	Verdict string    `json:"verdict,omitempty"`
}

// Trend is a headline metric of one step over time, by rising time.
func Trend(entries []Entry, f Filter, step, metric string) []Point {
	var out []Point
	for i := range entries {
		e := &entries[i]
		if !f.fits(e) {
			continue
		}
		if v, n, ok := e.Figure(step, metric); ok {
			out = append(out, Point{At: e.At, Run: e.Run, Value: v, N: n, Version: e.Version, Image: e.Image, Verdict: e.Verdict})
		}
	}
	return out
}

// Select picks the entries that a list shows: simulated and measured ones alike,
// since no figure of theirs is put side by side.
func Select(entries []Entry, f Filter) []Entry {
	var out []Entry
	for i := range entries {
		if f.about(&entries[i]) {
			out = append(out, entries[i])
		}
	}
	return out
}

// StepTrend is a metric of one step over time.
type StepTrend struct {
	Step   string  `json:"step"`
	Metric string  `json:"metric"`
	Points []Point `json:"points"`
}

// Trends are those of every step that has any, in the order in which they first came.
func Trends(entries []Entry, f Filter, metric string) []StepTrend {
	var out []StepTrend
	seen := map[string]bool{}
	for i := range entries {
		for _, step := range entries[i].Steps {
			if seen[step] {
				continue
			}
			seen[step] = true
			if points := Trend(entries, f, step, metric); len(points) > 0 {
				out = append(out, StepTrend{step, metric, points})
			}
		}
	}
	return out
}
