package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/collect/compare"
	"hpcbench/results"
)

// Compare writes a comparison for people: the verdict in words first.
func Compare(w io.Writer, c *compare.Comparison, colour bool) error {
	p := &printer{w: w, colour: colour}
	p.line(fmt.Sprintf("%s against %s", c.New, c.Base))
	if c.Simulated {
		p.paint(simulatedWords, text.FgYellow)
	}
	p.line("")
	p.paint(strings.ToUpper(string(c.Verdict))+": "+c.Reason, verdictColours(c.Verdict)...)
	if g := CompareGrid(c); len(g.Rows) > 0 {
		p.grid(g)
	}
	p.differences("Conditions that forbid a verdict", c.Matters)
	p.differences("Also changed", c.Also)
	p.notes(compareNotes(c))
	return p.err
}

func compareNotes(c *compare.Comparison) []Note {
	var notes []Note
	for _, a := range c.Assumptions {
		notes = append(notes, Note{results.LevelNote, a})
	}
	for _, s := range c.Remarks {
		notes = append(notes, Note{results.LevelNote, s})
	}
	for _, s := range c.Warnings {
		notes = append(notes, Note{results.LevelWarning, s})
	}
	return notes
}

func verdictColours(v compare.Verdict) text.Colors {
	switch v {
	case compare.Regressed, compare.Invalid:
		return text.Colors{text.Bold, text.FgRed}
	case compare.Improved, compare.NoChange:
		return text.Colors{text.Bold, text.FgGreen}
	}
	return text.Colors{text.Bold, text.FgYellow}
}

func (p *printer) differences(title string, list []compare.Difference) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.paint(title, text.Bold)
	for _, d := range list {
		p.wrapped("  ", fmt.Sprintf("%s: %s → %s", d.What, shorten(d.Base), shorten(d.New)), nil)
	}
}

// shorten keeps the end of a long path or command line, where the difference mostly is.
func shorten(s string) string {
	r := []rune(s)
	if len(r) <= 200 {
		return s
	}
	return "…" + string(r[len(r)-199:])
}

// CompareGrid is the table of a comparison.
func CompareGrid(c *compare.Comparison) Grid {
	g := Grid{ID: "compare", Title: "Step by step", Over: "ratio new/base, 95 % intervals",
		Columns: []Column{left("step"), left("metric"), right("base"), right("new"), right("ratio"), right("interval"), left("verdict")}}
	if c.Kind == compare.KindGateway {
		g.Title, g.Over = "What the gateway adds", "differences of percentiles over ABBA blocks, 95 % intervals"
		g.Columns[4] = right("change")
	}
	if c.Simulated {
		g.Over += " · SIMULATED"
	}
	aside, suspect := false, false
	for _, r := range c.Rows {
		row := []Cell{word(rowStep(r)), word(r.Label), word(figureText(r.Base, r)), word(figureText(r.New, r)), word(none), word(none), verdictCell(r)}
		row[4], row[5] = changeCells(r)
		if !r.Decides {
			row[6].Mark = "°"
			aside = true
		}
		if r.Suspect != "" {
			row[2].Mark, suspect = "?", true
		}
		g.Rows = append(g.Rows, row)
	}
	if aside {
		g.Notes = append(g.Notes, "° shown, doesn't decide: "+strings.Join(asides(c.Rows), "; "))
	}
	if suspect {
		g.Notes = append(g.Notes, "? a published figure that can't be trusted")
	}
	return g
}

func asides(rows []compare.Row) []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range rows {
		if r.Aside != "" && !seen[r.Aside] {
			seen[r.Aside] = true
			out = append(out, r.Aside)
		}
	}
	return out
}

func rowStep(r compare.Row) string {
	if r.RatePerS > 0 {
		return Rate(r.RatePerS) + "/s"
	}
	return r.Step
}

func figureText(f compare.Figure, r compare.Row) string {
	switch {
	case f.Mean == nil:
		return none
	case r.Absolute && r.Unit == "":
		return Percent(*f.Mean)
	}
	return Number(*f.Mean, 4)
}

// boundText prints the end of an interval with two digits, or whole.
func boundText(x float64) string {
	if x >= 100 || x <= -100 {
		return fmt.Sprintf("%+.0f", x)
	}
	return fmt.Sprintf("%+.2g", x)
}

func changeCells(r compare.Row) (change, interval Cell) {
	change, interval = word(none), word(none)
	if r.Change == nil {
		return change, interval
	}
	if r.Absolute && r.Unit != "" {
		change = Cell{Text: fmt.Sprintf("%+.3g %s", *r.Change, r.Unit), Value: r.Change}
		if r.Low != nil {
			interval = word(boundText(*r.Low) + "…" + boundText(*r.High))
		}
		return change, interval
	}
	if r.Absolute {
		change = word(fmt.Sprintf("%+.1f pt", *r.Change*100))
		if r.Low != nil {
			interval = word(fmt.Sprintf("%+.1f…%+.1f", *r.Low*100, *r.High*100))
		}
		return change, interval
	}
	change = Cell{Text: fmt.Sprintf("%.3f", *r.Ratio()), Value: r.Ratio()}
	if low, high := r.RatioInterval(); low != nil {
		interval = word(fmt.Sprintf("%.3f…%.3f", *low, *high))
	}
	return change, interval
}

func verdictCell(r compare.Row) Cell {
	c := Cell{Text: string(r.Verdict)}
	switch {
	case !r.Decides:
		c.State = "dim"
	case r.Verdict == compare.Regressed || r.Verdict == compare.Invalid:
		c.State = "bad"
	case r.Verdict == compare.Improved || r.Verdict == compare.NoChange:
		c.State = "good"
	}
	return c
}

// CompareMarkdown writes a comparison for a wiki or a merge request.
func CompareMarkdown(w io.Writer, c *compare.Comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s against %s\n\n**%s**: %s\n", escapeMarkdown(c.New), escapeMarkdown(c.Base), strings.ToUpper(string(c.Verdict)), escapeMarkdown(c.Reason))
	if c.Simulated {
		fmt.Fprintf(&b, "\n> **%s**\n", simulatedWords)
	}
	CompareGrid(c).markdown(&b)
	for _, part := range []struct {
		title string
		list  []compare.Difference
	}{{"Conditions that forbid a verdict", c.Matters}, {"Also changed", c.Also}} {
		if len(part.list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n| what | base | new |\n| :--- | :--- | :--- |\n", part.title)
		for _, d := range part.list {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", escapeMarkdown(d.What), escapeMarkdown(d.Base), escapeMarkdown(d.New))
		}
	}
	markdownNotes(&b, compareNotes(c))
	_, err := io.WriteString(w, b.String())
	return err
}

// CompareJSON writes a comparison (format compare.FormatComparison).
func CompareJSON(w io.Writer, c *compare.Comparison) error {
	b, err := results.EncodeJSON(c)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}
