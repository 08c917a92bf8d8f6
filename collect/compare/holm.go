package compare

import (
	"cmp"
	"slices"
)

// Holm adjusts p values so that the chance of even one false alarm among them
// stays at the level: the smallest is multiplied by their number, the next by
// one less, and so on, never falling.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		out[i] = least
	}
	return out
}
