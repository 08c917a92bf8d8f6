package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// colour says whether the output is a terminal that wants it.
func (a *app) colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(a.stdout)
}

// list prints rows below a heading. Columns numbered in right hold numbers. On a
// terminal columns of words are folded until a line fits its width; in a pipe lines
// stay whole, so that grep finds what it looks for.
func (a *app) list(head []string, rows [][]string, right ...int) error {
	t := table.NewWriter()
	t.SetStyle(plainStyle)
	t.AppendHeader(cells(head))
	var columns []table.ColumnConfig
	if isTerminal(a.stdout) {
		for i, w := range folded(head, rows, right, 80) {
			columns = append(columns, table.ColumnConfig{Number: i + 1, WidthMax: w, WidthMaxEnforcer: text.WrapSoft})
		}
	}
	for _, n := range right {
		c := table.ColumnConfig{Number: n + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
		if n < len(columns) {
			columns[n].Align, columns[n].AlignHeader = c.Align, c.AlignHeader
			continue
		}
		columns = append(columns, c)
	}
	t.SetColumnConfigs(columns)
	for _, r := range rows {
		t.AppendRow(cells(r))
	}
	return printTable(a.stdout, t)
}

// printTable prints a table without the blanks at the ends of its lines.
func printTable(w io.Writer, t table.Writer) error {
	var b strings.Builder
	for l := range strings.SplitSeq(t.Render(), "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// repeatsWord is "repeat" or "repeats".
func repeatsWord(numbers []int) string {
	if len(numbers) == 1 {
		return "repeat"
	}
	return "repeats"
}

const (
	narrowest = 12 // how far a column of words is folded
	remarks   = 24 // how far the last column is, before any other gives
)

// folded answers the widths of columns with which a line fits the room, two blanks
// between them: the last gives first, then the widest. Columns of numbers keep theirs.
func folded(head []string, rows [][]string, right []int, room int) []int {
	widths := make([]int, len(head))
	total := 2 * (len(head) - 1)
	for i := range head {
		widths[i] = text.StringWidth(head[i])
		for _, r := range rows {
			widths[i] = max(widths[i], text.StringWidth(r[i]))
		}
		total += widths[i]
	}
	if last := len(head) - 1; total > room && !slices.Contains(right, last) {
		give := min(total-room, max(0, widths[last]-remarks))
		widths[last] -= give
		total -= give
	}
	for ; total > room; total-- {
		widest := -1
		for i, w := range widths {
			if w > max(narrowest, text.StringWidth(head[i])) && !slices.Contains(right, i) && (widest < 0 || w >= widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break // nothing is left to fold
		}
		widths[widest]--
	}
	return widths
}

func cells(words []string) table.Row {
	row := make(table.Row, len(words))
	for i, w := range words {
		row[i] = w
	}
	return row
}
