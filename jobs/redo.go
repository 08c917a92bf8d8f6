package jobs

import "fmt"

// Redo lists the repeats that a resume should run: those that aren't complete, and
// complete ones of which nothing can be used. The error names the first that is
// still under way.
func Redo(s RunStatus) ([]int, error) {
	var wanted []int
	for _, r := range s.Repeats {
		switch {
		case r.Phase == PhaseComplete && r.Invalid == "":
		case r.Phase == PhaseUnclear && (r.JobID == "" || r.Gone):
			wanted = append(wanted, r.Index) // never answered, or nothing of it is left anywhere
		case !r.Over():
			return nil, fmt.Errorf("resume %s: repeat %d is %s (job %s): %s; wait for it or cancel it first", s.Name, r.Index, r.Phase, r.JobID, r.Words)
		default:
			wanted = append(wanted, r.Index)
		}
	}
	return wanted, nil
}
