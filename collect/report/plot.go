package report

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats of a plot.
const (
	PlotSVG = "svg"
	PlotPNG = "png" // at 200 dots an inch
)

// plotColours are those of the page, which colour-blind readers can tell apart.
var plotColours = []color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {138, 109, 0, 255}, {86, 180, 233, 255}, {91, 75, 183, 255}, {77, 77, 77, 255}}

// viridis from its dark to its light end, without the ends.
var viridis = []color.NRGBA{{71, 45, 123, 255}, {59, 82, 139, 255}, {44, 114, 142, 255}, {33, 145, 140, 255}, {40, 174, 128, 255}, {94, 201, 98, 255}, {181, 166, 10, 255}}

// Plot draws one figure as SVG or PNG, for papers. Simulated is written across
// its title where the numbers are a stub's.
func (f Figure) Plot(w io.Writer, format string, simulated bool) error {
	p := plot.New()
	p.Title.Text = f.Title
	if simulated {
		p.Title.Text += " (SIMULATED)"
	}
	p.Title.Padding = vg.Points(6)
	p.X.Label.Text, p.Y.Label.Text = f.X.Label, f.Y.Label
	for _, style := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant = "Sans"
	}
	var err error
	switch f.Kind {
	case FigureHeat:
		err = f.plotHeat(p)
	case FigureForest:
		f.plotForest(p)
	default:
		err = f.plotXY(p)
	}
	if err != nil {
		return fmt.Errorf("plot %s: %w", f.ID, err)
	}
	wide, high := 6*vg.Inch, 4*vg.Inch
	if n := len(f.Y.Categories); n > 8 {
		high = vg.Length(n)*0.24*vg.Inch + 1.2*vg.Inch
	}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case PlotSVG:
		canvas = vgsvg.New(wide, high)
	case PlotPNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wide, high), vgimg.UseDPI(200))}
	default:
		return fmt.Errorf("plot %s: format %q is neither svg nor png", f.ID, format)
	}
	p.Draw(draw.New(canvas))
	_, err = canvas.WriteTo(w)
	return err
}

func (f Figure) colour(s Series) color.NRGBA {
	if s.Scale == nil {
		return plotColours[s.Colour%len(plotColours)]
	}
	at := math.Min(1, math.Max(0, *s.Scale)) * float64(len(viridis)-1)
	i := min(int(at), len(viridis)-2)
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-at+float64(i)) + float64(b)*(at-float64(i))) }
	a, b := viridis[i], viridis[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func (f Figure) plotXY(p *plot.Plot) error {
	axes(p, f)
	seen := map[string]bool{}
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.SquareGlyph{}, draw.PyramidGlyph{}}
	for _, s := range f.Series {
		if len(s.Points) == 0 {
			continue
		}
		c := f.colour(s)
		switch s.Kind {
		case SeriesBand:
			if err := f.plotBand(p, s, c); err != nil {
				return err
			}
		case SeriesDots:
			dots, err := plotter.NewScatter(points(s.Points))
			if err != nil {
				return err
			}
			dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(1.8), Shape: draw.RingGlyph{}}
			p.Add(dots)
		default:
			line, err := plotter.NewLine(points(s.Points))
			if err != nil {
				return err
			}
			line.LineStyle = draw.LineStyle{Color: c, Width: vg.Points(1.4)}
			if s.Dashed {
				line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
			}
			if s.Step {
				line.StepStyle = plotter.PostStep
			}
			p.Add(line)
			if len(s.Points) <= 24 {
				marks, err := plotter.NewScatter(points(s.Points))
				if err != nil {
					return err
				}
				marks.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(2.6), Shape: shapes[s.Colour%len(shapes)]}
				p.Add(marks)
			}
			if !seen[s.Name] {
				p.Legend.Add(s.Name, line)
				seen[s.Name] = true
			}
		}
	}
	f.plotMarks(p)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(2)
	p.Legend.TextStyle.Font.Size = vg.Points(9)
	if len(seen) < 2 {
		p.Legend = plot.NewLegend()
	}
	return nil
}

func points(list []Point) plotter.XYs {
	out := make(plotter.XYs, len(list))
	for i, p := range list {
		out[i].X, out[i].Y = p.X, p.Y
	}
	return out
}

func (f Figure) plotBand(p *plot.Plot, s Series, c color.NRGBA) error {
	c.A = 45
	if len(s.Points) == 1 {
		return nil
	}
	var ring plotter.XYs
	for _, pt := range s.Points {
		ring = append(ring, plotter.XY{X: pt.X, Y: *pt.High})
	}
	for i := len(s.Points) - 1; i >= 0; i-- {
		ring = append(ring, plotter.XY{X: s.Points[i].X, Y: *s.Points[i].Low})
	}
	if f.Y.Log {
		for i := range ring {
			ring[i].Y = math.Max(ring[i].Y, p.Y.Min)
		}
	}
	band, err := plotter.NewPolygon(ring)
	if err != nil {
		return err
	}
	band.Color, band.LineStyle = c, draw.LineStyle{}
	p.Add(band)
	return nil
}

// plotMarks draws limits as dashed lines and a bracket as a grey band.
func (f Figure) plotMarks(p *plot.Plot) {
	grey := color.NRGBA{90, 90, 90, 255}
	for _, m := range f.Marks {
		var ends plotter.XYs
		switch {
		case m.To != nil && m.X != nil:
			ring := plotter.XYs{{X: *m.X, Y: p.Y.Min}, {X: *m.To, Y: p.Y.Min}, {X: *m.To, Y: p.Y.Max}, {X: *m.X, Y: p.Y.Max}}
			if band, err := plotter.NewPolygon(ring); err == nil {
				band.Color, band.LineStyle = color.NRGBA{138, 109, 0, 50}, draw.LineStyle{}
				p.Add(band)
			}
			continue
		case m.X != nil:
			ends = plotter.XYs{{X: *m.X, Y: p.Y.Min}, {X: *m.X, Y: p.Y.Max}}
		case m.Y != nil:
			ends = plotter.XYs{{X: p.X.Min, Y: *m.Y}, {X: p.X.Max, Y: *m.Y}}
		}
		if line, err := plotter.NewLine(ends); err == nil {
			line.LineStyle = draw.LineStyle{Color: grey, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(3), vg.Points(3)}}
			p.Add(line)
		}
	}
}

// axes sets ranges, scales and ticks before anything is added.
func axes(p *plot.Plot, f Figure) {
	grid := plotter.NewGrid()
	grid.Vertical.Width, grid.Horizontal.Color = 0, color.NRGBA{220, 224, 228, 255}
	p.Add(grid)
	for _, a := range []struct {
		axis *plot.Axis
		of   Axis
		get  func(Point) []float64
	}{{&p.X, f.X, func(q Point) []float64 { return []float64{q.X} }}, {&p.Y, f.Y, func(q Point) []float64 { return append([]float64{q.Y}, bounds(q)...) }}} {
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range f.Series {
			for _, q := range s.Points {
				for _, v := range a.get(q) {
					if !a.of.Log || v > 0 {
						low, high = math.Min(low, v), math.Max(high, v)
					}
				}
			}
		}
		for _, m := range f.Marks {
			for _, v := range []*float64{m.X, m.To} {
				if v != nil && a.axis == &p.X {
					low, high = math.Min(low, *v), math.Max(high, *v)
				}
			}
			if m.Y != nil && a.axis == &p.Y {
				low, high = math.Min(low, *m.Y), math.Max(high, *m.Y)
			}
		}
		if math.IsInf(low, 1) {
			low, high = 0, 1
		}
		scale(a.axis, a.of, low, high)
	}
}

func bounds(q Point) []float64 {
	var out []float64
	for _, v := range []*float64{q.Low, q.High} {
		if v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// maxWords is how many words fit below a plot.
const maxWords = 10

// roundTicks marks an axis at some five round values.
func roundTicks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, m := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (high-low)/step <= 6 {
			break
		}
		step *= m
	}
	var out []plot.Tick
	for i := math.Ceil(low / step); i*step <= high*(1+1e-12); i++ {
		v := i * step
		out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return out
}

func scale(axis *plot.Axis, a Axis, low, high float64) {
	switch {
	case len(a.Categories) > 0:
		ticks := make([]plot.Tick, len(a.Categories))
		every := 1
		if axis.Tick.Label.Rotation == 0 && len(a.Categories) > maxWords && !a.rows {
			every = (len(a.Categories) + maxWords - 1) / maxWords
		}
		for i, c := range a.Categories {
			ticks[i].Value = float64(i)
			if i%every == 0 {
				ticks[i].Label = c
			}
		}
		axis.Min, axis.Max, axis.Tick.Marker = -0.5, float64(len(a.Categories))-0.5, plot.ConstantTicks(ticks)
		return
	case a.Log:
		axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		axis.Min, axis.Max = low/1.15, high*1.15
	case a.Zero:
		axis.Min, axis.Max = 0, high*1.08
	default:
		pad := 0.05 * math.Max(high-low, 1e-9)
		axis.Min, axis.Max = low-pad, high+pad
	}
	if a.Max != nil {
		axis.Max = *a.Max
	}
	if axis.Max <= axis.Min {
		axis.Max = axis.Min + 1
	}
	if !a.Log {
		axis.Tick.Marker = plot.TickerFunc(roundTicks)
	}
	if len(a.Ticks) > 0 {
		ticks := make([]plot.Tick, len(a.Ticks))
		for i, v := range a.Ticks {
			ticks[i] = plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)}
		}
		axis.Tick.Marker = plot.ConstantTicks(ticks)
	}
}
