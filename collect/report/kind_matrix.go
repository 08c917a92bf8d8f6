package report

import (
	"fmt"
	"strconv"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/results"
	"hpcbench/results/judge"
)

// States of a matrix cell as the tables print them.
const (
	cellValid    = "valid"
	cellOver     = "over"     // over capacity by arithmetic, not run
	cellObserved = "ran over" // over capacity: the engine queued, preempted or ran below what was asked
	cellInvalid  = "INVALID"
	cellMissing  = "not run"
)

// matrixCell finds the context and the streams of a decode cell.
func matrixCell(s results.Step) (context, streams int, ok bool) {
	if s.Phase != "decode" {
		return 0, 0, false
	}
	if n, err := fmt.Sscanf(s.ID, "ctx%d@c%d", &context, &streams); n != 2 || err != nil {
		return 0, 0, false
	}
	return context, streams, true
}

// cellState says how a cell's measurement stands, and why.
func cellState(s *aggregate.Step) (state, why string) {
	switch {
	case s.Step.NotRun != "":
		return cellOver, s.Step.NotRun
	case len(s.Used) == 0 && len(s.LeftOut) > 0 && strings.HasPrefix(s.LeftOut[0].Why, "INVALID "):
		return cellInvalid, s.LeftOut[0].Why
	case len(s.Used) == 0:
		return cellMissing, ""
	case s.Has(judge.CodeOverCapacity):
		return cellObserved, ""
	}
	return cellValid, ""
}

// tokensK prints a context length as people do: 16K, 248K, 0.
func tokensK(n int) string {
	if n >= 1024 && n%1024 == 0 {
		return strconv.Itoa(n/1024) + "K"
	}
	return strconv.Itoa(n)
}

// matrixGrids are the speed-test page's tables: total tokens/s and TTFT over
// context and streams, the prefill table, and every measurement.
func (d *Document) matrixGrids() []Grid {
	m := d.Conditions.Plan.Matrix
	if m == nil {
		return nil
	}
	over := heading(&d.Table)
	out := []Grid{
		d.matrixGrid("matrix-tokens", "Sustained decode: total output tokens/s", over, "corrected.output_tokens_per_s"),
		d.matrixGrid("matrix-ttft", "Warm TTFT, median, ms"+sharedWords(d.Conditions.Plan), over, ttftMetric(&d.Table)),
		d.prefillGrid(over),
		d.allMeasurements(over),
	}
	var kept []Grid
	for _, g := range out {
		if len(g.Rows) > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

func ttftMetric(t *aggregate.Table) string {
	if has(t, "corrected.ttft_ms.p50") {
		return "corrected.ttft_ms.p50"
	}
	return "corrected.ttft_from_send_ms.p50"
}

func sharedWords(p results.Plan) string {
	if p.Prompt.Shared {
		return " (one prompt shared by all streams: its prefix is cached)"
	}
	return " (each stream its own prompt)"
}

func (d *Document) matrixGrid(id, title, over, metric string) Grid {
	m := d.Conditions.Plan.Matrix
	g := Grid{ID: id, Title: title, Over: over, Columns: []Column{left("context")}}
	levels := d.Conditions.Plan.Levels
	for _, level := range levels {
		g.Columns = append(g.Columns, right(strconv.Itoa(level)))
	}
	marks := map[string]bool{}
	for _, context := range m.ContextsTokens {
		row := []Cell{word(tokensK(context))}
		for _, level := range levels {
			s := d.StepByID(fmt.Sprintf("ctx%d@c%d", context, level))
			if s == nil {
				row = append(row, Cell{Text: none, State: "dim"})
				continue
			}
			c := matrixText(s, metric)
			marks[c.Text] = true
			if c.Mark == "o" {
				marks["o"] = true
			}
			row = append(row, c)
		}
		g.Rows = append(g.Rows, row)
	}
	if marks["over"] {
		g.Notes = append(g.Notes, "over: not run, since so many requests of this context would not fit the server's KV cache or limits")
	}
	if marks["o"] {
		g.Notes = append(g.Notes, "o: it ran, but the engine queued, preempted or held fewer than asked")
	}
	if marks["INVALID"] {
		g.Notes = append(g.Notes, "INVALID: see the findings")
	}
	return g
}

func matrixText(s *aggregate.Step, metric string) Cell {
	state, _ := cellState(s)
	switch state {
	case cellOver:
		return Cell{Text: "over", State: "dim"}
	case cellInvalid:
		return Cell{Text: "INVALID", State: "bad"}
	case cellMissing:
		return Cell{Text: none, State: "dim"}
	}
	e, _ := s.Estimate(metric)
	c := cellOf(e, 1)
	if state == cellObserved {
		c.Mark = "o"
	}
	return c
}

// prefillGrid is one row a prompt length: cold TTFT and the prompt tokens/s that it means.
func (d *Document) prefillGrid(over string) Grid {
	g := Grid{ID: "prefill", Title: "Prefill, cold (a prefix of its own for each sample)", Over: over,
		Columns: []Column{left("prompt"), right("tokens/s"), right("cold TTFT ms"), right("samples"), right("n"), left("state")}}
	for i := range d.Steps {
		s := &d.Steps[i]
		if s.Step.Phase != "prefill" {
			continue
		}
		state, _ := cellState(s)
		row := []Cell{word(tokensK(s.Step.PromptTokens)), word(none), word(none), word(strconv.Itoa(s.Counts.Completed)), word(strconv.Itoa(len(s.Used))), stateCell(state)}
		if rate, ok := prefillRate(s); ok {
			row[1] = cellOf(rate, 1)
		}
		if e, ok := s.Estimate(ttftMetric(&d.Table)); ok {
			row[2] = cellOf(e, 1)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// prefillRate is prompt tokens by TTFT of each repeat.
func prefillRate(s *aggregate.Step) (aggregate.Estimate, bool) {
	tokens, okTokens := s.Estimate("corrected.prompt_tokens_per_request")
	ttft, okTTFT := s.Estimate("corrected.ttft_ms.p50")
	if !okTokens || !okTTFT {
		return aggregate.Estimate{}, false
	}
	var raw []aggregate.RepeatValue
	for _, n := range tokens.Raw {
		for _, t := range ttft.Raw {
			if t.Repeat == n.Repeat && t.Value > 0 && !t.Unbounded {
				raw = append(raw, aggregate.RepeatValue{Repeat: n.Repeat, Value: n.Value / t.Value * 1000})
			}
		}
	}
	return aggregate.Summarise("prefill_tokens_per_s", raw), len(raw) > 0
}

func stateCell(state string) Cell {
	c := Cell{Text: state}
	switch state {
	case cellValid:
		c.State = "good"
	case cellInvalid:
		c.State = "bad"
	default:
		c.State = "dim"
	}
	return c
}

// allMeasurements is the page's long table.
func (d *Document) allMeasurements(over string) Grid {
	g := Grid{ID: "matrix-all", Title: "All measurements", Over: over, Columns: []Column{left("ctx"), right("C"), left("state"), right("total/s"), right("each/s"), right("TTFT ms"),
		right("TPOT ms"), right("run"), right("done"), right("tokens"), right("n")},
		Notes: []string{"ctx: context tokens · C: streams at once · run: requests running on average · done: requests that completed"}}
	for i := range d.Steps {
		s := &d.Steps[i]
		context, streams, ok := matrixCell(s.Step)
		if !ok {
			continue
		}
		state, _ := cellState(s)
		row := []Cell{word(tokensK(context)), word(strconv.Itoa(streams)), stateCell(state)}
		for _, m := range []struct {
			metric string
			scale  float64
		}{{"corrected.output_tokens_per_s", 1}, {"corrected.output_tokens_per_s", 1 / float64(max(streams, 1))}, {ttftMetric(&d.Table), 1}, {"corrected.tpot_ms.p50", 1}} {
			e, _ := s.Estimate(m.metric)
			c := cellOf(e, m.scale)
			c.Spread = "" // it stands in the grids above
			row = append(row, c)
		}
		active := word(none)
		for _, metric := range []string{"server.running", "corrected.in_flight_mean"} {
			if e, ok := s.Estimate(metric); ok && e.Mean != nil && len(s.Used) > 0 {
				active = word(Number(*e.Mean, 3))
				break
			}
		}
		tokens := word(none)
		if e, ok := s.Estimate("corrected.output_tokens"); ok && e.Mean != nil {
			tokens = word(fmt.Sprintf("%.0f", *e.Mean))
		}
		row = append(row, active, word(strconv.Itoa(s.Counts.Completed)), tokens, word(strconv.Itoa(len(s.Used))))
		g.Rows = append(g.Rows, row)
	}
	return g
}

// matrixFigures are the heat maps of the grid.
func (d *Document) matrixFigures() []Figure {
	m := d.Conditions.Plan.Matrix
	if m == nil {
		return nil
	}
	var out []Figure
	for _, q := range []struct{ id, title, metric string }{
		{"heat-tokens", "Total output tokens/s", "corrected.output_tokens_per_s"}, {"heat-ttft", "Warm TTFT, median, ms", ttftMetric(&d.Table)}} {
		f := Figure{ID: q.id, Title: q.title + " by context and streams", Kind: FigureHeat, X: Axis{Label: "streams"}, Y: Axis{Label: "context, tokens"}}
		for _, l := range d.Conditions.Plan.Levels {
			f.X.Categories = append(f.X.Categories, strconv.Itoa(l))
		}
		for _, c := range m.ContextsTokens {
			f.Y.Categories = append(f.Y.Categories, tokensK(c))
		}
		best := ""
		peak := 0.0
		for y, context := range m.ContextsTokens {
			for x, level := range d.Conditions.Plan.Levels {
				s := d.StepByID(fmt.Sprintf("ctx%d@c%d", context, level))
				if s == nil {
					continue
				}
				c := matrixText(s, q.metric)
				f.Cells = append(f.Cells, Heat{X: x, Y: y, Value: c.Value, Text: c.Text, State: c.State})
				if c.Value != nil && *c.Value > peak {
					peak, best = *c.Value, fmt.Sprintf("%s at context %s with %d streams", c.Text, tokensK(context), level)
				}
			}
		}
		f.Alt = fmt.Sprintf("Heat map of %s over %d contexts and %d numbers of streams; the largest is %s.", q.title, len(f.Y.Categories), len(f.X.Categories), best)
		out = append(out, f)
	}
	return out
}

// matrixWords say the largest throughput and how many cells there are, in a sentence.
func (d *Document) matrixWords() string {
	best, where, run, cells := 0.0, "", 0, 0
	for i := range d.Steps {
		s := &d.Steps[i]
		context, streams, ok := matrixCell(s.Step)
		if !ok {
			continue
		}
		cells++
		if len(s.Used) > 0 {
			run++
		}
		if e, ok := s.Estimate("corrected.output_tokens_per_s"); ok && e.Mean != nil && *e.Mean > best {
			best, where = *e.Mean, fmt.Sprintf("context %s with %d streams", tokensK(context), streams)
		}
	}
	if where == "" {
		return ""
	}
	return fmt.Sprintf("The most is %s tokens/s at %s; %d of %d cells have numbers. ", Number(best, 4), where, run, cells)
}
