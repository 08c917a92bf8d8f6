package aggregate

import (
	"fmt"
	"strings"

	"hpcbench/results/judge"
)

// Outcome says what a run's numbers are good for.
type Outcome int

// Outcomes, the best first.
const (
	Usable  Outcome = iota
	Short           // fewer repeats count than were asked for; only where all are required
	Invalid         // a step was measured, but every repeat's numbers are INVALID
	Empty           // no step has numbers yet
)

// Outcome judges the table as a whole, with the reason in words; "" where it is
// Usable. Missing repeats and steps that were cut short do no harm by themselves,
// unless all are required: then every step needs every repeat that was asked for.
func (t *Table) Outcome(requireAll bool) (Outcome, string) {
	var invalid, short []string
	used := false
	for i := range t.Steps {
		s := &t.Steps[i]
		used = used || len(s.Used) > 0
		wrong, cut := s.invalid()
		switch {
		case wrong > 0 && len(s.Used) == 0:
			invalid = append(invalid, s.Step.ID)
		case wrong+cut > 0:
			short = append(short, fmt.Sprintf("%s (%d)", s.Step.ID, wrong+cut))
		}
	}
	switch {
	case len(invalid) > 0:
		return Invalid, "INVALID in every repeat: " + strings.Join(invalid, ", ")
	case !used:
		return Empty, "no step has numbers"
	case !requireAll:
		return Usable, ""
	}
	if words := t.Short(); words != "" {
		return Short, "only " + words + " are good, and all are required"
	}
	if len(short) > 0 {
		return Short, "all repeats are required, and INVALID ones don't count in " + strings.Join(short, ", ")
	}
	return Usable, ""
}

// invalid counts the repeats that are left out of a step for a finding: those
// whose numbers are wrong, and those that only didn't come to the step's end.
func (s *Step) invalid() (wrong, cut int) {
	for _, l := range s.LeftOut {
		switch {
		case strings.HasPrefix(l.Why, invalidWord+judge.CodeUnfinished+":"):
			cut++
		case strings.HasPrefix(l.Why, invalidWord):
			wrong++
		}
	}
	return wrong, cut
}
