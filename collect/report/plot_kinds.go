package report

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// plotForest draws a row a category from the top down, with its interval and tolerance.
func (f Figure) plotForest(p *plot.Plot) {
	rows := len(f.Y.Categories)
	names := slices.Clone(f.Y.Categories)
	slices.Reverse(names)
	low, high := math.Inf(1), math.Inf(-1)
	for _, m := range f.Marks {
		if m.X != nil {
			low, high = math.Min(low, *m.X), math.Max(high, *m.X)
		}
	}
	for _, s := range f.Series {
		for _, q := range s.Points {
			for _, v := range append(bounds(q), q.X) {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
	}
	scale(&p.X, Axis{}, low, high)
	scale(&p.Y, Axis{Categories: names, rows: true}, 0, 1)
	for _, s := range f.Series {
		for _, q := range s.Points {
			forestRow(p, q, float64(rows-1)-q.Y)
		}
	}
	f.plotMarks(p)
}

func forestRow(p *plot.Plot, q Point, y float64) {
	c := map[string]color.NRGBA{"bad": plotColours[1], "good": plotColours[2], "dim": plotColours[7]}[q.State]
	if c.A == 0 {
		c = plotColours[0]
	}
	if q.Bound != nil {
		l, r := math.Max(1-*q.Bound, p.X.Min), math.Min(1+*q.Bound, p.X.Max)
		if band, err := plotter.NewPolygon(plotter.XYs{{X: l, Y: y - .36}, {X: r, Y: y - .36}, {X: r, Y: y + .36}, {X: l, Y: y + .36}}); err == nil && r > l {
			band.Color, band.LineStyle = color.NRGBA{225, 228, 232, 255}, draw.LineStyle{}
			p.Add(band)
		}
	}
	if q.Low != nil && q.High != nil {
		if line, err := plotter.NewLine(plotter.XYs{{X: *q.Low, Y: y}, {X: *q.High, Y: y}}); err == nil {
			line.LineStyle = draw.LineStyle{Color: c, Width: vg.Points(1.4)}
			p.Add(line)
		}
	}
	if dot, err := plotter.NewScatter(plotter.XYs{{X: q.X, Y: y}}); err == nil {
		dot.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(3), Shape: forestShape(q.State)}
		p.Add(dot)
	}
}

func forestShape(state string) draw.GlyphDrawer {
	switch state {
	case "bad":
		return draw.BoxGlyph{}
	case "dim":
		return draw.RingGlyph{}
	}
	return draw.CircleGlyph{}
}

// plotHeat draws a cell a value with its text, the first category of Y on top.
func (f Figure) plotHeat(p *plot.Plot) error {
	names := slices.Clone(f.Y.Categories)
	slices.Reverse(names)
	scale(&p.X, Axis{Categories: f.X.Categories}, 0, 1)
	scale(&p.Y, Axis{Categories: names, rows: true}, 0, 1)
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range f.Cells {
		if c.Value != nil && *c.Value > 0 {
			low, high = math.Min(low, math.Log(*c.Value)), math.Max(high, math.Log(*c.Value))
		}
	}
	for _, c := range f.Cells {
		x, y := float64(c.X), float64(len(names)-1-c.Y)
		fill := color.NRGBA{245, 246, 248, 255}
		ink := color.NRGBA{86, 94, 104, 255}
		if c.Value != nil && *c.Value > 0 {
			at := 0.5
			if high > low {
				at = (math.Log(*c.Value) - low) / (high - low)
			}
			fill = f.colour(Series{Scale: &at})
			if ink = (color.NRGBA{255, 255, 255, 255}); at > 0.55 {
				ink = color.NRGBA{17, 17, 17, 255}
			}
		}
		box, err := plotter.NewPolygon(plotter.XYs{{X: x - .48, Y: y - .47}, {X: x + .48, Y: y - .47}, {X: x + .48, Y: y + .47}, {X: x - .48, Y: y + .47}})
		if err != nil {
			return err
		}
		box.Color, box.LineStyle = fill, draw.LineStyle{}
		words, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}}, Labels: []string{c.Text}})
		if err != nil {
			return err
		}
		words.TextStyle[0].Color = ink
		words.TextStyle[0].Font.Variant = "Sans"
		words.TextStyle[0].XAlign, words.TextStyle[0].YAlign = draw.XCenter, draw.YCenter
		p.Add(box, words)
	}
	return nil
}
