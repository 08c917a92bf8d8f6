package report

import (
	"fmt"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/compare"
)

// ForestFigure is a comparison as a forest plot: a row a step and metric, the
// ratio with its interval, 1 = the same. Shares and rows without a ratio are in
// the table only.
func ForestFigure(c *compare.Comparison) Figure {
	if c.Kind == compare.KindGateway {
		return addedFigure(c)
	}
	f := Figure{ID: "forest", Title: "Ratio of " + c.New + " to " + c.Base, Kind: FigureForest, X: Axis{Label: "ratio, with its 95 % interval"}, Y: Axis{Label: ""}}
	s := Series{Name: "ratio", Kind: SeriesDots}
	worse := 0
	for _, r := range c.Rows {
		ratio := r.Ratio()
		if ratio == nil {
			continue
		}
		low, high := r.RatioInterval()
		state, label := forestState(r)
		if state == "bad" {
			worse++
		}
		s.Points = append(s.Points, Point{X: *ratio, Y: float64(len(f.Y.Categories)), Low: low, High: high, Label: label, State: state, Bound: ptr(r.Tolerance)})
		f.Y.Categories = append(f.Y.Categories, rowStep(r)+" "+r.Label)
	}
	f.Series = []Series{s}
	f.Marks = []Mark{{Label: "the same", X: ptr(1.0)}}
	f.Key = "Grey: within the tolerance. Squares: worse beyond it. Hollow: shown, but doesn't decide."
	f.Alt = fmt.Sprintf("Forest plot of %d ratios with their 95 %% intervals around 1; %d of them are worse beyond their tolerance.", len(s.Points), worse)
	return f
}

// forestState is how a row's mark is drawn, as its cell in the table, and its words.
func forestState(r compare.Row) (state, label string) {
	label = string(r.Verdict)
	if !r.Decides {
		label += ", doesn't decide"
	}
	return verdictCell(r).State, label
}

// addedFigure is what one gateway adds more than the other, in ms; the legs by
// themselves are in the table only.
func addedFigure(c *compare.Comparison) Figure {
	f := Figure{ID: "forest", Title: "What " + c.New + " adds beyond " + c.Base + ", ms", Kind: FigureForest, X: Axis{Label: "difference of what is added, ms, with its 95 % interval"}}
	s := Series{Name: "difference", Kind: SeriesDots}
	for _, r := range c.Rows {
		if !r.Absolute || r.Change == nil {
			continue
		}
		state, label := forestState(r)
		s.Points = append(s.Points, Point{X: *r.Change, Y: float64(len(f.Y.Categories)), Low: r.Low, High: r.High, Label: label, State: state})
		f.Y.Categories = append(f.Y.Categories, rowStep(r)+" "+r.Label)
	}
	f.Series = []Series{s}
	f.Marks = []Mark{{Label: "the same", X: ptr(0.0)}}
	f.Key = "Filled: the endpoint that decides; squares: worse beyond its tolerance. Hollow: shown, but doesn't decide."
	f.Alt = fmt.Sprintf("Forest plot of %d differences of what the two gateways add, in milliseconds with 95 %% intervals around 0.", len(s.Points))
	return f
}

// gatewayFigure is the overhead as shares of the direct figures.
func gatewayFigure(list []aggregate.Overhead) Figure {
	f := Figure{ID: "overhead", Title: "What the gateway adds, ms", Kind: FigureForest, X: Axis{Label: "added, ms, with its 95 % interval over blocks"}}
	s := Series{Name: "added", Kind: SeriesDots}
	for _, o := range list {
		if o.Unit != "ms" || o.Added.Mean == nil {
			continue
		}
		state := "dim"
		if o.Primary {
			state = ""
		}
		s.Points = append(s.Points, Point{X: *o.Added.Mean, Y: float64(len(f.Y.Categories)), Low: o.Added.Low, High: o.Added.High, State: state, Label: fmt.Sprintf("%d blocks", o.Blocks)})
		f.Y.Categories = append(f.Y.Categories, fmt.Sprintf("%s, %d at once", o.Label, o.Streams))
	}
	f.Key = "Filled: the endpoint that decides."
	f.Series = []Series{s}
	f.Marks = []Mark{{Label: "nothing", X: ptr(0.0)}}
	f.Alt = fmt.Sprintf("Forest plot of what the gateway adds to %d quantities, in milliseconds with 95 %% intervals over blocks.", len(s.Points))
	return f
}
