package slurm

import (
	"fmt"
	"strings"
)

// directiveExtra are the characters besides letters and digits that may stand
// in a #SBATCH value: enough for paths, arrays (1-5%2), node lists (nid[1-4]),
// time limits, generic resources (gpu:a100:2) and file patterns (%A_%a).
const directiveExtra = "_-./:@%+,=[]"

// DirectiveValue returns an error where s cannot stand in an #SBATCH line.
// sbatch reads these lines itself, no shell does, so nothing in them can be
// quoted safely: what is not plainly harmless is refused.
func DirectiveValue(s string) error {
	if s == "" {
		return fmt.Errorf("an #SBATCH value is empty")
	}
	for i, r := range s {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !plain && !strings.ContainsRune(directiveExtra, r) {
			return fmt.Errorf("%q cannot stand in an #SBATCH line: character %d is %q; use letters, digits and %s",
				s, i+1, r, directiveExtra)
		}
	}
	return nil
}

// JobName returns an error where s cannot be a job's name: what squeue and
// sacct could not find again by exactly that name. At most 200 bytes.
func JobName(s string) error {
	if err := DirectiveValue(s); err != nil {
		return fmt.Errorf("job name: %w", err)
	}
	if i := strings.IndexAny(s, ",/%[]="); i >= 0 {
		return fmt.Errorf("job name %q: %q would be read as more than a name; use letters, digits and _ - . : @ +", s, s[i])
	}
	if strings.HasPrefix(s, "-") {
		return fmt.Errorf("job name %q: begins with a dash", s)
	}
	if len(s) > 200 {
		return fmt.Errorf("job name %q…: %d bytes, at most 200", s[:40], len(s))
	}
	return nil
}
