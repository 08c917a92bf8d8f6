package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/results"
)

// Reference writes a published table for people, as it was printed, with its
// conditions and what is known to be wrong with it.
func Reference(w io.Writer, r results.Reference, colour bool) error {
	p := &printer{w: w, colour: colour}
	c := r.Conditions
	p.paint(r.Name+": "+r.Title, text.Bold)
	p.line(fmt.Sprintf("%s on %d × %s (%s%s), %s", c.Model, c.GPUs, c.GPUKind, c.Site, behind(", ", c.Partition), c.Path))
	p.line(fmt.Sprintf("vllm %s · image %s", c.EngineVersion, c.Image))
	runs := "one run, as far as is stated"
	if c.Runs > 0 {
		runs = fmt.Sprintf("%d runs", c.Runs)
	}
	p.line(fmt.Sprintf("%s · %s%s · by the %s", c.Statistic, runs, behind(", ", c.Date), c.Tool))
	vus := fmt.Sprintf("max VUs %d", c.MaxVUs)
	if !c.MaxVUsStated {
		vus += " (not stated: the tool's default)"
	}
	p.line(fmt.Sprintf("warm-up %s s, %s s a rate, prompts of %d tokens, outputs of %d±%s in %d..%d, %s",
		Rate(c.WarmupS), Rate(c.DurationS), c.PromptTokens, c.OutputTokens, Rate(c.OutputSD), c.OutputMin, c.OutputMax, vus))
	p.line("the same load: --plan " + r.Plan)
	p.grid(ReferenceGrid(r))
	p.remarks(r.Remarks)
	return p.err
}

// behind puts words behind a separator, where there are any.
func behind(separator, words string) string {
	if words == "" {
		return ""
	}
	return separator + words
}

func (p *printer) remarks(remarks []string) {
	if len(remarks) == 0 {
		return
	}
	p.line("")
	for _, r := range remarks {
		p.wrapped("  note     ", r, nil)
	}
}

// referenceColumn is a column of published tables; the P90 tables have fewer than the others.
type referenceColumn struct {
	head string
	of   func(r results.ReferenceRow) *float64
}

var referenceColumns = []referenceColumn{
	{"QPS", func(r results.ReferenceRow) *float64 { return r.QPS }},
	{"E2E s", func(r results.ReferenceRow) *float64 { return r.E2ES }},
	{"ITL ms", func(r results.ReferenceRow) *float64 { return r.ITLMs }},
	{"TTFT ms", func(r results.ReferenceRow) *float64 { return r.TTFTMs }},
	{"E2E ms", func(r results.ReferenceRow) *float64 { return r.E2EMs }},
	{"tokens/s", func(r results.ReferenceRow) *float64 { return r.TokensPerS }},
}

// ReferenceGrid is the table of a reference with the columns that it has.
func ReferenceGrid(r results.Reference) Grid {
	g := Grid{ID: "reference", Title: "As published, " + r.Conditions.Statistic, Columns: []Column{left("step")}}
	var shown []referenceColumn
	counts := false
	for _, row := range r.Rows {
		counts = counts || row.Total != nil
	}
	for _, c := range referenceColumns {
		for _, row := range r.Rows {
			if c.of(row) != nil {
				shown = append(shown, c)
				g.Columns = append(g.Columns, right(c.head))
				break
			}
		}
	}
	if counts {
		g.Columns = append(g.Columns, right("errors"), right("ok/total"))
	}
	for _, row := range r.Rows {
		cells := []Cell{word(Rate(row.RatePerS) + "/s")}
		if row.Suspect != "" {
			cells[0].Mark = " ?"
			g.Notes = append(g.Notes, fmt.Sprintf("? %s/s is suspect and doesn't decide: %s", Rate(row.RatePerS), row.Suspect))
		}
		for _, c := range shown {
			cells = append(cells, published(c.of(row)))
		}
		if counts {
			cells = append(cells, publishedShare(row.ErrorShare), publishedCounts(row))
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

// published prints a figure with the digits it was printed with.
func published(x *float64) Cell {
	if x == nil {
		return word(none)
	}
	return Cell{Text: strconv.FormatFloat(*x, 'f', -1, 64), Value: x}
}

func publishedShare(x *float64) Cell {
	if x == nil {
		return word(none)
	}
	return Cell{Text: Percent(*x), Value: x}
}

func publishedCounts(r results.ReferenceRow) Cell {
	if r.Successful == nil || r.Total == nil {
		return word(none)
	}
	return word(fmt.Sprintf("%d/%d", *r.Successful, *r.Total))
}

// MatrixReference writes a published matrix for people.
func MatrixReference(w io.Writer, r results.MatrixReference, colour bool) error {
	p := &printer{w: w, colour: colour}
	c := r.Conditions
	p.paint(r.Name+": "+r.Title, text.Bold)
	p.line(fmt.Sprintf("%s on %d × %s", c.Model, c.GPUs, c.GPUKind))
	p.line(strings.Join([]string{c.Engine + " " + c.EngineVersion, c.Quantization, c.Image}, " · "))
	p.line(fmt.Sprintf("%s by %s; windows of %s s in the middle of answers of %d tokens", c.Statistic, c.Tool, Rate(c.WindowS), c.MaxOutputTokens))
	p.line("the same load: --plan " + r.Plan)
	for _, g := range MatrixReferenceGrids(r) {
		p.grid(g)
	}
	p.remarks(r.Remarks)
	return p.err
}

// MatrixReferenceGrids are the grids of a published matrix, contexts down and
// streams across, and its prefill table.
func MatrixReferenceGrids(r results.MatrixReference) []Grid {
	grids := []Grid{
		matrixReferenceGrid(r, "total-per-s", "Output tokens/s of all streams", func(c results.MatrixCell) *float64 { return c.TotalPerS }),
		matrixReferenceGrid(r, "ttft", "TTFT ms, median, prompts cached", func(c results.MatrixCell) *float64 { return c.TTFTMs }),
	}
	if len(r.Prefill) == 0 {
		return grids
	}
	prefill := Grid{ID: "prefill", Title: "Prefill, one request alone", Columns: []Column{left("prompt"), right("TTFT ms"), right("tokens/s"), right("n")}}
	for _, f := range r.Prefill {
		prefill.Rows = append(prefill.Rows, []Cell{word(f.PrintedAs), published(&f.TTFTMs), word(f.TokensPrinted), word(strconv.Itoa(f.Samples))})
	}
	return append(grids, prefill)
}

func matrixReferenceGrid(r results.MatrixReference, id, title string, of func(results.MatrixCell) *float64) Grid {
	g := Grid{ID: id, Title: title, Columns: []Column{left("context")}}
	for _, l := range r.Levels {
		g.Columns = append(g.Columns, right("×"+strconv.Itoa(l)))
	}
	over := false
	for _, context := range r.ContextsTokens {
		row := []Cell{word(contextWords(context))}
		for _, l := range r.Levels {
			c, _ := r.Cell(context, l)
			cell := word(none)
			switch x := of(c); {
			case x != nil:
				cell = Cell{Text: Number(*x, 4), Value: x}
			case c.Status == results.CellOverCapacityPlanned:
				cell, over = Cell{Text: "over", State: "dim"}, true
			}
			row = append(row, cell)
		}
		g.Rows = append(g.Rows, row)
	}
	if over {
		g.Notes = append(g.Notes, "over: beyond the KV cache by arithmetic, not run")
	}
	return g
}

// contextWords writes a context as people do: 16K, 248K.
func contextWords(tokens int) string {
	if tokens >= 1024 && tokens%1024 == 0 {
		return strconv.Itoa(tokens/1024) + "K"
	}
	return strconv.Itoa(tokens)
}
