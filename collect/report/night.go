package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/gate"
	"hpcbench/collect/history"
	"hpcbench/results"
)

// Night writes a suite's night for the terminal.
func Night(w io.Writer, n gate.SuiteNight, colour bool) error {
	p := &printer{w: w, colour: colour}
	state, reason := overallNight(n)
	p.line(fmt.Sprintf("%s, night of %s", n.Suite, n.Night))
	if n.Simulated() {
		p.paint(simulatedWords, text.FgYellow)
	}
	p.line("")
	p.paint(strings.ToUpper(string(state))+": "+reason, nightColours(state)...)
	for _, g := range nightGrids(n) {
		p.grid(g)
	}
	p.notes(nightNotes(n))
	if words := budgetWords(n); words != "" {
		p.line("")
		p.line(words)
	}
	return p.err
}

// NightMarkdown writes it for a merge request or a mail.
func NightMarkdown(w io.Writer, n gate.SuiteNight) error {
	var b strings.Builder
	state, reason := overallNight(n)
	fmt.Fprintf(&b, "# %s, night of %s\n\n**%s**: %s\n", escapeMarkdown(n.Suite), escapeMarkdown(n.Night), strings.ToUpper(string(state)), escapeMarkdown(reason))
	if n.Simulated() {
		fmt.Fprintf(&b, "\n> **%s**\n", simulatedWords)
	}
	for _, g := range nightGrids(n) {
		g.markdown(&b)
	}
	markdownNotes(&b, nightNotes(n))
	if words := budgetWords(n); words != "" {
		fmt.Fprintf(&b, "\n%s\n", words)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// NightJSON writes it (format gate.FormatSuiteNight).
func NightJSON(w io.Writer, n gate.SuiteNight) error {
	n.Format = gate.FormatSuiteNight
	b, err := results.EncodeJSON(n)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// NightPage makes its page. Trends are the headline metrics over the history, by
// entry; they may be empty.
func NightPage(n gate.SuiteNight, trends map[string][]Trend, madeBy string) Page {
	state, reason := overallNight(n)
	p := Page{Title: fmt.Sprintf("%s, night of %s", n.Suite, n.Night), Verdict: string(state), Reason: reason, Tone: nightTone(state), MadeBy: madeBy, Simulated: n.Simulated()}
	if words := budgetWords(n); words != "" {
		p.Facts = append(p.Facts, Fact{"Budget", words})
	}
	p.Facts = append(p.Facts, Fact{"Judged", n.At.UTC().Format("2006-01-02 15:04 UTC")})
	p.Sections = append(p.Sections, Section{ID: "entries", Title: "Entries", Grids: nightGrids(n)[:1], Notes: nightNotes(n)})
	for i, e := range n.Entries {
		s := Section{ID: fmt.Sprintf("entry-%d", i+1), Title: e.Entry, Words: []string{upper(string(entryState(e))) + ": " + entryReason(e)}}
		if g := screenGrid(e); len(g.Rows) > 0 {
			g.ID = fmt.Sprintf("screen-%d", i+1)
			s.Grids = append(s.Grids, g)
		}
		if g := confirmGrid(e); len(g.Rows) > 0 {
			g.ID = fmt.Sprintf("confirm-%d", i+1)
			s.Grids = append(s.Grids, g)
			f := confirmFigure(e)
			f.ID = fmt.Sprintf("pairs-%d", i+1)
			s.Figures = append(s.Figures, f)
		}
		for k, t := range trends[e.Entry] {
			if f := t.figure(); !f.empty() {
				f.ID = fmt.Sprintf("trend-%d-%d", i+1, k+1)
				s.Figures = append(s.Figures, f)
			}
		}
		p.Sections = append(p.Sections, s)
	}
	return p
}

// Trend is one headline metric of one step over time.
type Trend struct {
	Step, Metric string
	Points       []history.Point
	Pinned       *float64 // the pinned baseline's mean
}

func (t Trend) figure() Figure {
	m, _ := aggregate.MetricByName(t.Metric)
	f := Figure{Title: fmt.Sprintf("%s at %s over nights", m.Label, shortStep(t.Step)), Kind: FigureXY, X: Axis{Label: "night"}, Y: Axis{Label: m.Unit}}
	line := Series{Name: m.Label, Kind: SeriesLine}
	for i, p := range t.Points {
		f.X.Categories = append(f.X.Categories, p.At.UTC().Format("01-02"))
		line.Points = append(line.Points, Point{X: float64(i), Y: p.Value, Label: p.Run})
	}
	f.Series = []Series{line}
	if t.Pinned != nil {
		f.Marks = append(f.Marks, Mark{Label: "pinned baseline", Y: t.Pinned})
	}
	if n := len(t.Points); n > 0 {
		f.Alt = fmt.Sprintf("%s over %d nights, the last %s %s.", m.Label, n, Number(t.Points[n-1].Value, 3), m.Unit)
	}
	return f
}

// notMeasured stands for an entry in trouble: Slurm, the container, the server or the budget.
const notMeasured gate.State = "not measured"

// nightOrder is from the worst to the best.
var nightOrder = []gate.State{gate.Red, gate.NeedsPairs, gate.Invalid, notMeasured, gate.Inconclusive, gate.MachineChanged, gate.Learning, gate.Green}

// overallNight is the whole night in a word, and why.
func overallNight(n gate.SuiteNight) (gate.State, string) {
	counts := map[gate.State]int{}
	first := map[gate.State]string{}
	for _, e := range n.Entries {
		s := entryState(e)
		if counts[s]++; counts[s] == 1 {
			first[s] = e.Entry + ": " + entryReason(e)
		}
	}
	for _, s := range nightOrder {
		if counts[s] == 0 {
			continue
		}
		if s == gate.Green {
			return s, fmt.Sprintf("all %d entries are no slower than before", len(n.Entries))
		}
		words := first[s]
		if counts[s] > 1 {
			words += fmt.Sprintf(" (and %d more entries)", counts[s]-1)
		}
		return s, words
	}
	return gate.Invalid, "the suite has no entries"
}

func entryState(e gate.EntryNight) gate.State {
	if e.Trouble != "" {
		return notMeasured
	}
	return e.Night.State
}

func entryReason(e gate.EntryNight) string {
	if e.Trouble != "" {
		return e.Trouble
	}
	return e.Night.Reason
}

func nightTone(s gate.State) string {
	switch s {
	case gate.Red, gate.Invalid, notMeasured:
		return "bad"
	case gate.Green:
		return "good"
	}
	return "warn"
}

func nightColours(s gate.State) text.Colors {
	switch nightTone(s) {
	case "bad":
		return text.Colors{text.Bold, text.FgRed}
	case "good":
		return text.Colors{text.Bold, text.FgGreen}
	}
	return text.Colors{text.Bold, text.FgYellow}
}

func nightStateCell(s gate.State) Cell {
	c := Cell{Text: string(s)}
	switch nightTone(s) {
	case "bad":
		c.State = "bad"
	case "good":
		c.State = "good"
	}
	return c
}

func budgetWords(n gate.SuiteNight) string {
	switch {
	case n.GPUHours > 0 && n.BudgetGPUHours > 0:
		return fmt.Sprintf("%s of %s GPU-hours spent", Number(n.GPUHours, 3), Number(n.BudgetGPUHours, 3))
	case n.GPUHours > 0:
		return fmt.Sprintf("%s GPU-hours spent", Number(n.GPUHours, 3))
	}
	return ""
}
