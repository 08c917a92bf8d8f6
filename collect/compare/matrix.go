package compare

import (
	"fmt"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// matrixColumns are the figures of a published matrix's cells.
var matrixColumns = []struct {
	label, unit, metric string
	tolerance           float64
	of                  func(results.MatrixCell) *float64
}{
	{"total tokens/s", "tokens/s", "corrected.output_tokens_per_s", 0.05, func(c results.MatrixCell) *float64 { return c.TotalPerS }},
	{"TTFT p50", "ms", "corrected.ttft_ms.p50", 0.10, func(c results.MatrixCell) *float64 { return c.TTFTMs }},
	{"TPOT p50", "ms", "corrected.tpot_ms.p50", 0.05, func(c results.MatrixCell) *float64 { return c.TPOTMs }},
}

// Matrix compares a matrix run with a published matrix, cell by cell: each
// published figure is one run's, so the question is whether it lies in the
// prediction interval for one more run of ours.
func Matrix(ref results.MatrixReference, run *read.Run, o Options) *Comparison {
	t := aggregate.Of(run)
	c := &Comparison{Format: FormatComparison, Base: ref.Name, New: t.Run, Reference: true, Simulated: t.Simulated}
	c.Matters, c.Also = matrixConditions(ref, run)
	if t.Simulated && !o.AllowSimulated {
		c.Matters = append([]Difference{{"simulated", "no", "yes"}}, c.Matters...)
	}
	c.Warnings = append(c.Warnings, sideWarnings("new", t)...)
	c.Remarks = ref.Remarks
	c.Assumptions = append(c.Assumptions, "the published figures are one run's: the question is whether they lie where one more run of ours would")
	var missing []string
	for _, cell := range ref.Cells {
		if cell.Status != results.CellValid {
			continue
		}
		id := fmt.Sprintf("ctx%d@c%d", cell.ContextTokens, cell.Streams)
		step := t.StepByID(id)
		if step == nil || step.Step.NotRun != "" {
			missing = append(missing, id)
			continue
		}
		for _, col := range matrixColumns {
			if v := col.of(cell); v != nil {
				c.Rows = append(c.Rows, matrixRow(col.label, col.unit, col.metric, col.tolerance, *v, step, len(c.Matters) > 0))
			}
		}
	}
	if n := len(missing); n > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d published cells were not measured: %s", n, strings.Join(missing, ", ")))
	}
	decide(c.Rows)
	c.conclude(t, t)
	if c.Verdict == NotComparable && t.Simulated && !o.AllowSimulated {
		c.Reason = "the run is simulated: its figures are the stub's, not a machine's"
	}
	return c
}

func matrixRow(label, unit, metric string, tolerance, published float64, step *aggregate.Step, apart bool) Row {
	m, _ := aggregate.MetricByName(metric)
	e, ok := step.Estimate(metric)
	r := Row{Step: step.Step.ID, Metric: metric, Label: label, Unit: unit, Tolerance: tolerance, Base: Figure{N: 1, Mean: &published}, New: figure(e), Decides: true, better: direction(m.Better)}
	x, _ := e.Values()
	switch {
	case !ok:
		r.Verdict, r.Reason = Invalid, missingSide(step, step)
	case apart || published == 0:
		ratioOnly(&r, aggregate.Estimate{Mean: &published, N: 1}, e)
	case len(x) < aggregate.MinRepeats:
		ratioOnly(&r, aggregate.Estimate{Mean: &published, N: 1}, e)
		r.Verdict, r.Reason = Inconclusive, fmt.Sprintf("%d repeats: no verdict from under %d", len(x), aggregate.MinRepeats)
	default:
		r.fillPublished(published, 1, x)
	}
	return r
}

func matrixConditions(ref results.MatrixReference, run *read.Run) (matters, also []Difference) {
	c, s := ref.Conditions, run.Spec
	must := func(what, published, here string) {
		if published != here && published != unknown && here != unknown {
			matters = append(matters, Difference{what, published, here})
		}
	}
	may := func(what, published, here string) {
		if published != here && published != "" {
			also = append(also, Difference{what, published, first(here, unknown)})
		}
	}
	must("model", stated(c.Model), stated(s.Model.Name))
	if !sameGPU(c.GPUKind, s.Site.GPUKind) || s.Site.GPUKind == "" {
		must("GPU kind", stated(c.GPUKind), stated(s.Site.GPUKind))
	}
	must("GPUs", count(c.GPUs), count(s.Job.GPUs))
	must("plan kind", results.KindMatrix, s.Plan.Kind)
	must("window", seconds(c.WindowS), seconds(s.Plan.DurationS))
	must("output tokens", count(c.MaxOutputTokens), count(s.Plan.Output.Tokens))
	must("prompts shared by all streams", "yes", yes(s.Plan.Prompt.Shared))
	must("max model length", count(c.MaxModelLen), count(s.Server.MaxModelLen))
	may("engine version", c.EngineVersion, joined(run, versionOf))
	may("image", c.Image, s.Server.Image)
	may("driver", c.Driver, joined(run, func(a *results.Attempt) string { return a.Node.Driver }))
	may("tool", c.Tool, "hpcbench "+s.ToolVersion)
	return matters, also
}
