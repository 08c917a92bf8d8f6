package report

import (
	"slices"

	"hpcbench/collect/aggregate"
	"hpcbench/results"
)

// Grids are the tables of a document in their order: those of the plan's kind,
// then the published shapes. Sets limits the shapes to those of some metric
// sets; none = all. A matrix and a gateway run have no shapes: their steps are
// cells and turns.
func (d *Document) Grids(sets ...string) []Grid {
	out := d.kindGrids()
	if d.ownTables() && len(out) > 0 {
		return out
	}
	for _, s := range shapes {
		if len(sets) > 0 && !slices.Contains(sets, s.set) {
			continue
		}
		if g := shapeGrid(s, &d.Table); len(g.Rows) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// ownTables says that the plan's kind has tables instead of the published shapes.
func (d *Document) ownTables() bool {
	kind := d.Conditions.Plan.Kind
	return kind == results.KindMatrix || kind == results.KindGateway
}

// kindGrids are the tables that a plan's kind has instead of, or above, the usual ones.
func (d *Document) kindGrids() []Grid {
	switch d.Conditions.Plan.Kind {
	case results.KindMatrix:
		return d.matrixGrids()
	case results.KindCapacity:
		if k := aggregate.FindKnee(d.run); k != nil {
			return []Grid{capacityGrid(k, &d.Table)}
		}
	case results.KindGateway:
		if list := aggregate.Gateway(d.run); len(list) > 0 {
			return []Grid{gatewayGrid(list, &d.Table)}
		}
	}
	return nil
}
