package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/results"
)

// width is what tables and lines fit into.
const width = 80

// Terminal writes the document for people. Colour is for terminals only; the
// words say the same without it.
func (d *Document) Terminal(w io.Writer, colour bool, sets ...string) error {
	p := &printer{w: w, colour: colour}
	p.line(d.Run + ": " + d.Conditions.Title())
	p.line(d.subtitle())
	if d.Simulated {
		p.paint(simulatedWords, text.FgYellow)
	}
	for _, g := range d.Grids(sets...) {
		p.grid(g)
	}
	if len(d.Steps) == 0 {
		p.line("")
		p.line("No repeat has numbers yet.")
	}
	p.notes(d.Notes(sets...))
	if s := d.Spent; s != nil {
		p.line("")
		p.line(s.words())
	}
	return p.err
}

// subtitle is engine, plan and repeats in one line.
func (d *Document) subtitle() string {
	var parts []string
	if engine := strings.TrimSpace(d.Conditions.Engine + " " + strings.Join(d.Conditions.EngineVersions, ", ")); engine != "" {
		parts = append(parts, engine)
	}
	if d.Conditions.TensorParallel > 1 || d.Conditions.PipelineStages > 1 {
		parts = append(parts, fmt.Sprintf("TP %d, PP %d", d.Conditions.TensorParallel, max(d.Conditions.PipelineStages, 1)))
	}
	if d.Conditions.Plan.Name != "" {
		parts = append(parts, "plan "+d.Conditions.Plan.Name)
	}
	parts = append(parts, fmt.Sprintf("%d of %d repeats", d.Good, d.Asked))
	return strings.Join(parts, " · ")
}

func (s *Spent) words() string {
	words := fmt.Sprintf("Spent: %s %s in %d jobs", Number(s.Hours, 3), s.Unit, s.Jobs)
	if s.ExpectedHours > 0 {
		words += fmt.Sprintf(" (expected %s)", Number(s.ExpectedHours, 3))
	}
	if s.HoursPerMTokens != nil {
		words += fmt.Sprintf(", %s a million output tokens", Number(*s.HoursPerMTokens, 3))
	}
	return words
}

// printer keeps the first error, so that the callers need not.
type printer struct {
	w      io.Writer
	colour bool
	err    error
}

func (p *printer) raw(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

// line writes words, wrapped; continued lines are indented.
func (p *printer) line(words string) { p.wrapped("", words, nil) }

func (p *printer) paint(words string, c ...text.Color) { p.wrapped("", words, c) }

func (p *printer) wrapped(lead, words string, colours text.Colors) {
	room := width - text.StringWidth(lead)
	for i, l := range strings.Split(text.WrapSoft(words, room-2), "\n") {
		l = strings.TrimRight(l, " ")
		if p.colour && len(colours) > 0 {
			l = colours.Sprint(l)
		}
		switch {
		case i == 0:
			p.raw(lead + l + "\n")
		default:
			p.raw(strings.Repeat(" ", text.StringWidth(lead)+2) + l + "\n")
		}
	}
}

// grid draws a table: the figure, and below it half the width of its interval.
func (p *printer) grid(g Grid) {
	p.line("")
	p.paint(g.Title, text.Bold)
	if g.Over != "" {
		p.paint(g.Over, text.Faint)
	}
	lines, widest := p.table(g, 0)
	if over := widest - width; over > 0 {
		lines, _ = p.table(g, over)
	}
	for _, l := range lines {
		p.raw(l + "\n")
	}
	if l := g.legend(); l != "" {
		p.paint(l, text.Faint)
	}
	for _, n := range g.Notes {
		p.wrapped("  ", n, nil)
	}
}

// narrowest is how far a column of words is folded.
const narrowest = 10

// table renders a grid and says how wide it is. Its first column is folded by over,
// so that long names of steps don't push the figures over the edge.
func (p *printer) table(g Grid, over int) (lines []string, widest int) {
	t := table.NewWriter()
	t.SetStyle(plainStyle)
	head := table.Row{}
	var columns []table.ColumnConfig
	for i, c := range g.Columns {
		head = append(head, c.Head)
		align := text.AlignRight
		if c.Left {
			align = text.AlignLeft
		}
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	if over > 0 {
		name := 0
		for _, r := range g.Rows {
			name = max(name, text.StringWidth(r[0].Text+r[0].Mark))
		}
		columns[0].WidthMax, columns[0].WidthMaxEnforcer = max(name-over, narrowest), text.WrapSoft
	}
	t.SetColumnConfigs(columns)
	t.AppendHeader(head)
	for _, r := range g.Rows {
		row := table.Row{}
		for _, c := range r {
			row = append(row, p.cell(c))
		}
		t.AppendRow(row)
	}
	lines = strings.Split(t.Render(), "\n")
	for i, l := range lines {
		if lines[i] = strings.TrimRight(l, " "); i != 1 {
			widest = max(widest, text.StringWidthWithoutEscSequences(lines[i]))
		}
	}
	lines[1] = strings.Repeat("─", widest) // the line below the heading is as long as the widest row
	return lines, widest
}

func (p *printer) cell(c Cell) string {
	s := c.Text + c.Mark
	if p.colour {
		switch c.State {
		case "good":
			s = text.FgGreen.Sprint(s)
		case "bad":
			s = text.FgRed.Sprint(s)
		case "dim":
			s = text.Faint.Sprint(s)
		}
	}
	if c.Spread == "" {
		return s
	}
	spread := c.Spread
	if p.colour {
		spread = text.Faint.Sprint(spread)
	}
	return s + "\n" + spread
}

// plainStyle has no lines but one below the heading: it survives pipes, and
// leaves the columns to the figures.
var plainStyle = table.Style{
	Name:   "hpcbench",
	Box:    table.BoxStyle{MiddleHorizontal: "─", PaddingRight: "  ", PaddingLeft: ""},
	Format: table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault},
	Options: table.Options{
		SeparateHeader: true,
	},
}

func (p *printer) notes(notes []Note) {
	if len(notes) == 0 {
		return
	}
	p.line("")
	for _, n := range notes {
		lead, colour := "  note     ", text.Colors{}
		switch n.Level {
		case results.LevelInvalid:
			lead, colour = "  INVALID  ", text.Colors{text.FgRed}
		case results.LevelWarning:
			lead, colour = "  warning  ", text.Colors{text.FgYellow}
		}
		p.wrapped(lead, n.Words, colour)
	}
}
