package results

import (
	"math"
	"testing"
)

func at(v float64) *float64 { return &v }

// level makes the summary of a step with a p95 and its interval.
func level(phase string, streams, sent int, low, p95, high float64) StepSummary {
	d := Dist{N: sent, P95: at(p95)}
	if sent >= intervalFrom {
		d.P95Lower, d.P95Upper = at(low), at(high)
	}
	return StepSummary{
		Step:      Step{Loop: LoopClosed, Streams: streams, Phase: phase},
		Counts:    Counts{Sent: sent, Completed: sent},
		Corrected: Corrected{E2EMs: d, AchievedPerS: float64(streams) * 1000 / p95},
	}
}

func capacityPlan() Plan {
	return Plan{Kind: KindCapacity, Capacity: &CapacityPlan{Loop: LoopClosed, RelativeToOne: 3, MaxShedShare: 0.01,
		MaxErrorShare: 0.01, MinRequests: 100, MinDecidingRequests: 500}}
}

func TestKneeIsBracketedAndRecommendsALittleBelow(t *testing.T) {
	k := FindKnee(capacityPlan(), []StepSummary{
		level(CapacityBaseline, 1, 500, 95, 100, 105),
		level(CapacityLevel, 2, 100, 100, 110, 120),
		level(CapacityLevel, 4, 100, 110, 120, 130),
		level(CapacityLevel, 8, 100, 400, 450, 500),
		level(CapacityRefine, 6, 500, 280, 290, 299),
		level(CapacityRefine, 7, 500, 301, 310, 320),
	})
	if k.Kind != "relative" || k.P95E2EMs != 300 {
		t.Errorf("bounds: %s, %v ms", k.Kind, k.P95E2EMs)
	}
	if k.MaxPassing != 6 || k.FirstFailing == nil || *k.FirstFailing != 7 || k.MaxInFlight != 5 || !k.Monotone {
		t.Errorf("%+v", k)
	}
	if k.BracketShare == nil || math.Abs(*k.BracketShare-1./6) > 1e-9 {
		t.Errorf("bracket %v", k.BracketShare)
	}
}

func TestKneeThatWasNotReachedIsNotExtrapolated(t *testing.T) {
	k := FindKnee(capacityPlan(), []StepSummary{
		level(CapacityBaseline, 1, 500, 95, 100, 105),
		level(CapacityLevel, 2, 100, 100, 110, 120),
	})
	if k.MaxPassing != 2 || k.FirstFailing != nil || k.BracketShare != nil {
		t.Errorf("%+v", k)
	}
}

func TestLevelThatPassesAboveAFailingOneIsSaid(t *testing.T) {
	k := FindKnee(capacityPlan(), []StepSummary{
		level(CapacityBaseline, 1, 500, 95, 100, 105),
		level(CapacityLevel, 4, 500, 400, 450, 500),
		level(CapacityLevel, 8, 500, 100, 110, 120),
	})
	if k.Monotone || k.MaxPassing != 1 {
		t.Errorf("%+v", k)
	}
}

func TestLevelVerdicts(t *testing.T) {
	base := level(CapacityBaseline, 1, 500, 95, 100, 105)
	for name, c := range map[string]struct {
		change func(*StepSummary)
		want   string
	}{
		"interval across the limit": {func(s *StepSummary) { *s = level(CapacityLevel, 8, 100, 280, 290, 320) }, LevelInconclusive},
		"too few for an interval":   {func(s *StepSummary) { *s = level(CapacityLevel, 8, 30, 0, 110, 0) }, LevelInconclusive},
		"shed":                      {func(s *StepSummary) { s.Counts.Shed = 10 }, LevelFails},
		"perhaps shed too much":     {func(s *StepSummary) { s.Counts.Shed = 1 }, LevelInconclusive},
		"errors":                    {func(s *StepSummary) { s.Counts.Failed = 2 }, LevelFails},
		"nothing sent":              {func(s *StepSummary) { s.Counts.Sent = 0 }, LevelFails},
		"arrivals dropped":          {func(s *StepSummary) { s.Counts.Dropped = 1 }, LevelFails},
		"more than a twentieth unanswered": {func(s *StepSummary) {
			s.Corrected.E2EMs = Dist{N: 100, Unbounded: []string{"p95", "p99", "max"}}
		}, LevelFails},
		"good": {func(*StepSummary) {}, LevelPasses},
	} {
		s := level(CapacityLevel, 8, 100, 100, 110, 120)
		c.change(&s)
		k := FindKnee(capacityPlan(), []StepSummary{base, s})
		if got := k.Levels[1]; got.Verdict != c.want || got.Why == "" {
			t.Errorf("%s: %s (%s), want %s", name, got.Verdict, got.Why, c.want)
		}
	}
}

// A slow server ends few requests of one stream in a window: that isn't a level which fails.
func TestALevelOfTooFewRequestsIsNotTheKnee(t *testing.T) {
	few := level(CapacityBaseline, 1, 25, 0, 100, 0)
	few.Corrected.E2EMs.P95Lower, few.Corrected.E2EMs.P95Upper = nil, nil
	few.Corrected.E2EMs.N = 25
	good, bad := level(CapacityLevel, 8, 600, 100, 105, 110), level(CapacityLevel, 16, 600, 1e6, 1.1e6, 1.2e6)
	k := FindKnee(capacityPlan(), []StepSummary{few, good, bad})
	if k.MaxPassing != 8 || k.FirstFailing == nil || *k.FirstFailing != 16 || !k.Monotone {
		t.Errorf("%+v", k)
	}
	k = FindKnee(capacityPlan(), []StepSummary{few})
	if k.MaxPassing != 0 || k.FirstFailing == nil || !k.Levels[0].TooFew() {
		t.Errorf("alone it passes nothing: %+v", k)
	}
}
