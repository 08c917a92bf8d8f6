package results

import (
	"fmt"

	"github.com/agext/levenshtein"
)

// didYouMean names the known word nearest to a wrong one, or all of them where
// none is near: `; did you mean "rate"?`.
func didYouMean(wrong string, known []string) string {
	best, distance := "", 0
	for _, k := range known {
		d := levenshtein.Distance(wrong, k, nil)
		if d <= max(len(wrong), len(k))/2 && (best == "" || d < distance) {
			best, distance = k, d
		}
	}
	if best == "" {
		return fmt.Sprintf("; known are %s", list(known))
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// list joins words for a sentence.
func list(words []string) string {
	switch n := len(words); n {
	case 0:
		return "none"
	case 1:
		return words[0]
	default:
		text := words[0]
		for _, w := range words[1 : n-1] {
			text += ", " + w
		}
		return text + " and " + words[n-1]
	}
}
