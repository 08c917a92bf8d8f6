package report

import (
	"fmt"
	"strconv"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/results"
)

// shapeColumn is one column of a shape: a metric and its scale, such as 1/1000 for seconds.
type shapeColumn struct {
	head   string
	metric string
	scale  float64
}

// shape is a table as one of the sources prints it, from one set of metrics.
type shape struct {
	id, title string
	set       string
	columns   []shapeColumn
	errors    string // metric of the error share, "" = no such column
	ok, total string // metrics of the count column
}

// The two shapes of the published tables, each from both sets. The corrected
// ones have TPOT where the tool says ITL: both are a request's time per token.
var shapes = []shape{
	{"mean-compat", "Means as the Hugging Face tool prints them (compat)", aggregate.SetCompat, []shapeColumn{
		{"QPS", "compat.request_rate_per_s", 1}, {"E2E s", "compat.e2e_ms.avg", 1e-3}, {"TTFT ms", "compat.ttft_ms.avg", 1},
		{"ITL ms", "compat.itl_ms.avg", 1}, {"tokens/s", "compat.output_tokens_per_s", 1}},
		"compat.error_share", "compat.successful_requests", "compat.total_requests"},
	{"p90-compat", "P90 as the Hugging Face tool prints it (compat)", aggregate.SetCompat, []shapeColumn{
		{"QPS", "compat.request_rate_per_s", 1}, {"ITL P90 ms", "compat.itl_ms.p90", 1}, {"TTFT P90 ms", "compat.ttft_ms.p90", 1},
		{"E2E P90 ms", "compat.e2e_ms.p90", 1}, {"tokens/s", "compat.output_tokens_per_s", 1}}, "", "", ""},
	{"mean-corrected", "Means from the intended send time, nothing censored (corrected)", aggregate.SetCorrected, []shapeColumn{
		{"done/s", "corrected.achieved_per_s", 1}, {"E2E s", "corrected.e2e_ms.mean", 1e-3}, {"TTFT ms", "corrected.ttft_ms.mean", 1},
		{"TPOT ms", "corrected.tpot_ms.mean", 1}, {"tokens/s", "corrected.output_tokens_per_s", 1}},
		"corrected.error_share", "corrected.completed_requests", "corrected.sent_requests"},
	{"p90-corrected", "P90 from the intended send time, nothing censored (corrected)", aggregate.SetCorrected, []shapeColumn{
		{"done/s", "corrected.achieved_per_s", 1}, {"TPOT P90 ms", "corrected.tpot_ms.p90", 1}, {"TTFT P90 ms", "corrected.ttft_ms.p90", 1},
		{"E2E P90 ms", "corrected.e2e_ms.p90", 1}, {"tokens/s", "corrected.output_tokens_per_s", 1}}, "", "", ""},
}

// shapeGrid fills one shape from a table.
func shapeGrid(s shape, t *aggregate.Table) Grid {
	g := Grid{ID: s.id, Title: s.title, Over: heading(t)}
	g.Columns = append(g.Columns, left("step"))
	for _, c := range s.columns {
		g.Columns = append(g.Columns, right(c.head))
	}
	if s.errors != "" {
		okHead := "ok/total"
		if s.set == aggregate.SetCorrected {
			okHead = "done/sent"
		}
		g.Columns = append(g.Columns, right("errors"), right(okHead))
	}
	g.Columns = append(g.Columns, right("n"))
	for i := range t.Steps {
		if row, any := shapeRow(s, &t.Steps[i]); any || len(t.Steps[i].LeftOut) > 0 {
			g.Rows = append(g.Rows, row)
		}
	}
	return g
}

func shapeRow(s shape, step *aggregate.Step) (row []Cell, any bool) {
	row = append(row, Cell{Text: StepLabel(step.Step), Mark: stepMark(step)})
	for _, c := range s.columns {
		e, ok := step.Estimate(c.metric)
		any = any || ok
		row = append(row, cellOf(e, c.scale))
	}
	if s.errors != "" {
		row = append(row, shareCell(step, s.errors), countsCell(step, s.ok, s.total))
	}
	return append(row, word(strconv.Itoa(len(step.Used)))), any
}

func shareCell(step *aggregate.Step, metric string) Cell {
	e, ok := step.Estimate(metric)
	if !ok || e.Mean == nil {
		return word(none)
	}
	c := Cell{Text: Percent(*e.Mean), Value: e.Mean}
	if *e.Mean > 0 {
		c.State = "bad"
	}
	return c
}

func countsCell(step *aggregate.Step, ok, total string) Cell {
	a, okA := step.Estimate(ok)
	b, okB := step.Estimate(total)
	if !okA || !okB || a.Mean == nil || b.Mean == nil {
		return word(none)
	}
	return word(fmt.Sprintf("%.0f/%.0f", *a.Mean, *b.Mean))
}

// stepMark points from a row to what is said of the step below the table.
func stepMark(step *aggregate.Step) string {
	mark := ""
	if step.Has("saturated") {
		mark += "s"
	}
	if len(step.LeftOut) > 0 {
		mark += "†"
	}
	if len(step.Findings) > 0 && mark == "" {
		mark = "!"
	}
	if mark == "" {
		return ""
	}
	return " " + mark
}

// legend explains the marks that a grid has.
func (g Grid) legend() string {
	used := map[rune]bool{}
	for _, r := range g.Rows {
		for _, c := range r {
			for _, m := range c.Mark {
				used[m] = true
			}
		}
	}
	var words []string
	for _, l := range []struct {
		mark  rune
		words string
	}{{'s', "s saturated"}, {'†', "† a repeat is left out"}, {'!', "! see below"}, {'*', "* a repeat stands out, and is counted"}} {
		if used[l.mark] {
			words = append(words, l.words)
		}
	}
	return strings.Join(words, " · ")
}

// heading is what stands above every table: how many repeats, and over what.
func heading(t *aggregate.Table) string {
	words := fmt.Sprintf("%d repeats", t.Good)
	if t.Good == 1 {
		words = "1 repeat, no spread"
	}
	if short := t.Short(); short != "" {
		words = "ONLY " + short
	}
	if t.Good > 1 {
		words += ", 95 % intervals over " + strings.TrimPrefix(t.Over.Words, "within ")
	}
	if t.Simulated {
		words += " · SIMULATED"
	}
	return words
}

// StepLabel names a step shortly: "2.53/s", "16 streams", else its id.
func StepLabel(s results.Step) string {
	switch {
	case s.Phase != "" || s.Arm != "":
		return s.ID
	case s.Loop == results.LoopOpen && s.RatePerS > 0 && s.Arrival == "poisson":
		return Rate(s.RatePerS) + "/s poisson"
	case s.Loop == results.LoopOpen && s.RatePerS > 0:
		return Rate(s.RatePerS) + "/s"
	case s.Loop == results.LoopClosed && strings.HasPrefix(s.ID, "concurrency@"):
		return fmt.Sprintf("%d streams", s.Streams)
	}
	return s.ID
}

// Rate prints a rate as people write it: 2.53, 19.22, 8.
func Rate(perS float64) string { return strconv.FormatFloat(perS, 'f', -1, 64) }
