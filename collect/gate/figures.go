package gate

import (
	"fmt"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
)

// FiguresOf takes the rows of an entry from a night's run: every judged step
// and gate metric, with the repeats that count. Unbounded figures don't count.
func FiguresOf(run *read.Run, e Entry) []Figures {
	t := aggregate.Of(run)
	var out []Figures
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Step.NotRun != "" || !e.Judged(s.Step.ID) {
			continue
		}
		for _, g := range e.Gates {
			f := Figures{Key: Key{s.Step.ID, g.Metric}, Asked: t.Asked}
			if est, ok := s.Estimate(g.Metric); ok {
				for _, r := range est.Raw {
					if !r.Unbounded {
						f.Values = append(f.Values, r.Value)
					}
				}
			}
			out = append(out, f)
		}
	}
	return out
}

// Look is one confirming job: the frozen baseline and the candidate, repeat k of
// the one beside repeat k of the other.
type Look struct {
	Base, Candidate *read.Run
}

// PairsOf takes the suspects' figures from the confirming jobs. A pair counts
// only where both sides had the same schedule; why others don't is answered in words.
func PairsOf(looks []Look, suspects []Key, past func(Key) Past, rule Rule) ([]Pairs, []string) {
	out := make([]Pairs, len(suspects))
	for i, k := range suspects {
		m, _ := aggregate.MetricByName(k.Metric)
		out[i] = Pairs{Key: k, Prior: PriorFromRepeats(past(k).Nights, m.Better, rule.MaxPriorDF)}
	}
	var problems []string
	for n, l := range looks {
		tb, tc := aggregate.Of(l.Base), aggregate.Of(l.Candidate)
		same, bad := sameSchedules(l.Base, l.Candidate)
		for _, words := range bad {
			problems = append(problems, fmt.Sprintf("look %d, %s", n+1, words))
		}
		for i, k := range suspects {
			out[i].Asked += tc.Asked
			sb, sc := tb.StepByID(k.Step), tc.StepByID(k.Step)
			if sb == nil || sc == nil {
				continue
			}
			if words := compare.Aside(k.Metric, sb, sc); words != "" {
				out[i].Aside = words
			}
			eb, _ := sb.Estimate(k.Metric)
			ec, _ := sc.Estimate(k.Metric)
			b, c := pairUp(eb, ec, same)
			out[i].Base, out[i].New = append(out[i].Base, b...), append(out[i].New, c...)
		}
	}
	return out, problems
}

func pairUp(base, candidate aggregate.Estimate, same map[int]bool) (b, c []float64) {
	for _, x := range base.Raw {
		for _, y := range candidate.Raw {
			if x.Repeat == y.Repeat && same[x.Repeat] && !x.Unbounded && !y.Unbounded {
				b, c = append(b, x.Value), append(c, y.Value)
			}
		}
	}
	return b, c
}

// sameSchedules are the repeats that both runs have with equal schedules.
func sameSchedules(base, candidate *read.Run) (map[int]bool, []string) {
	digests := map[int]string{}
	for i := range base.Repeats {
		if r := &base.Repeats[i]; r.Good() && r.Attempt != nil {
			digests[r.Index] = r.Attempt.ScheduleDigest
		}
	}
	same := map[int]bool{}
	var problems []string
	for i := range candidate.Repeats {
		r := &candidate.Repeats[i]
		d, known := digests[r.Index]
		switch {
		case !r.Good() || r.Attempt == nil:
			problems = append(problems, fmt.Sprintf("pair %d: the candidate's repeat is %s", r.Index, r.State))
		case !known:
			problems = append(problems, fmt.Sprintf("pair %d: the baseline's repeat isn't good", r.Index))
		case d == "" || d != r.Attempt.ScheduleDigest:
			problems = append(problems, fmt.Sprintf("pair %d: the two sides had different schedules", r.Index))
		default:
			same[r.Index] = true
		}
	}
	return same, problems
}

// ScreenAll screens every row of a night.
func (r Rule) ScreenAll(tonight []Figures, past func(Key) Past, gates map[string]compare.Gate) []ScreenRow {
	var out []ScreenRow
	for _, f := range tonight {
		out = append(out, r.Screen(f, past(f.Key), gates[f.Metric]))
	}
	return out
}
