package suite

import (
	"strings"
	"testing"

	"hpcbench/results"
)

func TestWorstGPUHours(t *testing.T) {
	var s results.Spec
	s.Job.GPUs, s.Job.WalltimeS = 4, 1800
	s.Grouping.Jobs = [][]int{{1}, {2}, {3}}
	if got := WorstGPUHours(s); got != 6 {
		t.Errorf("%g GPU-hours, want 3 jobs × 0.5 h × 4", got)
	}
}

// Each run may take 2 GPU-hours at worst and takes next to none.
func TestBudget(t *testing.T) {
	t.Run("too small for a run", func(t *testing.T) {
		b := newBench(t, "model")
		b.machine.BudgetGPUHours = 1
		s := b.finish()
		if e := s.Entries[0]; e.Phase != PhaseTrouble || !strings.Contains(e.Words, "2 GPU-hours at worst, and 1 of the night's 1 are left") {
			t.Errorf("%+v", e)
		}
		b.wantRan("model")
	})
	t.Run("one after the other", func(t *testing.T) {
		b := newBench(t, "small", "large")
		b.machine.BudgetGPUHours = 3
		s := b.advance()
		if s.Entries[0].Phase != PhaseUnderWay && s.Entries[0].Phase != PhaseDecided {
			t.Errorf("%+v", s.Entries[0])
		}
		if s = b.finish(); s.Entries[1].Phase != PhaseDecided {
			t.Errorf("%+v", s.Entries[1])
		}
		b.wantRan("large", "1", "2", "3")
		if s.GPUHours > 3 {
			t.Errorf("%g GPU-hours of 3", s.GPUHours)
		}
	})
	t.Run("none left for pairs", func(t *testing.T) {
		b := newBench(t, "model")
		b.machine.BudgetGPUHours = 2
		b.judge = func(s Seen) (Judgement, error) {
			if s.NoMore != "" {
				return Judgement{State: "inconclusive", Reason: s.NoMore}, nil
			}
			b.gpus = 400 // what the pairs would take
			return Judgement{State: "needs pairs", Pairs: 5}, nil
		}
		e := b.finish().Entries[0]
		if e.Phase != PhaseDecided || e.Judgement.State != "inconclusive" || !strings.Contains(e.Judgement.Reason, "200 GPU-hours at worst") {
			t.Errorf("%+v", e)
		}
	})
}

// Two callers who both thought that there was room: the first event has it.
func TestTheOrderOfEventsHoldsTheBudget(t *testing.T) {
	b := newBench(t, "small", "large")
	b.machine.BudgetGPUHours = 3
	b.machine.Status = nil
	if err := mkdir(b.machine.Dir); err != nil {
		t.Fatal(err)
	}
	for _, e := range []string{"small", "large", "small"} {
		if err := b.machine.add(Event{Entry: e, What: EventMade, GPUHours: 2}); err != nil {
			t.Fatal(err)
		}
	}
	for entry, want := range map[string]bool{"small": false, "large": true} {
		if over, err := b.machine.overBudget(Part{Entry: entry}); err != nil || over != want {
			t.Errorf("%s over the budget: %v, %v", entry, over, err)
		}
	}
	if err := b.machine.add(Event{Entry: "small", What: EventOver, GPUHours: 0.1, Settled: true}); err != nil {
		t.Fatal(err)
	}
	if over, err := b.machine.overBudget(Part{Entry: "large"}); err != nil || over {
		t.Errorf("large over the budget when small took little: %v, %v", over, err)
	}
}
