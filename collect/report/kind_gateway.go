package report

import (
	"fmt"
	"slices"
	"strconv"

	"hpcbench/collect/aggregate"
)

// gatewayGrid is the overhead of every quantity.
func gatewayGrid(list []aggregate.Overhead, t *aggregate.Table) Grid {
	g := Grid{ID: "gateway", Title: "What the gateway adds", Over: "differences of percentiles in ABBA blocks, 95 % intervals over blocks",
		Columns: []Column{left("quantity"), right("C"), right("direct"), right("gateway"), right("added"), right("share"), right("p"), right("control"), right("blocks")}}
	even := !slices.ContainsFunc(list, func(o aggregate.Overhead) bool { return o.Blocks != list[0].Blocks })
	if even && len(list) > 0 { // a column of one and the same number says nothing
		g.Over = fmt.Sprintf("differences of percentiles, 95 %% intervals over %d ABBA blocks", list[0].Blocks)
		g.Columns = g.Columns[:len(g.Columns)-1]
	}
	if t.Simulated {
		g.Over += " · SIMULATED"
	}
	for _, o := range list {
		label := o.Label
		if o.Unit == "ms" {
			label += " ms"
		}
		row := []Cell{word(label), word(strconv.Itoa(o.Streams)), word(Number(o.Direct, 4)), word(Number(o.Gateway, 4)), signedCell(o.Added), word(none), word(none), word(none), word(strconv.Itoa(o.Blocks))}
		if o.Primary {
			row[0].Mark = " ◂"
		}
		if o.Share != nil {
			row[5] = word(SignedPercent(*o.Share))
		}
		if o.P != nil {
			row[6] = word(fmt.Sprintf("%.2g", *o.P))
		}
		if o.Control != nil {
			row[7] = Cell{Text: fmt.Sprintf("%+.3g", *o.Control)}
			if o.ControlHalf != nil {
				row[7].Spread = fmt.Sprintf("±%.2g", *o.ControlHalf)
			}
		}
		g.Rows = append(g.Rows, row[:len(g.Columns)])
	}
	g.Notes = append(g.Notes, "◂ the endpoint that decides; the others are shown", "C: streams at once", "control: direct against direct, the noise floor of the same blocks")
	return g
}

func signedCell(e aggregate.Estimate) Cell {
	c := cellOf(e, 1)
	if e.Mean != nil && *e.Mean > 0 {
		c.Text = "+" + c.Text
	}
	return c
}

// minBlocks is the fewest ABBA blocks that can say anything: six have a smallest p of .031.
const minBlocks = 6

// overheadWords say what the gateway adds to the endpoint that decides.
func overheadWords(list []aggregate.Overhead) string {
	for _, o := range list {
		if !o.Primary || o.Added.Mean == nil {
			continue
		}
		words := fmt.Sprintf("The gateway adds %s ms to %s", Number(*o.Added.Mean, 3), o.Label)
		if o.Added.Low != nil {
			words += fmt.Sprintf(" (95 %% interval %s to %s ms, over %d blocks)", Number(*o.Added.Low, 3), Number(*o.Added.High, 3), o.Blocks)
			if *o.Added.Low <= 0 && *o.Added.High >= 0 {
				words += ", which can't be told from nothing"
			}
		}
		return words + ". "
	}
	return ""
}
