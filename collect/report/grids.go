package report

import "slices"

// Grids are the tables of a document in their order. Sets limits the shapes to
// those of some metric sets; none = all.
func (d *Document) Grids(sets ...string) []Grid {
	var out []Grid
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
