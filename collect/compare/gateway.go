package compare

import (
	"fmt"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// KindGateway marks a comparison of what two gateways add.
const KindGateway = results.KindGateway

// MinBlocks is how many ABBA blocks a verdict on a gateway needs at least on either side:
// the spread of fewer is hardly known.
const MinBlocks = 6

// Tolerance of what a gateway adds: a share of what the request takes without it, and no
// less than what a hop through the loopback varies by.
const (
	addedShare   = 0.01
	addedLeastMs = 0.5
)

// legTolerance is the relative tolerance that a leg by itself is shown with.
const legTolerance = 0.10

func isGateway(r *read.Run) bool { return r.Spec.Plan.Kind == results.KindGateway }

// overheadKey is one quantity at one number of streams.
type overheadKey struct {
	quantity string
	streams  int
}

// gateway makes the rows of two gateway runs: what is added in one against what is
// added in the other. A run's own legs move with its server, so they are shown and don't decide.
func (c *Comparison) gateway(base, new *read.Run) {
	c.Kind = KindGateway
	c.Assumptions = append(c.Assumptions, "the unit is the ABBA block: what differs between two starts of one gateway can't be seen by the blocks of one start")
	added := aggregate.Gateway(new)
	have := map[overheadKey]aggregate.Overhead{}
	for _, o := range added {
		have[overheadKey{o.Quantity, o.Streams}] = o
	}
	for _, ob := range aggregate.Gateway(base) {
		key := overheadKey{ob.Quantity, ob.Streams}
		on, ok := have[key]
		delete(have, key)
		switch {
		case ob.Unit != "ms":
		case !ok:
			c.oneSide(ob, c.Base)
		default:
			c.Rows = append(c.Rows, addedRow(ob, on, len(c.Matters) > 0))
			if ob.Primary {
				c.Rows = append(c.Rows, legRows(ob, on, len(c.Matters) > 0)...)
			}
		}
	}
	for _, o := range added { // in their order
		if _, left := have[overheadKey{o.Quantity, o.Streams}]; left && o.Unit == "ms" {
			c.oneSide(o, c.New)
		}
	}
}

func (c *Comparison) oneSide(o aggregate.Overhead, run string) {
	if o.Primary {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%d at once was measured in %s only", o.Streams, run))
	}
}

// addedRow compares what is added to one quantity, in ms.
func addedRow(ob, on aggregate.Overhead, apart bool) Row {
	r := Row{Step: fmt.Sprintf("added@c%d", ob.Streams), Metric: ob.Quantity, Label: ob.Label, Unit: ob.Unit, Absolute: true, Tolerance: max(addedLeastMs, addedShare*ob.Direct),
		Base: figure(ob.Added), New: figure(on.Added), Decides: ob.Primary, better: -1}
	if !ob.Primary {
		r.Aside = "one endpoint decides"
	}
	a, _ := ob.Added.Values()
	b, _ := on.Added.Values()
	switch {
	case apart:
		ratioOnly(&r, ob.Added, on.Added)
		r.Reason = "conditions differ: a difference, no verdict"
	case len(a) < MinBlocks || len(b) < MinBlocks:
		ratioOnly(&r, ob.Added, on.Added)
		r.Verdict, r.Reason = Inconclusive, fmt.Sprintf("%d against %d blocks: no verdict from under %d", len(b), len(a), MinBlocks)
	default:
		r.fillAbsolute(a, b)
		r.Test = "Welch t on what blocks add"
	}
	return r
}

// legRows show the two ways by themselves.
func legRows(ob, on aggregate.Overhead, apart bool) []Row {
	var out []Row
	directBase, gatewayBase := ob.Legs()
	directNew, gatewayNew := on.Legs()
	for _, leg := range []struct {
		arm       string
		base, new []float64
	}{{results.ArmDirect, directBase, directNew}, {results.ArmGateway, gatewayBase, gatewayNew}} {
		eb, en := ofBlocks(ob.Quantity, leg.base), ofBlocks(ob.Quantity, leg.new)
		r := Row{Step: fmt.Sprintf("%s@c%d", leg.arm, ob.Streams), Metric: ob.Quantity, Label: ob.Label, Unit: ob.Unit, Tolerance: legTolerance,
			Base: figure(eb), New: figure(en), Aside: "a leg moves with its server; what is added is the difference of the two", better: -1}
		if apart || len(leg.base) < MinBlocks || len(leg.new) < MinBlocks {
			ratioOnly(&r, eb, en)
		} else {
			r.fillRelative(leg.base, leg.new, false)
		}
		out = append(out, r)
	}
	return out
}

func ofBlocks(metric string, x []float64) aggregate.Estimate {
	var raw []aggregate.RepeatValue
	for i, v := range x {
		raw = append(raw, aggregate.RepeatValue{Repeat: i + 1, Value: v})
	}
	return aggregate.Summarise(metric, raw)
}
