package report

import (
	"fmt"
	"strconv"
	"strings"
)

// pooledGrid is the percentiles of all requests pooled, beside the mean of the
// repeats' own; nil where the run was read without values.
func (d *Document) pooledGrid() []Grid {
	g := Grid{ID: "pooled", Title: "Percentiles of all requests pooled", Over: "beside the mean of the repeats' percentiles; intervals by order statistics, where n allows them",
		Columns: []Column{left("step"), left("quantity"), right("n"), right("p50"), right("p90"), right("p95"), right("p99"), right("mean of repeats' p95")}}
	for i := range d.Steps {
		s := &d.Steps[i]
		for _, q := range s.Pooled {
			row := []Cell{word(StepLabel(s.Step)), word(q.Quantity), word(strconv.Itoa(q.N))}
			for _, p := range q.Percentiles {
				c := word(none)
				switch {
				case p.Value != nil:
					c = Cell{Text: Number(*p.Value, 4), Value: p.Value}
					if p.Low != nil && p.High != nil {
						c.Spread = Number(*p.Low, 4) + "…" + Number(*p.High, 4)
					}
				case p.Unbounded && q.Over != nil:
					c = Cell{Text: "> " + Number(*q.Over, 4), Value: q.Over}
				}
				row = append(row, c)
			}
			e, _ := s.Estimate("corrected." + q.Quantity + ".p95")
			g.Rows = append(g.Rows, append(row, cellOf(e, 1)))
		}
	}
	if len(g.Rows) == 0 {
		return nil
	}
	return []Grid{g}
}

// conditionFacts are what the numbers hold for.
func (d *Document) conditionFacts() []Fact {
	c := d.Conditions
	var out []Fact
	add := func(name, value string) {
		if value != "" && value != "0" && value != "0 s" {
			out = append(out, Fact{name, value})
		}
	}
	add("Model", c.Model)
	add("Revision", c.Revision)
	add("Site", c.Site)
	add("Partition", c.Partition)
	add("GPU kind", c.GPUKind)
	add("GPUs", strconv.Itoa(c.GPUs))
	add("Nodes of a run", strconv.Itoa(c.Nodes))
	add("Tensor parallel", strconv.Itoa(c.TensorParallel))
	add("Pipeline parallel", strconv.Itoa(c.PipelineStages))
	add("Engine", c.Engine)
	add("Engine version", strings.Join(c.EngineVersions, ", "))
	add("Image", c.Image)
	add("URL", c.URL)
	add("Server command", strings.Join(c.EngineArgs, " "))
	add("Repeat mode", c.Mode)
	add("Intervals over", d.Over.Words)
	add("Clock of stamps", strings.Join(c.Clocks, ", "))
	add("Driver", strings.Join(c.Drivers, ", "))
	p := c.Plan
	add("Plan", fmt.Sprintf("%s (%s)", p.Name, p.Kind))
	add("Step length", seconds(p.DurationS))
	add("Warm-up", seconds(p.Warmup.DurationS))
	add("Cap on requests in flight", strconv.Itoa(p.MaxInFlight))
	add("Prompt tokens", strconv.Itoa(p.Prompt.Tokens))
	add("Output tokens", outputWords(d))
	add("API", p.Request.API)
	add("Usage asked for", p.Request.Usage)
	if p.SLO != nil {
		add("SLO", sloWords(d))
	}
	add("Seed", strconv.FormatUint(p.Seed, 10))
	add("Spec digest", c.SpecDigest)
	return out
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) + " s" }

func outputWords(d *Document) string {
	o := d.Conditions.Plan.Output
	if o.Tokens == 0 {
		return o.Distribution
	}
	words := fmt.Sprintf("%d, %s", o.Tokens, o.Distribution)
	if o.SD > 0 {
		words += fmt.Sprintf(" with sd %g in %d to %d", o.SD, o.Min, o.Max)
	}
	if d.Conditions.Plan.Request.IgnoreEOS {
		words += ", forced"
	}
	return words
}

func sloWords(d *Document) string {
	s := d.Conditions.Plan.SLO
	var parts []string
	for _, b := range []struct {
		name  string
		bound float64
	}{{"TTFT", s.TTFTMs}, {"TPOT", s.TPOTMs}, {"E2E", s.E2EMs}} {
		if b.bound > 0 {
			parts = append(parts, fmt.Sprintf("%s ≤ %g ms", b.name, b.bound))
		}
	}
	return strings.Join(parts, ", ")
}

// provenanceGrid is where each repeat comes from.
func (d *Document) provenanceGrid() Grid {
	g := Grid{ID: "provenance", Title: "Each repeat", Columns: []Column{right("repeat"), left("state"), left("node"), left("job"), left("started (UTC)"), left("engine"), left("image digest"), left("driver"), left("clock"), left("schedule"), left("summary")}}
	for _, p := range d.Provenance {
		state := p.State
		if p.Why != "" {
			state += ": " + p.Why
		}
		summary := "read"
		if p.Recomputed != "" {
			summary = "computed: " + p.Recomputed
		}
		row := []Cell{word(strconv.Itoa(p.Repeat)), word(state)}
		for _, text := range []string{p.Node, p.JobID, p.StartedAt, p.Version, head(p.Digest), p.Driver, p.Clock, head(p.Schedule), summary} {
			if text == "" {
				text = none
			}
			row = append(row, word(text))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// head is enough of a digest to tell it from others.
func head(digest string) string {
	if len(digest) > 19 {
		return digest[:19] + "…"
	}
	return digest
}
