package conf

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// Nearest gives the known names that a mistyped one may stand for, best first,
// at most three. Letter case doesn't count. A name is near when a third of its letters,
// and at least two, would have to change and no other name is much nearer, or when one
// contains the other.
func Nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
		contains bool
	}
	wanted := strings.ToLower(name)
	var near []candidate
	for _, k := range known {
		lower := strings.ToLower(k)
		distance := levenshtein.Distance(wanted, lower, nil)
		limit := max(2, len(wanted)/3)
		contains := len(wanted) >= 3 && len(lower) >= 3 && (strings.Contains(lower, wanted) || strings.Contains(wanted, lower))
		if distance > limit && !contains || distance >= len(wanted) && !contains {
			continue
		}
		near = append(near, candidate{k, distance, contains})
	}
	slices.SortStableFunc(near, func(a, b candidate) int {
		return cmp.Or(a.distance-b.distance, strings.Compare(a.name, b.name))
	})
	near = slices.DeleteFunc(near, func(c candidate) bool { return !c.contains && c.distance > near[0].distance+1 })
	names := make([]string, 0, 3)
	for _, c := range near[:min(3, len(near))] {
		names = append(names, c.name)
	}
	return names
}

// DidYouMean is a clause for the end of an error: the near names, or all of
// them when they are few, or nothing.
func DidYouMean(name string, known []string) string {
	if near := Nearest(name, known); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	if len(known) > 0 && len(known) <= 12 {
		sorted := slices.Sorted(slices.Values(known))
		return "; known are " + strings.Join(sorted, ", ")
	}
	return ""
}
