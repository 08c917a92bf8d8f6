package aggregate

import (
	"fmt"
	"slices"

	"hpcbench/collect/read"
	"hpcbench/results"
)

// Knee is a capacity plan's result over the repeats: a level counts as passed
// only where every repeat passed it.
type Knee struct {
	// MaxPassing is the largest level that all repeats pass, with all below it; 0 = none.
	MaxPassing   float64  `json:"max_passing"`
	FirstFailing *float64 `json:"first_failing,omitempty"` // nil: not reached
	MaxInFlight  int      `json:"recommended_max_in_flight,omitempty"`
	Monotone     bool     `json:"monotone"`
	LimitE2EMs   float64  `json:"p95_e2e_limit_ms,omitempty"` // the mean where it is relative to level 1
	LimitTTFTMs  float64  `json:"p95_ttft_limit_ms,omitempty"`
	Loop         string   `json:"loop"`
	Levels       []Level  `json:"levels"`
	// PerRepeat is each repeat's own knee.
	PerRepeat []RepeatKnee `json:"repeats"`
}

// Level is one level over the repeats.
type Level struct {
	At       float64  `json:"at"`
	Verdict  string   `json:"verdict"` // results.LevelPasses where all pass, LevelFails where any fails, else LevelInconclusive
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"`
	TooFew   int      `json:"too_few,omitempty"` // had too few requests for a verdict
	Of       int      `json:"of"`
	Requests int      `json:"requests"` // of all repeats
	Why      string   `json:"why"`      // the first that doesn't pass; else the first
	P95E2EMs Estimate `json:"p95_e2e_ms"`
	PerS     Estimate `json:"achieved_per_s"`
}

// RepeatKnee is one repeat's knee.
type RepeatKnee struct {
	Repeat int          `json:"repeat"`
	Knee   results.Knee `json:"knee"`
}

// FindKnee finds the knee of a capacity plan over the repeats; nil where the
// run is of another kind or has no numbers.
func FindKnee(run *read.Run) *Knee {
	plan := run.Spec.Plan
	if plan.Capacity == nil {
		return nil
	}
	out := &Knee{Monotone: true, Loop: plan.Capacity.Loop}
	levels := map[float64]*Level{}
	p95, perS := map[float64][]RepeatValue{}, map[float64][]RepeatValue{}
	for i := range run.Repeats {
		r := &run.Repeats[i]
		if r.Summary == nil {
			continue
		}
		var steps []results.StepSummary
		for j := range r.Summary.Steps {
			if cause(r, &r.Summary.Steps[j]) == "" {
				steps = append(steps, r.Summary.Steps[j])
			}
		}
		if len(steps) == 0 {
			continue
		}
		k := results.FindKnee(plan, steps)
		out.PerRepeat = append(out.PerRepeat, RepeatKnee{r.Index, k})
		out.LimitE2EMs += k.P95E2EMs
		out.LimitTTFTMs = k.P95TTFTMs
		out.Monotone = out.Monotone && k.Monotone
		for _, l := range k.Levels {
			at := levels[l.At]
			if at == nil {
				at = &Level{At: l.At, Why: l.Why}
				levels[l.At] = at
			}
			at.add(l)
			if l.P95E2EMs != nil {
				p95[l.At] = append(p95[l.At], RepeatValue{Repeat: r.Index, Value: *l.P95E2EMs})
			} else {
				p95[l.At] = append(p95[l.At], RepeatValue{Repeat: r.Index, Unbounded: true})
			}
			perS[l.At] = append(perS[l.At], RepeatValue{Repeat: r.Index, Value: l.PerS})
		}
	}
	if len(out.PerRepeat) == 0 {
		return nil
	}
	out.LimitE2EMs /= float64(len(out.PerRepeat))
	for at, l := range levels {
		l.P95E2EMs, l.PerS = Summarise("corrected.e2e_ms.p95", p95[at]), Summarise("corrected.achieved_per_s", perS[at])
		out.Levels = append(out.Levels, *l)
	}
	slices.SortFunc(out.Levels, func(a, b Level) int {
		if a.At < b.At {
			return -1
		}
		return 1
	})
	out.conclude()
	return out
}

func (l *Level) add(r results.Level) {
	l.Of++
	l.Requests += r.Requests
	if r.TooFew() {
		l.TooFew++
	}
	switch r.Verdict {
	case results.LevelPasses:
		l.Passed++
	case results.LevelFails:
		if l.Failed++; l.Failed == 1 {
			l.Why = r.Why
		}
	default:
		if l.Failed == 0 && l.Passed+1 == l.Of {
			l.Why = r.Why
		}
	}
	switch {
	case l.Failed > 0:
		l.Verdict = results.LevelFails
	case l.Passed == l.Of:
		l.Verdict = results.LevelPasses
	default:
		l.Verdict = results.LevelInconclusive
	}
}

func (k *Knee) conclude() {
	highest := 0.0
	for _, l := range k.Levels {
		if l.Verdict == results.LevelPasses {
			highest = l.At
		}
	}
	for i := range k.Levels {
		l := &k.Levels[i]
		switch {
		case l.Verdict == results.LevelPasses && k.FirstFailing == nil:
			k.MaxPassing = l.At
		case l.Verdict == results.LevelPasses:
			k.Monotone = false
		case l.Passed+l.TooFew == l.Of && l.At < highest:
			// Of few streams come few requests; a level above that passes says more.
		case k.FirstFailing == nil:
			k.FirstFailing = &l.At
		}
	}
	if k.Loop != results.LoopOpen && k.MaxPassing > 0 {
		k.MaxInFlight = max(1, int(0.9*k.MaxPassing))
	}
}

// undecided says that the lowest level neither passes nor fails.
func (k *Knee) undecided() bool {
	return len(k.Levels) > 0 && k.Levels[0].Verdict == results.LevelInconclusive
}

// Words say the knee in a sentence.
func (k *Knee) Words() string {
	unit := " streams"
	if k.Loop == results.LoopOpen {
		unit = " requests/s"
	}
	var words string
	switch {
	case k.MaxPassing == 0 && k.undecided():
		words = "the first level isn't decided, so nothing is known of the knee: " + k.Levels[0].Why
	case k.MaxPassing == 0:
		words = "not even the first level passes in every repeat"
	case k.FirstFailing == nil:
		words = fmt.Sprintf("every level passes: the knee is at %g%s or above", k.MaxPassing, unit)
	default:
		words = fmt.Sprintf("the knee lies between %g (passes) and %g%s (does not)", k.MaxPassing, *k.FirstFailing, unit)
	}
	if k.MaxInFlight > 0 {
		words += fmt.Sprintf("; recommended max_in_flight: %d", k.MaxInFlight)
	}
	if !k.Monotone {
		words += "; a level above a failing one passed, so the curve isn't monotone"
	}
	return words
}
