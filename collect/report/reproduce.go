package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/collect/compare"
	"hpcbench/results"
)

// Reproduce writes a reproduction for the terminal: published beside measured,
// then what the old tool's figures hide.
func Reproduce(w io.Writer, r *compare.Reproduction, colour bool) error {
	p := &printer{w: w, colour: colour}
	p.paint(r.Title, text.Bold)
	p.line("")
	if err := Compare(w, r.Comparison, colour); err != nil {
		return err
	}
	for _, g := range ReproduceGrids(r) {
		p.grid(g)
	}
	return p.err
}

// ReproduceMarkdown writes it for a wiki or a merge request.
func ReproduceMarkdown(w io.Writer, r *compare.Reproduction) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escapeMarkdown(r.Title))
	if err := CompareMarkdown(&b, r.Comparison); err != nil {
		return err
	}
	for _, g := range ReproduceGrids(r) {
		g.markdown(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ReproduceJSON writes it (format compare.FormatReproduction).
func ReproduceJSON(w io.Writer, r *compare.Reproduction) error {
	b, err := results.EncodeJSON(r)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// ReproduceGrids are what the old tool hid, and what its figures would have been.
func ReproduceGrids(r *compare.Reproduction) []Grid {
	over := "means over our repeats"
	if r.Comparison.Simulated {
		over += " · SIMULATED"
	}
	hidden := Grid{ID: "hidden", Title: "What the old tool's figures leave out", Over: over,
		Columns: []Column{left("rate"), right("sent"), right("counted"), right("cut at the bell"), right("discarded"), left("tokens by"), right("n")},
		Notes:   []string{"cut at the bell: in flight then, and thrown away by the tool, the longest answers first; discarded: arrivals that were never sent, since the cap was reached"}}
	dropped := false
	for _, h := range r.Hidden {
		row := []Cell{word(Rate(h.RatePerS) + "/s"), word(fmt.Sprintf("%.0f", h.Sent)), word(fmt.Sprintf("%.0f", h.Counted)), hiddenCell(h.Excluded, h.Sent), hiddenCell(h.Discarded, h.Sent+h.Discarded),
			word(tokenWords(h.TokensSource)), word(fmt.Sprint(h.N))}
		dropped = dropped || !h.CorrectedValid
		hidden.Rows = append(hidden.Rows, row)
	}
	if dropped {
		hidden.Notes = append(hidden.Notes, "where arrivals were discarded the load was another one: only compat stands")
	}
	corrected := Grid{ID: "corrected", Title: "The same figures corrected", Over: over,
		Columns: []Column{left("rate"), left("metric"), right("compat"), right("corrected"), right("published"), right("would have been")},
		Notes: []string{"corrected: from the intended send time, every request followed to its end, tokens as the server counts them",
			"would have been: published × corrected/compat of ours, an estimate"}}
	for _, c := range r.Corrected {
		row := []Cell{word(Rate(c.RatePerS) + "/s"), word(strings.TrimSpace(c.Label + " " + unitOf(c.Unit))), meanCell(c.Compat.Mean), meanCell(c.Corrected.Mean), meanCell(&c.Published), meanCell(c.Estimate)}
		corrected.Rows = append(corrected.Rows, row)
	}
	var out []Grid
	for _, g := range []Grid{hidden, corrected} {
		if len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func hiddenCell(n, of float64) Cell {
	c := Cell{Text: fmt.Sprintf("%.0f", n), Value: finite(n)}
	if of > 0 && n > 0 {
		c.Text += fmt.Sprintf(" (%s)", Percent(n/of))
	}
	return c
}

func tokenWords(source string) string {
	switch source {
	case "":
		return none
	case results.TokensEvents:
		return "the client"
	}
	return "usage"
}

func unitOf(unit string) string {
	if unit == "ms" {
		return "ms"
	}
	return ""
}

func meanCell(x *float64) Cell {
	if x == nil {
		return word(none)
	}
	return Cell{Text: Number(*x, 4), Value: x}
}

// ReproducePage makes the page of a reproduction, with the run's own parts below.
func ReproducePage(r *compare.Reproduction, d *Document, madeBy string) Page {
	p := Page{Title: r.Title, Verdict: string(r.Comparison.Verdict), Reason: r.Comparison.Reason, Tone: tone(r.Comparison.Verdict), Simulated: r.Comparison.Simulated, MadeBy: madeBy, Facts: d.facts()}
	side := comparisonSection(r.Comparison)
	side.Title = "Published beside measured"
	side.Figures = append(publishedFigures(r), side.Figures...)
	p.Sections = append(p.Sections, side, Section{ID: "hidden", Title: "What the old figures hide", Grids: ReproduceGrids(r)}, publishedSection(r.Reference))
	p.Sections = append(p.Sections, d.sections("run-")...)
	return p
}

// publishedFigures draw the published points and ours, a chart a figure.
func publishedFigures(r *compare.Reproduction) []Figure {
	var out []Figure
	at := map[string]int{}
	for _, row := range r.Comparison.Rows {
		if row.Base.Mean == nil || row.New.Mean == nil {
			continue
		}
		i, seen := at[row.Label]
		if !seen {
			i = len(out)
			at[row.Label] = i
			out = append(out, Figure{ID: fmt.Sprintf("published-%d", i), Title: row.Label + " over load", Kind: FigureXY, X: Axis{Label: "requests/s asked for", Log: true}, Y: Axis{Label: row.Unit},
				Key:    "Dashed: published. Line: ours (compat), with the 95 % interval of one published run or mean around it as a band.",
				Series: []Series{{Name: "ours", Kind: SeriesBand}, {Name: "ours", Kind: SeriesLine}, {Name: "published", Kind: SeriesLine, Colour: 1, Dashed: true}}})
		}
		f := &out[i]
		f.X.Ticks = append(f.X.Ticks, row.RatePerS)
		ours, theirs := *row.New.Mean, *row.Base.Mean
		f.Series[1].Points = append(f.Series[1].Points, Point{X: row.RatePerS, Y: ours, Label: string(row.Verdict)})
		f.Series[2].Points = append(f.Series[2].Points, Point{X: row.RatePerS, Y: theirs, Label: row.Suspect})
		if low, high := row.RatioInterval(); low != nil {
			l, h := max(0, *low*theirs), *high*theirs
			f.Series[0].Points = append(f.Series[0].Points, Point{X: row.RatePerS, Y: ours, Low: &l, High: &h})
		}
		f.Alt = strings.TrimSpace(f.Alt + fmt.Sprintf(" At %s/s %s published, %s ours.", Rate(row.RatePerS), Number(theirs, 3), Number(ours, 3)))
	}
	for i := range out {
		low, high := out[i].Series[1].Points[0].Y, out[i].Series[1].Points[0].Y
		for _, s := range out[i].Series {
			for _, pt := range s.Points {
				low, high = min(low, pt.Y), max(high, pt.Y)
			}
		}
		out[i].Y.Log = low > 0 && high/low > 20
		out[i].Y.Zero = !out[i].Y.Log
	}
	return out
}

// publishedSection is the reference's own conditions and remarks.
func publishedSection(ref results.Reference) Section {
	s := Section{ID: "published", Title: "The published table", Closed: true}
	c := ref.Conditions
	for _, f := range []Fact{{"Name", ref.Name}, {"Source", ref.Source}, {"Model", c.Model}, {"GPUs", fmt.Sprintf("%d × %s", c.GPUs, c.GPUKind)}, {"Site", strings.Trim(c.Site+", "+c.Partition, ", ")}, {"Path", c.Path},
		{"Image", c.Image}, {"Engine version", c.EngineVersion}, {"Date", c.Date}, {"Statistic", c.Statistic}, {"Tool", c.Tool}, {"Command", strings.TrimSpace(ref.CommandLine)}} {
		if f.Value != "" {
			s.Facts = append(s.Facts, f)
		}
	}
	for _, r := range ref.Remarks {
		s.Notes = append(s.Notes, Note{results.LevelNote, r})
	}
	for _, row := range ref.Rows {
		if row.Suspect != "" {
			s.Notes = append(s.Notes, Note{results.LevelWarning, fmt.Sprintf("%s/s: %s", Rate(row.RatePerS), row.Suspect)})
		}
	}
	return s
}
