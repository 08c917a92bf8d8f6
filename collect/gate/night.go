package gate

import (
	"fmt"

	"hpcbench/collect/aggregate"
)

// Night is the whole judgement of one entry on one night.
type Night struct {
	State   State        `json:"state"`
	Reason  string       `json:"reason"`
	Screen  []ScreenRow  `json:"screen"`
	Confirm []ConfirmRow `json:"confirm,omitempty"`
	// Pairs wanted in all before the next call; 0 = the night is decided.
	Pairs int `json:"pairs_wanted,omitempty"`
	// Failed says that the night must fail though it isn't red: inconclusive for too many nights running.
	Failed bool `json:"failed,omitempty"`
}

// Suspects are the rows that screening wants confirmed.
func (n Night) Suspects() []Key {
	var out []Key
	for _, s := range n.Screen {
		if s.State == NeedsPairs {
			out = append(out, s.Key)
		}
	}
	return out
}

// Judge puts screening and, where there was one, confirmation together.
// before is how many nights running were inconclusive until now.
func (r Rule) Judge(screen []ScreenRow, confirm []ConfirmRow, before int) Night {
	n := Night{Screen: screen, Confirm: confirm}
	if len(screen) == 0 {
		n.State, n.Reason = Invalid, "there is nothing to judge: no step has a valid figure of a gate metric"
		return n
	}
	counts := map[State]int{}
	reason := map[State]string{}
	note := func(s State, k Key, words string) {
		if counts[s]++; counts[s] == 1 {
			reason[s] = fmt.Sprintf("%s at %s: %s", label(k.Metric), k.Step, words)
		}
	}
	confirmed := map[Key]bool{}
	for _, c := range confirm {
		confirmed[c.Key] = true
		note(c.State, c.Key, c.Reason)
	}
	for _, s := range screen {
		if !confirmed[s.Key] {
			note(s.State, s.Key, s.Reason)
		}
	}
	for _, s := range []State{Red, NeedsPairs, Invalid, Inconclusive, MachineChanged, Learning, Green} {
		if counts[s] == 0 {
			continue
		}
		n.State, n.Reason = s, reason[s]
		if counts[s] > 1 {
			n.Reason += fmt.Sprintf(" (and %d more)", counts[s]-1)
		}
		break
	}
	switch n.State {
	case Green:
		n.Reason = fmt.Sprintf("%d rows are no worse than before", len(screen))
		if len(confirm) > 0 {
			n.Reason = fmt.Sprintf("%d suspects were confirmed to be no slower, side by side", len(confirm))
		}
	case NeedsPairs:
		if n.Pairs = r.PairsWanted(confirm); n.Pairs == 0 {
			n.Pairs = r.Looks[0]
		}
	case Inconclusive:
		n.Failed = before+1 >= r.InconclusiveNights
		if n.Failed {
			n.Reason += fmt.Sprintf("; inconclusive for %d nights running", before+1)
		}
	}
	return n
}

// label is a metric's name for people.
func label(metric string) string {
	if m, ok := aggregate.MetricByName(metric); ok {
		return m.Label
	}
	return metric
}
