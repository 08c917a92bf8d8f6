package report

import (
	"fmt"
	"regexp"
	"strconv"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/gate"
	"hpcbench/results"
)

// nightGrids are the entries, then each entry's rows and pairs.
func nightGrids(n gate.SuiteNight) []Grid {
	all := Grid{ID: "entries", Title: "Entries", Columns: []Column{left("entry"), left("state"), left("run"), right("rows"), right("pairs")}}
	out := []Grid{all}
	for _, e := range n.Entries {
		pairs := 0
		for _, c := range e.Night.Confirm {
			pairs = max(pairs, c.Pairs)
		}
		run := e.Run
		if run == "" {
			run = none
		}
		if e.Simulated {
			run += " (simulated)"
		}
		out[0].Rows = append(out[0].Rows, []Cell{word(e.Entry), nightStateCell(entryState(e)), word(run), word(strconv.Itoa(len(e.Night.Screen))), word(strconv.Itoa(pairs))})
		for _, g := range []Grid{screenGrid(e), confirmGrid(e)} {
			if len(g.Rows) > 0 {
				out = append(out, g)
			}
		}
	}
	return out
}

var rateID = regexp.MustCompile(`^constant@(\d+(?:\.\d+)?)req/s$`)

// shortStep is a step's id as tables have it: "12.81/s" for constant rates.
func shortStep(id string) string {
	if m := rateID.FindStringSubmatch(id); m != nil {
		if rate, err := strconv.ParseFloat(m[1], 64); err == nil {
			return Rate(rate) + "/s"
		}
	}
	return id
}

func nightNotes(n gate.SuiteNight) []Note {
	var out []Note
	for _, e := range n.Entries {
		level := results.LevelNote
		switch entryState(e) {
		case gate.Red, gate.Invalid:
			level = results.LevelInvalid
		case notMeasured, gate.MachineChanged, gate.Inconclusive, gate.NeedsPairs:
			level = results.LevelWarning
		}
		words := fmt.Sprintf("%s %s: %s", e.Entry, entryState(e), entryReason(e))
		if level == results.LevelInvalid && entryState(e) == gate.Red {
			level = results.LevelWarning // a red night is a valid measurement
		}
		out = append(out, Note{level, words})
	}
	return out
}

// screenGrid is tonight against the past, a row a gate metric and step.
func screenGrid(e gate.EntryNight) Grid {
	g := Grid{ID: "screen-" + e.Entry, Title: e.Entry + ": tonight against the past", Over: "geometric means of the repeats; + is worse",
		Columns: []Column{left("step"), left("metric"), right("tonight"), right("history"), right("worse"), right("pinned"), right("worse"), left("state")}}
	for _, s := range e.Night.Screen {
		row := []Cell{word(shortStep(s.Step)), word(label(s.Metric)), word(none), meanCell(s.History), worseCell(s.WorseThanHistory), meanCell(s.Pinned), worseCell(s.WorseThanPinned), screenState(s)}
		if s.Tonight > 0 {
			row[2] = meanCell(&s.Tonight)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func screenState(s gate.ScreenRow) Cell {
	if s.State == gate.NeedsPairs {
		return word("suspect")
	}
	return nightStateCell(s.State)
}

func label(metric string) string {
	if m, ok := aggregate.MetricByName(metric); ok {
		return m.Label
	}
	return metric
}

func worseCell(share *float64) Cell {
	if share == nil {
		return word(none)
	}
	return Cell{Text: fmt.Sprintf("%+.1f %%", *share*100), Value: share}
}

// confirmGrid is the suspects side by side with the frozen baseline.
func confirmGrid(e gate.EntryNight) Grid {
	g := Grid{ID: "confirm-" + e.Entry, Title: e.Entry + ": side by side with the frozen baseline", Over: "paired on one node, the same schedules; + is worse",
		Columns: []Column{left("step"), left("metric"), right("pairs"), right("worse"), right("95 % interval"), right("p"), right("would find"), left("state")}}
	for _, c := range e.Night.Confirm {
		g.Rows = append(g.Rows, []Cell{word(shortStep(c.Step)), word(label(c.Metric)), word(strconv.Itoa(c.Pairs)), worseCell(&c.Worse), word(fmt.Sprintf("%+.1f…%+.1f %%", c.Low*100, c.Upper*100)),
			word(fmt.Sprintf("%.2g", c.Adjusted)), word(Percent(c.Detectable)), nightStateCell(c.State)})
	}
	return g
}

// confirmFigure is the same as a forest plot.
func confirmFigure(e gate.EntryNight) Figure {
	f := Figure{Title: "Candidate against the frozen baseline", Kind: FigureForest, X: Axis{Label: "ratio, with its 95 % interval; above 1 is worse"}, Key: "Squares: red."}
	s := Series{Name: "ratio", Kind: SeriesDots}
	for _, c := range e.Night.Confirm {
		state := "good"
		if c.State == gate.Red {
			state = "bad"
		} else if c.State != gate.Green {
			state = ""
		}
		s.Points = append(s.Points, Point{X: 1 + c.Worse, Y: float64(len(f.Y.Categories)), Low: ptr(1 + c.Low), High: ptr(1 + c.Upper), State: state, Label: c.Reason, Bound: ptr(0.05)})
		f.Y.Categories = append(f.Y.Categories, shortStep(c.Step)+" "+label(c.Metric))
	}
	f.Series = []Series{s}
	f.Marks = []Mark{{Label: "the same", X: ptr(1.0)}}
	f.Alt = fmt.Sprintf("Forest plot of %d suspects: how much slower the candidate is than the frozen baseline, with 95 %% intervals.", len(s.Points))
	return f
}
