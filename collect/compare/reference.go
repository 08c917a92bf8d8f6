package compare

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// published is one column of a published table.
type published struct {
	label, unit string
	mean, p90   string // metric of the compat set by the table's statistic
	scale       float64
	tolerance   float64
	of          func(results.ReferenceRow) *float64
	// work marks figures that depend on how long answers are.
	work bool
	// offered marks figures that are the offered load below saturation.
	offered bool
}

var publishedColumns = []published{
	{"E2E", "ms", "compat.e2e_ms.avg", "compat.e2e_ms.p90", 1, 0.05, func(r results.ReferenceRow) *float64 { return scaled(r.E2ES, 1000) }, true, false},
	{"E2E", "ms", "compat.e2e_ms.avg", "compat.e2e_ms.p90", 1, 0.05, func(r results.ReferenceRow) *float64 { return r.E2EMs }, true, false},
	{"TTFT", "ms", "compat.ttft_ms.avg", "compat.ttft_ms.p90", 1, 0.10, func(r results.ReferenceRow) *float64 { return r.TTFTMs }, false, false},
	{"ITL", "ms", "compat.itl_ms.avg", "compat.itl_ms.p90", 1, 0.05, func(r results.ReferenceRow) *float64 { return r.ITLMs }, false, false},
	{"QPS", "1/s", "compat.request_rate_per_s", "compat.request_rate_per_s", 1, 0.05, func(r results.ReferenceRow) *float64 { return r.QPS }, false, true},
	{"throughput", "tokens/s", "compat.output_tokens_per_s", "compat.output_tokens_per_s", 1, 0.05, func(r results.ReferenceRow) *float64 { return r.TokensPerS }, true, true},
}

func scaled(x *float64, by float64) *float64 {
	if x == nil {
		return nil
	}
	v := *x * by
	return &v
}

// Reference compares a run with a published table, from the compat set.
func Reference(ref results.Reference, run *read.Run, o Options) *Comparison {
	t := aggregate.Of(run)
	c := &Comparison{Format: FormatComparison, Base: ref.Name, New: t.Run, Reference: true, Simulated: t.Simulated}
	c.Matters, c.Also, c.Assumptions = referenceConditions(ref, run)
	if t.Simulated && !o.AllowSimulated {
		c.Matters = append([]Difference{{"simulated", "no", "yes"}}, c.Matters...)
	}
	c.Warnings = append(c.Warnings, sideWarnings("new", t)...)
	c.Remarks = ref.Remarks
	k := ref.Conditions.Runs
	if k == 0 && ref.Conditions.Statistic == results.StatMeanOf5 {
		k = 5
	}
	if k > 1 {
		c.Assumptions = append(c.Assumptions, fmt.Sprintf("the %d published runs are taken to have had the spread of ours, since none was published", k))
	} else {
		k = 1
		c.Assumptions = append(c.Assumptions, "the published figures are one run's: the question is whether they lie where one more run of ours would")
	}
	for _, row := range ref.Rows {
		step := stepAtRate(t, row.RatePerS)
		if step == nil {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%g/s is published but was not measured", row.RatePerS))
			continue
		}
		for _, col := range publishedColumns {
			if v := col.of(row); v != nil {
				c.Rows = append(c.Rows, referenceRow(ref, row, col, *v, k, step, len(c.Matters) > 0))
			}
		}
	}
	decide(c.Rows)
	c.conclude(t, t)
	if c.Verdict == NotComparable && t.Simulated && !o.AllowSimulated {
		c.Reason = "the run is simulated: its figures are the stub's, not a machine's"
	}
	return c
}

func stepAtRate(t *aggregate.Table, rate float64) *aggregate.Step {
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Step.RatePerS > 0 && math.Abs(s.Step.RatePerS/rate-1) < 1e-6 {
			return s
		}
	}
	return nil
}

func referenceRow(ref results.Reference, row results.ReferenceRow, col published, value float64, k int, step *aggregate.Step, apart bool) Row {
	name := col.mean
	label := col.label + " mean"
	if ref.Conditions.Statistic == results.StatP90 {
		name, label = col.p90, col.label+" P90"
	}
	if col.mean == col.p90 {
		label = col.label
	}
	m, _ := aggregate.MetricByName(name)
	e, ok := step.Estimate(name)
	r := Row{Step: step.Step.ID, RatePerS: row.RatePerS, Metric: name, Label: label, Unit: col.unit, Tolerance: col.tolerance,
		Base: Figure{N: k, Mean: &value, Text: row.PrintedAs}, New: figure(e), Decides: true, Suspect: row.Suspect, better: direction(m.Better)}
	if row.Suspect != "" {
		r.Decides, r.Aside = false, "the published row is suspect: "+row.Suspect
	}
	if col.offered && !saturated(step) {
		r.Decides, r.Aside = false, "below saturation it is the offered load"
	}
	if col.work && ref.Conditions.Statistic != results.StatP90 {
		if words := referenceLengths(row, step); words != "" {
			r.Decides, r.Aside = false, words
		}
	}
	x, _ := e.Values()
	switch {
	case !ok:
		r.Verdict, r.Reason = Invalid, missingSide(step, step)
	case apart || value == 0:
		published := aggregate.Estimate{Mean: &value, N: k}
		ratioOnly(&r, published, e)
	case len(x) < aggregate.MinRepeats:
		ratioOnly(&r, aggregate.Estimate{Mean: &value, N: k}, e)
		r.Verdict, r.Reason = Inconclusive, fmt.Sprintf("%d repeats: no verdict from under %d", len(x), aggregate.MinRepeats)
	default:
		r.fillPublished(value, k, x)
	}
	return r
}

// referenceLengths compares the published tokens a request, where they can be
// worked out, with ours.
func referenceLengths(row results.ReferenceRow, step *aggregate.Step) string {
	if row.QPS == nil || row.TokensPerS == nil || *row.QPS == 0 {
		return ""
	}
	e, ok := step.Estimate("compat.output_tokens_per_request")
	if !ok || e.Mean == nil {
		return ""
	}
	return lengthWords(*row.TokensPerS / *row.QPS, *e.Mean)
}

// referenceConditions compares what a published table states with the run.
func referenceConditions(ref results.Reference, run *read.Run) (matters, also []Difference, assumed []string) {
	c, s := ref.Conditions, run.Spec
	must := func(what, published, here string) {
		switch {
		case published == here || published == unknown:
		case here == unknown:
			assumed = append(assumed, what+" is taken to be the published one ("+published+"): the run doesn't state it")
		default:
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
	must("path", stated(c.Path), path(s))
	must("plan kind", results.KindRate, s.Plan.Kind)
	must("step length", seconds(c.DurationS), seconds(s.Plan.DurationS))
	must("warm-up", seconds(c.WarmupS), seconds(s.Plan.Warmup.DurationS))
	must("prompt tokens", count(c.PromptTokens), count(s.Plan.Prompt.Tokens))
	must("output tokens", count(c.OutputTokens), count(s.Plan.Output.Tokens))
	must("output sd", fmt.Sprint(c.OutputSD), fmt.Sprint(s.Plan.Output.SD))
	must("output minimum", count(c.OutputMin), count(s.Plan.Output.Min))
	must("output maximum", count(c.OutputMax), count(s.Plan.Output.Max))
	must("max VUs", count(c.MaxVUs), count(s.Plan.MaxInFlight))
	may("site", c.Site, s.Site.Name)
	may("partition", c.Partition, s.Job.Partition)
	if here := joined(run, versionOf); !strings.Contains(c.EngineVersion, here) { // published as "v0.14.0 with V1 engine"
		may("engine version", c.EngineVersion, here)
	}
	if filepath.Base(s.Server.Image) != c.Image {
		may("image", c.Image, s.Server.Image)
	}
	if c.Path == results.PathService {
		may("URL", c.URL, s.Server.URL)
	}
	may("tool", c.Tool, "hpcbench "+s.ToolVersion)
	return matters, also, assumed
}

func path(s results.Spec) string {
	if s.Server.Engine == results.EngineRemote || s.Grouping.Mode == results.ModeRemote {
		return results.PathService
	}
	return results.PathBare
}

func seconds(s float64) string {
	if s == 0 {
		return unknown
	}
	return fmt.Sprintf("%g s", s)
}
