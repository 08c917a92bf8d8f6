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

func (f Filter) fits(e *Entry) bool {
	is := func(want, have string) bool { return want == "" || want == have }
	return e.Simulated == f.Simulated && is(f.Site, e.Site) && is(f.Model, e.Model) && is(f.Plan, e.Plan) && is(f.GPUKind, e.GPUKind)
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
