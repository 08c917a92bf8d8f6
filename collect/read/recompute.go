package read

import (
	"fmt"

	"hpcbench/results"
)

// stale says why a summary that could be read shouldn't be used as it is; "" = it should.
func stale(s *results.Summary, a *results.Attempt, rules int) string {
	if bad := negative(s); bad != "" {
		return "summary.json has a negative time (" + bad + ")"
	}
	if rules > s.RulesVersion {
		return fmt.Sprintf("it was judged by rules %d, these are rules %d", s.RulesVersion, rules)
	}
	if a == nil {
		return ""
	}
	switch {
	case s.Repeat != a.Repeat || s.Attempt != a.Attempt:
		return fmt.Sprintf("summary.json is of repeat %d, attempt %d", s.Repeat, s.Attempt)
	case s.State != a.State:
		return fmt.Sprintf("summary.json says %s, attempt.json %s", s.State, a.State)
	case s.ScheduleDigest != a.ScheduleDigest:
		return "its schedule digest isn't the attempt's"
	}
	return ""
}

// negative names the first duration below zero: a clock ran backwards, or the file was edited.
func negative(s *results.Summary) string {
	for i := range s.Steps {
		c := &s.Steps[i].Corrected
		for _, d := range []struct {
			name string
			dist *results.Dist
		}{{"ttft_ms", &c.TTFTMs}, {"tpot_ms", &c.TPOTMs}, {"e2e_ms", &c.E2EMs}, {"gap_ms", &c.GapMs}} {
			if d.dist.Min != nil && *d.dist.Min < 0 {
				return fmt.Sprintf("%s of step %s: %g", d.name, s.Steps[i].Step.ID, *d.dist.Min)
			}
		}
		if s.Steps[i].WindowS < 0 {
			return fmt.Sprintf("window of step %s: %g s", s.Steps[i].Step.ID, s.Steps[i].WindowS)
		}
	}
	return ""
}

// recompute makes the summary from the records. Where it can't, a summary that
// was read stays, with a Problem that says why it is not better.
func (r *Repeat) recompute(reason string, o Options) {
	if o.Summarise == nil {
		if r.Summary == nil {
			r.Why = reason
		} else {
			r.Problems = append(r.Problems, Problem{File: r.Dir.Summary(), Words: reason})
		}
		return
	}
	made, err := o.Summarise(r.Dir)
	if err != nil {
		r.Problems = append(r.Problems, problem(r.Dir.Records(), fmt.Errorf("%s, and it can't be made from the records: %w", reason, err)))
		if r.Summary == nil {
			r.Why = reason + ", and the records give none"
		}
		return
	}
	r.Summary, r.Recomputed = &made, reason
}
