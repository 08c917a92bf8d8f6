package read

import "fmt"

// Pick answers the repeat of that index, or for 0 the first that is good, else
// the first that has numbers.
func (r *Run) Pick(index int) (*Repeat, error) {
	var found *Repeat
	for i := range r.Repeats {
		p := &r.Repeats[i]
		switch {
		case index > 0 && p.Index == index:
			if p.Summary == nil {
				return nil, fmt.Errorf("repeat %d of %s has no numbers (%s)", index, r.Spec.Name, p.State)
			}
			return p, nil
		case index == 0 && p.Good():
			return p, nil
		case index == 0 && found == nil && p.Summary != nil:
			found = p
		}
	}
	switch {
	case found != nil:
		return found, nil
	case index == 0:
		return nil, fmt.Errorf("no repeat of %s has numbers yet", r.Spec.Name)
	}
	return nil, fmt.Errorf("run %s has no repeat %d: it has %d", r.Spec.Name, index, len(r.Repeats))
}
