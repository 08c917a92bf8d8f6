package main

import (
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/results"
)

// colour says whether the output is a terminal that wants it.
func (a *app) colour() bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && terminal(a.stdout)
}

// terminal says whether w is one.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// json prints a value as our files are written.
func (a *app) json(v any) error {
	b, err := results.EncodeJSON(v)
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(b)
	return err
}

// listStyle has no lines but one below the heading, so that it survives pipes.
var listStyle = table.Style{
	Name:    "hpcbench",
	Box:     table.BoxStyle{MiddleHorizontal: "─", PaddingRight: "  "},
	Format:  table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault},
	Options: table.Options{SeparateHeader: true},
}

// list prints rows below a heading. Columns named in right hold numbers; on a
// terminal the last column is wrapped to what is left of it.
func (a *app) list(head []string, rows [][]string, right ...int) error {
	t := table.NewWriter()
	t.SetStyle(listStyle)
	t.AppendHeader(cells(head))
	wide := 0
	for i := range len(head) - 1 {
		w := text.StringWidth(head[i])
		for _, r := range rows {
			w = max(w, text.StringWidth(r[i]))
		}
		wide += w + 2
	}
	columns := []table.ColumnConfig{{Number: len(head), WidthMax: max(80-wide, 24), WidthMaxEnforcer: text.WrapSoft}}
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
