package collecttest

import (
	"math"
	"testing"

	"hpcbench/results"
)

func TestSameSetupSameBytes(t *testing.T) {
	s := Setup{DurationS: 20, RepeatCV: 0.02, NightCV: 0.01, Seed: 9}
	a, err := results.EncodeJSON(Build(s))
	if err != nil {
		t.Fatal(err)
	}
	b, err := results.EncodeJSON(Build(s))
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("two builds of one setup differ")
	}
}

// TestTheTruthIsWhatWasAskedFor checks that made-up runs are ones the judge
// finds nothing wrong with, and that a slower step is slower by as much as was said.
func TestTheTruthIsWhatWasAskedFor(t *testing.T) {
	for name, s := range map[string]Setup{"rates": {}, "matrix": Matrix(), "capacity": Capacity(), "gateway": Gateway()} {
		for _, sum := range Build(s).Summary {
			if results.Invalid(sum.Findings) {
				t.Errorf("%s: repeat %d: %v", name, sum.Repeat, sum.Findings)
			}
			for _, step := range sum.Steps {
				if results.Invalid(step.Findings) {
					t.Errorf("%s: repeat %d, %s: %v", name, sum.Repeat, step.Step.ID, step.Findings)
				}
			}
		}
	}
	tpot := func(s Setup, step int) float64 { return *Build(s).Summary[0].Steps[step].Corrected.TPOTMs.P50 }
	slow := Setup{Slower: map[int]float64{1: 1.25}}
	if ratio := tpot(slow, 1) / tpot(Setup{}, 1); math.Abs(ratio-1.25) > 0.001 {
		t.Errorf("a step 25 %% slower is %.3f times as slow", ratio)
	}
	if ratio := tpot(slow, 0) / tpot(Setup{}, 0); ratio != 1 {
		t.Errorf("another step changed by %.3f", ratio)
	}
}
