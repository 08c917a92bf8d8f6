package compare

import (
	"fmt"
	"slices"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
)

// Options say how a comparison is made. The zero value is the usual way.
type Options struct {
	Gates []Gate // DefaultGates where empty
	// AllowSimulated lets a simulated run be compared with a measured one.
	AllowSimulated bool
}

// Runs compares two runs: what changed from base to new.
func Runs(base, new *read.Run, o Options) *Comparison {
	tb, tn := aggregate.Of(base), aggregate.Of(new)
	c := &Comparison{Format: FormatComparison, Base: tb.Run, New: tn.Run, Simulated: tb.Simulated || tn.Simulated}
	c.Matters, c.Also = conditions(base, new)
	if o.AllowSimulated {
		c.Matters = slices.DeleteFunc(c.Matters, func(d Difference) bool { return d.What == "simulated" })
	}
	if !base.SpecRead || !new.SpecRead {
		c.Matters = append(c.Matters, Difference{"run.json", readable(base), readable(new)})
	}
	c.Warnings = append(c.Warnings, sideWarnings("base", tb)...)
	c.Warnings = append(c.Warnings, sideWarnings("new", tn)...)
	if same := oneMeasurement(base, new); len(same) > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d repeats are the same measurement on both sides: between them there is nothing to find", len(same)))
	}
	if isGateway(base) && isGateway(new) {
		c.gateway(base, new)
	} else {
		gates := o.Gates
		if len(gates) == 0 {
			gates = DefaultGates
		}
		c.steps(tb, tn, gates, samePairs(base, new))
	}
	decide(c.Rows)
	c.conclude(tb, tn)
	return c
}

// steps makes the rows of two runs that are compared step by step.
func (c *Comparison) steps(tb, tn *aggregate.Table, gates []Gate, pairs map[int]bool) {
	for i := range tb.Steps {
		sb := &tb.Steps[i]
		sn := tn.StepByID(sb.Step.ID)
		if sn == nil {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s was measured in %s only", sb.Step.ID, tb.Run))
			continue
		}
		for _, g := range gates {
			if r, ok := runRow(g, sb, sn, pairs, len(c.Matters) > 0); ok {
				c.Rows = append(c.Rows, r)
			}
		}
	}
	for i := range tn.Steps {
		if tb.StepByID(tn.Steps[i].Step.ID) == nil {
			c.Warnings = append(c.Warnings, fmt.Sprintf("%s was measured in %s only", tn.Steps[i].Step.ID, tn.Run))
		}
	}
}

func readable(r *read.Run) string {
	if r.SpecRead {
		return "read"
	}
	return "can't be read"
}

// sideWarnings is what a reader must know of one side before the figures.
func sideWarnings(side string, t *aggregate.Table) []string {
	var out []string
	if short := t.Short(); short != "" {
		out = append(out, fmt.Sprintf("%s (%s) has only %s", side, t.Run, short))
	}
	for _, w := range t.Warnings {
		out = append(out, fmt.Sprintf("%s (%s): %s", side, t.Run, w))
	}
	return out
}

// samePairs are the repeats that had the same schedule in both runs.
func samePairs(base, new *read.Run) map[int]bool {
	schedules := map[int]string{}
	for i := range base.Repeats {
		if a := base.Repeats[i].Attempt; a != nil {
			schedules[base.Repeats[i].Index] = a.ScheduleDigest
		}
	}
	out := map[int]bool{}
	for i := range new.Repeats {
		r := &new.Repeats[i]
		if r.Attempt != nil && r.Attempt.ScheduleDigest != "" && r.Attempt.ScheduleDigest == schedules[r.Index] {
			out[r.Index] = true
		}
	}
	return out
}

// runRow compares one metric of one step; false where neither side has it.
func runRow(g Gate, sb, sn *aggregate.Step, pairs map[int]bool, apart bool) (Row, bool) {
	eb, en, ok := pick(g.Metric, sb, sn)
	if !ok && eb.N == 0 && en.N == 0 && len(sb.Used) > 0 && len(sn.Used) > 0 {
		return Row{}, false
	}
	m, known := aggregate.MetricByName(first(eb.Metric, g.Metric))
	r := Row{Step: sb.Step.ID, RatePerS: sb.Step.RatePerS, Metric: m.Name, Label: m.Label, Unit: m.Unit, Tolerance: g.Tolerance, Decides: true,
		Base: figure(eb), New: figure(en), Absolute: known && m.Unit == "" && m.Better != aggregate.Neither, better: direction(m.Better)}
	if !known {
		r.Metric, r.Label, r.Decides, r.Aside = g.Metric, g.Metric, false, "there is no such metric"
		return r, true
	}
	a, finiteA := eb.Values()
	b, finiteB := en.Values()
	switch {
	case !ok:
		r.Verdict, r.Reason = Invalid, missingSide(sb, sn)
		return r, true
	case !finiteA || !finiteB:
		r.Decides, r.Aside = false, "a repeat is unbounded: some of its requests never ended"
		r.Reason, r.Verdict = r.Aside, Inconclusive
		return r, true
	case apart:
		ratioOnly(&r, eb, en)
		return r, true
	case len(a) < aggregate.MinRepeats || len(b) < aggregate.MinRepeats:
		ratioOnly(&r, eb, en)
		r.Verdict = Inconclusive
		r.Reason = fmt.Sprintf("%d against %d repeats: no verdict from under %d", len(b), len(a), aggregate.MinRepeats)
		return r, true
	}
	if r.Aside = Aside(m.Name, sb, sn); r.Aside != "" {
		r.Decides = false
	}
	switch {
	case r.Absolute:
		r.fillAbsolute(a, b)
	default:
		pa, pb := inPairs(eb, en, pairs)
		if len(pa) >= aggregate.MinRepeats && len(pa) == min(len(a), len(b)) {
			r.fillRelative(pa, pb, true)
		} else {
			r.fillRelative(a, b, false)
		}
	}
	return r, true
}

func direction(d aggregate.Direction) int {
	switch d {
	case aggregate.LowerBetter:
		return -1
	case aggregate.HigherBetter:
		return 1
	}
	return 0
}

// missingSide says which side has no valid repeat, and its recorded cause.
func missingSide(sb, sn *aggregate.Step) string {
	for _, side := range []struct {
		name string
		step *aggregate.Step
	}{{"base", sb}, {"new", sn}} {
		if len(side.step.Used) == 0 && len(side.step.LeftOut) > 0 {
			return side.name + " has no valid repeat: " + side.step.LeftOut[0].Why
		}
	}
	return "one side has no figure for it"
}

// inPairs lines up the values of repeats with the same schedule.
func inPairs(eb, en aggregate.Estimate, pairs map[int]bool) (a, b []float64) {
	for _, x := range eb.Raw {
		for _, y := range en.Raw {
			if x.Repeat == y.Repeat && pairs[x.Repeat] {
				a, b = append(a, x.Value), append(b, y.Value)
			}
		}
	}
	return a, b
}

// ratioOnly states the change of the means and nothing about its chance.
func ratioOnly(r *Row, eb, en aggregate.Estimate) {
	r.Verdict, r.Reason, r.Test = NotComparable, "conditions differ: a ratio, no verdict", "ratio only"
	if eb.Mean == nil || en.Mean == nil {
		return
	}
	change := *en.Mean - *eb.Mean
	if !r.Absolute {
		if *eb.Mean == 0 {
			return
		}
		change = *en.Mean / *eb.Mean - 1
	}
	r.Change = &change
}

// conclude gives the whole comparison its verdict.
func (c *Comparison) conclude(tb, tn *aggregate.Table) {
	switch {
	case len(c.Matters) > 0:
		c.Verdict, c.Reason = NotComparable, differWords(c.Matters)
	case !valid(tb) || !valid(tn):
		c.Verdict, c.Reason = Invalid, "one of the runs has no valid step"
	case c.Kind == "" && (tb.Good < aggregate.MinRepeats || tn.Good < aggregate.MinRepeats):
		c.Verdict = Inconclusive
		c.Reason = fmt.Sprintf("%d against %d good repeats: no verdict from under %d", tn.Good, tb.Good, aggregate.MinRepeats)
	default:
		c.Verdict, c.Reason = overall(c.Rows)
	}
}

func valid(t *aggregate.Table) bool {
	return slices.ContainsFunc(t.Steps, func(s aggregate.Step) bool { return len(s.Used) > 0 })
}

func differWords(list []Difference) string {
	d := list[0]
	words := fmt.Sprintf("%s differs: %s against %s", d.What, d.New, d.Base)
	if d.What == "simulated" {
		words = "a simulated run is not compared with a measured one"
	}
	if n := len(list) - 1; n > 0 {
		words += fmt.Sprintf(", and %d more", n)
	}
	return words
}
