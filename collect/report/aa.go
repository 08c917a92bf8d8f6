package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/collect/gate"
	"hpcbench/results"
)

// AA writes what the same software against itself showed: the parts of the
// noise, and how often the gate would be wrong with it.
func AA(w io.Writer, r gate.AAReport, colour bool) error {
	p := &printer{w: w, colour: colour}
	p.paint("The same software against itself", text.Bold)
	for _, g := range aaGrids(r) {
		p.grid(g)
	}
	p.notes(aaNotes(r))
	return p.err
}

// AAMarkdown writes it for a wiki.
func AAMarkdown(w io.Writer, r gate.AAReport) error {
	var b strings.Builder
	b.WriteString("# The same software against itself\n")
	for _, g := range aaGrids(r) {
		g.markdown(&b)
	}
	markdownNotes(&b, aaNotes(r))
	_, err := io.WriteString(w, b.String())
	return err
}

// AAJSON writes it.
func AAJSON(w io.Writer, r gate.AAReport) error {
	r.Format = gate.FormatAA
	b, err := results.EncodeJSON(r)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func aaGrids(r gate.AAReport) []Grid {
	parts := Grid{ID: "aa-parts", Title: "What figures vary by", Over: "standard deviations, of the figure's size",
		Columns: []Column{left("step"), left("metric"), right("nights"), right("repeats"), right("repeat"), right("node"), right("night")},
		Notes:   []string{"repeat: on one node within a night · node: between nodes within a night · night: beyond both"}}
	for _, p := range r.Parts {
		row := []Cell{word(shortStep(p.Step)), word(label(p.Metric)), word(strconv.Itoa(p.Nights)), word(strconv.Itoa(p.Repeats)), partCell(p.Repeat), partCell(p.Node), partCell(p.Night)}
		parts.Rows = append(parts.Rows, row)
	}
	out := []Grid{parts}
	if r.Worst != nil {
		g := Grid{ID: "aa-rates", Title: "How the gate would end nights with this noise", Over: "simulated; pairs: a night on average; machine: ends as machine changed",
			Columns: []Column{left("nights"), right("need pairs"), right("pairs"), right("red"), right("inconclusive"), right("machine")}}
		for _, n := range []struct {
			name  string
			rates gate.Rates
		}{{"nothing changed", r.Healthy}, {"one step 10 % slower", r.Slower}} {
			g.Rows = append(g.Rows, []Cell{word(n.name), word(Percent(n.rates.Confirmed)), word(Number(n.rates.PairsANight, 2)), word(Percent(n.rates.Red)), word(Percent(n.rates.Inconclusive)), word(Percent(n.rates.Machine))})
		}
		out = append(out, g)
	}
	return out
}

func partCell(sd *float64) Cell {
	if sd == nil {
		return word(none)
	}
	return Cell{Text: Percent(*sd), Value: sd}
}

func aaNotes(r gate.AAReport) []Note {
	var out []Note
	said := map[string]bool{}
	for _, p := range r.Parts {
		if p.Note != "" && !said[p.Note] {
			said[p.Note] = true
			out = append(out, Note{results.LevelNote, p.Note})
		}
	}
	for _, n := range r.Notes {
		out = append(out, Note{results.LevelNote, n})
	}
	if r.Healthy.Red > gate.DefaultRule.Alpha {
		out = append([]Note{{results.LevelWarning, fmt.Sprintf("the gate would go red without cause in %s of nights: its limit is %s", Percent(r.Healthy.Red), Percent(gate.DefaultRule.Alpha))}}, out...)
	}
	return out
}
