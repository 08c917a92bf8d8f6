package aggregate

import (
	"strings"
	"testing"

	"hpcbench/collect/read"
	"hpcbench/results"
)

// capacityRun has levels 1, 2, 4, 8 and 16, of 500 requests each, whose p95
// doubles at the repeat's own knee.
func capacityRun(knees ...int) *read.Run {
	run := &read.Run{}
	run.Spec.Plan = results.Plan{Kind: results.KindCapacity, Capacity: &results.CapacityPlan{Loop: results.LoopClosed, P95E2EMs: 1500, MaxShedShare: 0.01, MaxErrorShare: 0.01, MinRequests: 100, MinDecidingRequests: 500}}
	for i, knee := range knees {
		sum := results.Summary{State: results.StateComplete}
		for j, level := range []int{1, 2, 4, 8, 16} {
			p95 := 1000.0
			if level > knee {
				p95 = 2000
			}
			s := results.StepSummary{Finished: true, Step: results.Step{Index: j, ID: "x", Loop: results.LoopClosed, Streams: level, Phase: results.CapacityLevel}}
			s.Counts = results.Counts{Planned: 500, Sent: 500, Completed: 500}
			s.Corrected.Valid = true
			low, high := p95*0.98, p95*1.02
			s.Corrected.E2EMs = results.Dist{N: 500, P50: &low, P90: &low, P95: &p95, P99: &high, Max: &high}
			s.Corrected.E2EMs.P95Lower, s.Corrected.E2EMs.P95Upper = &low, &high
			s.Corrected.AchievedPerS = float64(level)
			sum.Steps = append(sum.Steps, s)
		}
		run.Repeats = append(run.Repeats, read.Repeat{Index: i + 1, State: results.StateComplete, Summary: &sum})
	}
	return run
}

func TestKneeIsWhatEveryRepeatPasses(t *testing.T) {
	k := FindKnee(capacityRun(8, 8, 4))
	if k.MaxPassing != 4 || k.FirstFailing == nil || *k.FirstFailing != 8 || k.MaxInFlight != 3 || !k.Monotone || len(k.Levels) != 5 {
		t.Errorf("knee %+v", k)
	}
	if l := k.Levels[3]; l.Passed != 2 || l.Failed != 1 || l.Verdict != results.LevelFails || l.Requests != 1500 || l.P95E2EMs.N != 3 {
		t.Errorf("level 8: %+v", l)
	}
	if w := k.Words(); !strings.Contains(w, "between 4 (passes) and 8 streams") || !strings.Contains(w, "max_in_flight: 3") {
		t.Errorf("words: %s", w)
	}
	if k := FindKnee(capacityRun(99)); k.FirstFailing != nil || !strings.Contains(k.Words(), "at 16 streams or above") {
		t.Errorf("not reached: %s", k.Words())
	}
	if k := FindKnee(capacityRun(0)); k.MaxPassing != 0 || k.MaxInFlight != 0 || !strings.Contains(k.Words(), "not even the first") {
		t.Errorf("none passes: %s", k.Words())
	}
	near := capacityRun(99, 99)
	for _, r := range near.Repeats { // the interval of the first level's p95 lies around the bound
		low, high := 1450.0, 1550.0
		d := &r.Summary.Steps[0].Corrected.E2EMs
		d.P95Lower, d.P95Upper = &low, &high
	}
	if k := FindKnee(near); k.MaxPassing != 0 || !strings.Contains(k.Words(), "the first level isn't decided") || strings.HasSuffix(k.Words(), ": ") {
		t.Errorf("undecided: %+v %s", k, k.Words())
	}
	if FindKnee(&read.Run{}) != nil {
		t.Error("another kind of plan has no knee")
	}
}
