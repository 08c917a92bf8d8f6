package main

import (
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// colour says whether the output is a terminal that wants it.
func (a *app) colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(a.stdout)
}

// list prints rows below a heading. Columns numbered in right hold numbers. On a
// terminal the last column is wrapped to what is left of its width; in a pipe lines stay
// whole, so that grep finds what it looks for.
func (a *app) list(head []string, rows [][]string, right ...int) error {
	t := table.NewWriter()
	t.SetStyle(plainStyle)
	t.AppendHeader(cells(head))
	wide := 0
	for i := range len(head) - 1 {
		w := text.StringWidth(head[i])
		for _, r := range rows {
			w = max(w, text.StringWidth(r[i]))
		}
		wide += w + 2
	}
	var columns []table.ColumnConfig
	if isTerminal(a.stdout) {
		columns = append(columns, table.ColumnConfig{Number: len(head), WidthMax: max(80-wide, 24), WidthMaxEnforcer: text.WrapSoft})
	}
	for _, n := range right {
		columns = append(columns, table.ColumnConfig{Number: n + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	for _, r := range rows {
		t.AppendRow(cells(r))
	}
	var b strings.Builder
	for _, l := range strings.Split(t.Render(), "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

func cells(words []string) table.Row {
	row := make(table.Row, len(words))
	for i, w := range words {
		row[i] = w
	}
	return row
}
