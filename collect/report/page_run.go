package report

import (
	"fmt"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/compare"
	"hpcbench/results"
)

// RunPage makes the page of one run, or of several beside each other. The
// comparison is optional; its verdict is then the page's. Runs should have been
// read with values and timelines: without them those figures are missing.
func RunPage(docs []*Document, c *compare.Comparison, madeBy string) Page {
	p := Page{MadeBy: madeBy}
	for _, d := range docs {
		p.Simulated = p.Simulated || d.Simulated
	}
	if c != nil {
		p.Title = fmt.Sprintf("%s against %s", c.New, c.Base)
		p.Verdict, p.Reason, p.Tone = string(c.Verdict), c.Reason, tone(c.Verdict)
		p.Sections = append(p.Sections, comparisonSection(c))
	} else if len(docs) > 0 {
		p.Title = strings.Join(names(docs), " and ")
		p.Verdict, p.Reason, p.Tone = docs[0].standing()
		if len(docs) > 1 {
			p.Verdict, p.Reason, p.Tone = "", "", ""
		}
	}
	if len(docs) == 1 {
		p.Facts = docs[0].facts()
	}
	if len(docs) > 1 {
		if s := besideSection(docs); len(s.Figures) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	for i, d := range docs {
		p.Sections = append(p.Sections, d.sections(prefixOf(docs, i))...)
	}
	return p
}

func names(docs []*Document) []string {
	var out []string
	for _, d := range docs {
		out = append(out, d.Run)
	}
	return out
}

// prefixOf keeps ids and titles apart where there are several runs.
func prefixOf(docs []*Document, i int) string {
	if len(docs) == 1 {
		return ""
	}
	return fmt.Sprintf("%d-", i+1)
}

func tone(v compare.Verdict) string {
	switch v {
	case compare.Regressed, compare.Invalid:
		return "bad"
	case compare.Improved, compare.NoChange:
		return "good"
	}
	return "warn"
}

// standing says in words what a run alone is good for, and how far it keeps up.
func (d *Document) standing() (verdict, reason, tone string) {
	outcome, words := d.Outcome(false)
	switch outcome {
	case aggregate.Invalid:
		return "invalid", words, "bad"
	case aggregate.Empty:
		return "no numbers yet", words, "warn"
	}
	reason = fmt.Sprintf("%d of %d repeats are good, %s.", d.Good, d.Asked, d.overWords())
	blocks := false
	switch d.Conditions.Plan.Kind {
	case results.KindCapacity:
		if k := aggregate.FindKnee(d.run); k != nil {
			reason = upper(k.Words()) + ". " + reason
		}
	case results.KindMatrix:
		reason = d.matrixWords() + reason
	case results.KindGateway:
		list := aggregate.Gateway(d.run)
		blocks = len(list) > 0 && list[0].Blocks >= minBlocks // blocks are the unit, not repeats
		reason = overheadWords(list) + reason
	default:
		if w := d.keepsUp(); w != "" {
			reason = w + " " + reason
		}
	}
	if d.Good < aggregate.MinRepeats && !blocks {
		return "too few repeats", reason, "warn"
	}
	if d.Simulated {
		return "simulated", reason, "warn"
	}
	for _, n := range d.Notes() {
		if n.Level == results.LevelInvalid {
			return "measured, with gaps", reason, "warn"
		}
	}
	return "measured", reason, "good"
}

// overWords say over what the repeats are, to follow a comma.
func (d *Document) overWords() string {
	w := d.Over.Words
	if strings.HasPrefix(w, "within ") {
		return w
	}
	if d.Good == 1 {
		return "on one node"
	}
	return "over " + w
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// keepsUp is one sentence on the highest load that the server kept up with.
func (d *Document) keepsUp() string {
	var last, first *aggregate.Step
	for i := range d.Steps {
		s := &d.Steps[i]
		if s.Step.RatePerS == 0 || len(s.Used) == 0 {
			continue
		}
		if s.Has("saturated") {
			if first == nil {
				first = s
			}
			continue
		}
		if first == nil {
			last = s
		}
	}
	if last == nil {
		return ""
	}
	words := fmt.Sprintf("It keeps up with %s requests/s", Rate(last.Step.RatePerS))
	if first == nil {
		words += ", the most that was asked"
	} else {
		words += fmt.Sprintf(", and no longer with %s", Rate(first.Step.RatePerS))
	}
	var parts []string
	for _, m := range []struct{ metric, words string }{{ttftMetric(&d.Table), "a median TTFT of %s ms"}, {"corrected.tpot_ms.p50", "%s ms a token"}, {"corrected.output_tokens_per_s", "%s tokens/s"}} {
		if e, ok := last.Estimate(m.metric); ok && e.Mean != nil {
			parts = append(parts, fmt.Sprintf(m.words, Number(*e.Mean, 3)))
		}
	}
	if len(parts) > 0 {
		words += ": " + strings.Join(parts, ", ")
	}
	return words + "."
}

// facts are the run in short.
func (d *Document) facts() []Fact {
	c := d.Conditions
	var out []Fact
	add := func(name, value string) {
		if value != "" && value != "0" {
			out = append(out, Fact{name, value})
		}
	}
	add("Model", c.Model)
	if c.GPUs > 0 {
		add("GPUs", fmt.Sprintf("%d × %s", c.GPUs, c.GPUKind))
	}
	add("Site", strings.Trim(c.Site+", "+c.Partition, ", "))
	add("Engine", strings.TrimSpace(c.Engine+" "+strings.Join(c.EngineVersions, ", ")))
	add("Plan", c.Plan.Name)
	add("Repeats", fmt.Sprintf("%d of %d, %s", d.Good, d.Asked, d.overWords()))
	if d.Spent != nil {
		add("Spent", fmt.Sprintf("%s %s", Number(d.Spent.Hours, 3), d.Spent.Unit))
	}
	return out
}

// sections are all parts of one run.
func (d *Document) sections(prefix string) []Section {
	title := func(s string) string {
		if prefix == "" {
			return s
		}
		return s + " of " + d.Run
	}
	var out []Section
	add := func(s Section) {
		if len(s.Figures)+len(s.Grids)+len(s.Notes)+len(s.Facts) == 0 {
			return
		}
		s.ID = prefix + s.ID
		for i := range s.Figures {
			s.Figures[i].ID = prefix + s.Figures[i].ID
		}
		for i := range s.Grids {
			s.Grids[i].ID = prefix + s.Grids[i].ID
		}
		out = append(out, s)
	}
	add(Section{ID: "load", Title: title(d.mainTitle()), Figures: kept(d.figures()), Grids: d.Grids()})
	add(Section{ID: "findings", Title: title("Findings"), Notes: d.Notes()})
	add(Section{ID: "distributions", Title: title("Distributions"), Figures: kept(d.distributionFigures()), Grids: d.pooledGrid()})
	add(Section{ID: "timelines", Title: title("Timelines of the repeats"), Figures: kept(d.timelineFigures())})
	add(Section{ID: "conditions", Title: title("Conditions"), Facts: d.conditionFacts()})
	add(Section{ID: "provenance", Title: title("Provenance"), Grids: []Grid{d.provenanceGrid()}, Closed: true})
	return out
}

// mainTitle names the first part by the plan's kind.
func (d *Document) mainTitle() string {
	switch d.Conditions.Plan.Kind {
	case results.KindMatrix:
		return "Matrix"
	case results.KindCapacity:
		return "Capacity"
	case results.KindGateway:
		return "Overhead"
	}
	return "Latency and throughput"
}

// figures are those of the plan's kind.
func (d *Document) figures() []Figure {
	switch d.Conditions.Plan.Kind {
	case results.KindMatrix:
		return d.matrixFigures()
	case results.KindCapacity:
		if k := aggregate.FindKnee(d.run); k != nil {
			return append([]Figure{capacityFigure(k)}, d.loadFigures()...)
		}
	case results.KindGateway:
		if list := aggregate.Gateway(d.run); len(list) > 0 {
			return []Figure{gatewayFigure(list)}
		}
	}
	return d.loadFigures()
}

func kept(all []Figure) []Figure {
	var out []Figure
	for _, f := range all {
		if !f.empty() {
			out = append(out, f)
		}
	}
	return out
}

// besideSection lays the runs' curves over each other.
func besideSection(docs []*Document) Section {
	s := Section{ID: "beside", Title: "Side by side"}
	label, at := loadAxis(&docs[0].Table)
	for _, q := range []struct{ id, title, metric, unit string }{
		{"beside-tpot", "TPOT, median", "corrected.tpot_ms.p50", "ms"}, {"beside-ttft", "TTFT, median", "corrected.ttft_ms.p50", "ms"},
		{"beside-e2e", "E2E, p95", "corrected.e2e_ms.p95", "ms"}, {"beside-tokens", "Throughput", "corrected.output_tokens_per_s", "output tokens/s"}} {
		f := Figure{ID: q.id, Title: q.title + " over load", Kind: FigureXY, Key: curveKey, X: Axis{Label: label, Log: logarithmic(&docs[0].Table, at), Ticks: loads(&docs[0].Table, at)}, Y: Axis{Label: q.unit, Zero: true}}
		var words []string
		for i, d := range docs {
			f.Series = append(f.Series, curve(&d.Table, d.Run, q.metric, 1, i, at)...)
			words = append(words, curveAlt(d.Run+": "+q.title, label, &d.Table, q.metric, at))
		}
		f.Alt = strings.Join(words, " ")
		s.Figures = append(s.Figures, f)
	}
	s.Figures = kept(s.Figures)
	return s
}

// comparisonSection is the forest plot and the table of a comparison.
func comparisonSection(c *compare.Comparison) Section {
	s := Section{ID: "comparison", Title: "Comparison", Grids: []Grid{CompareGrid(c)}, Notes: compareNotes(c)}
	if f := ForestFigure(c); !f.empty() {
		s.Figures = []Figure{f}
	}
	for _, part := range []struct {
		id, title string
		list      []compare.Difference
	}{{"differ", "Conditions that forbid a verdict", c.Matters}, {"also", "Also changed", c.Also}} {
		if len(part.list) == 0 {
			continue
		}
		g := Grid{ID: part.id, Title: part.title, Columns: []Column{left("what"), left("base"), left("new")}}
		for _, d := range part.list {
			g.Rows = append(g.Rows, []Cell{word(d.What), word(shorten(d.Base)), word(shorten(d.New))})
		}
		s.Grids = append(s.Grids, g)
	}
	return s
}
