package results

import (
	"fmt"
	"math"
	"slices"
)

// Verdicts on one level of a capacity plan.
const (
	LevelPasses       = "passes"
	LevelFails        = "fails"
	LevelInconclusive = "inconclusive"
)

// Phases of a capacity plan.
const (
	CapacityBaseline = "baseline" // one request at a time
	CapacityLevel    = "level"    // the ladder
	CapacityRefine   = "refine"   // with the requests that it takes to decide
)

// Level is one level of a capacity plan (streams, or requests/s where the loop
// is open) as judged from all its steps; the one with most requests counts.
type Level struct {
	At       float64  `json:"at"`
	Verdict  string   `json:"verdict"`
	Why      string   `json:"why"`
	Requests int      `json:"requests"`
	Decided  bool     `json:"decided"` // with the plan's min_deciding_requests
	P95E2EMs *float64 `json:"p95_e2e_ms,omitempty"`
	PerS     float64  `json:"achieved_per_s"`
}

// TooFew says that the level had too few requests for any verdict on its p95.
func (l Level) TooFew() bool { return l.Verdict == LevelInconclusive && l.Requests < intervalFrom }

// Knee is what a capacity plan found: the largest level below which all pass,
// and the smallest that doesn't.
type Knee struct {
	Loop string `json:"loop"`
	Kind string `json:"kind"` // slo | relative, by where the bounds come from
	// Bounds that were applied, in ms; 0 = none.
	P95E2EMs  float64 `json:"p95_e2e_limit_ms,omitempty"`
	P95TTFTMs float64 `json:"p95_ttft_limit_ms,omitempty"`

	MaxPassing   float64  `json:"max_passing"`             // 0 = not even the first
	FirstFailing *float64 `json:"first_failing,omitempty"` // nil: not reached, the knee is at least MaxPassing
	BracketShare *float64 `json:"bracket_share,omitempty"` // (FirstFailing − MaxPassing)/MaxPassing
	Monotone     bool     `json:"monotone"`                // false: a level passed above one that failed
	// MaxInFlight is the setting to recommend, a little below the knee: floor(0.9 × MaxPassing), at least 1. Closed loops only.
	MaxInFlight int `json:"recommended_max_in_flight,omitempty"`
	// PlateauPerS is the highest rate of completions of any level.
	PlateauPerS float64 `json:"plateau_per_s"`
	Levels      []Level `json:"levels"` // rising
}

// FindKnee judges the levels of a capacity plan. A level passes when the upper
// end of the 95 % interval of its p95 lies within the bounds, and that of its
// shed share within MaxShedShare; it fails when the lower end of either lies
// above, or too many requests failed; else it is inconclusive. The intervals
// are of order statistics and Wilson's. Requests without an answer count as
// longer than any.
func FindKnee(p Plan, steps []StepSummary) Knee {
	c := *p.Capacity
	k := Knee{Loop: c.Loop, Kind: "slo", P95E2EMs: c.P95E2EMs, P95TTFTMs: c.P95TTFTMs, Monotone: true}
	if c.P95E2EMs == 0 && c.RelativeToOne > 0 {
		k.Kind = "relative"
		for _, s := range steps {
			if s.Step.Phase == CapacityBaseline && s.Corrected.E2EMs.P95 != nil {
				k.P95E2EMs = c.RelativeToOne * *s.Corrected.E2EMs.P95
			}
		}
	}
	byLevel := map[float64]int{}
	for i, s := range steps {
		if s.Step.NotRun != "" || (s.Step.Phase == CapacityBaseline && c.Loop == LoopOpen) {
			continue
		}
		at := levelOf(s.Step)
		if old, ok := byLevel[at]; !ok || s.Counts.Sent >= steps[old].Counts.Sent {
			byLevel[at] = i
		}
	}
	for at, i := range byLevel {
		k.Levels = append(k.Levels, judgeLevel(at, c, k, steps[i]))
	}
	slices.SortFunc(k.Levels, func(a, b Level) int { return int(math.Copysign(1, a.At-b.At)) })
	highest := 0.0
	for _, l := range k.Levels {
		if l.Verdict == LevelPasses {
			highest = l.At
		}
	}
	for _, l := range k.Levels {
		k.PlateauPerS = max(k.PlateauPerS, l.PerS)
		switch {
		case l.Verdict == LevelPasses && k.FirstFailing == nil:
			k.MaxPassing = l.At
		case l.Verdict == LevelPasses:
			k.Monotone = false
		case l.TooFew() && l.At < highest:
			// A level of few streams has few requests; one above it that passes says more.
		case k.FirstFailing == nil:
			k.FirstFailing = &l.At
		}
	}
	if k.FirstFailing != nil && k.MaxPassing > 0 {
		share := (*k.FirstFailing - k.MaxPassing) / k.MaxPassing
		k.BracketShare = &share
	}
	if c.Loop != LoopOpen && k.MaxPassing > 0 {
		k.MaxInFlight = max(1, int(0.9*k.MaxPassing))
	}
	return k
}

func levelOf(s Step) float64 {
	if s.Loop == LoopOpen {
		return s.RatePerS
	}
	return float64(s.Streams)
}

func judgeLevel(at float64, c CapacityPlan, k Knee, s StepSummary) Level {
	l := Level{At: at, Requests: s.Counts.Sent, P95E2EMs: s.Corrected.E2EMs.P95, PerS: s.Corrected.AchievedPerS,
		Decided: s.Counts.Sent >= c.MinDecidingRequests}
	sent := float64(s.Counts.Sent)
	if s.Counts.Sent == 0 {
		l.Verdict, l.Why = LevelFails, "nothing was sent"
		return l
	}
	if broken := float64(s.Counts.Failed+s.Counts.TimedOut) / sent; broken > c.MaxErrorShare {
		l.Verdict, l.Why = LevelFails, fmt.Sprintf("%.1f %% of requests failed, %.1f %% are allowed", 100*broken, 100*c.MaxErrorShare)
		return l
	}
	if s.Counts.Dropped > 0 {
		l.Verdict, l.Why = LevelFails, fmt.Sprintf("%d arrivals found max_in_flight reached", s.Counts.Dropped)
		return l
	}
	shedLow, shedHigh := wilson(s.Counts.Shed, s.Counts.Sent)
	checks := []struct {
		what      string
		low, high float64 // of the 95 % interval, +Inf = unbounded
		limit     float64 // 0 = none
	}{
		{"p95 of E2E (ms)", lowEnd(s.Corrected.E2EMs), highEnd(s.Corrected.E2EMs), k.P95E2EMs},
		{"p95 of TTFT (ms)", lowEnd(s.Corrected.TTFTMs), highEnd(s.Corrected.TTFTMs), k.P95TTFTMs},
	}
	if shedLow > c.MaxShedShare {
		l.Verdict, l.Why = LevelFails, fmt.Sprintf("%d of %d requests were shed", s.Counts.Shed, s.Counts.Sent)
		return l
	}
	l.Verdict, l.Why = LevelPasses, "within the bounds"
	// None shed passes whatever the number of requests: an interval above 1 % can't be closed with fewer than 381 of them.
	if s.Counts.Shed > 0 && shedHigh > c.MaxShedShare {
		l.Verdict, l.Why = LevelInconclusive, fmt.Sprintf("%d of %d requests were shed, which may be above %.1f %%", s.Counts.Shed, s.Counts.Sent, 100*c.MaxShedShare)
	}
	for _, check := range checks {
		if check.limit == 0 {
			continue
		}
		if check.low > check.limit {
			l.Verdict, l.Why = LevelFails, fmt.Sprintf("%s is at least %.1f, the limit is %.1f", check.what, check.low, check.limit)
			return l
		}
		if check.high > check.limit {
			l.Verdict, l.Why = LevelInconclusive, fmt.Sprintf("%s lies between %.1f and %.1f, the limit is %.1f", check.what, check.low, check.high, check.limit)
		}
	}
	return l
}

// intervalFrom is the least number of requests that has an interval of its p95.
const intervalFrom = 72

// lowEnd is the lower end of a p95, +Inf where even that falls among requests without an answer.
func lowEnd(d Dist) float64 {
	switch {
	case d.P95Lower != nil:
		return *d.P95Lower
	case d.N < intervalFrom:
		return 0
	}
	return math.Inf(1)
}

func highEnd(d Dist) float64 {
	if d.P95Upper != nil {
		return *d.P95Upper
	}
	return math.Inf(1)
}

// wilson is the 95 % score interval of a share.
func wilson(k, n int) (low, high float64) {
	const z = 1.959964
	share, m := float64(k)/float64(n), float64(n)
	centre := share + z*z/(2*m)
	half := z * math.Sqrt(share*(1-share)/m+z*z/(4*m*m))
	scale := 1 + z*z/m
	return max(0, (centre-half)/scale), (centre + half) / scale
}
