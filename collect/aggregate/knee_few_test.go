package aggregate

import (
	"testing"

	"hpcbench/results"
)

// A level with too few requests for a verdict isn't the knee where one above it
// passes; a level that fails is, whatever passes above.
func TestALevelOfTooFewRequestsIsNotTheKnee(t *testing.T) {
	few := Level{At: 1}
	few.add(results.Level{Verdict: results.LevelInconclusive, Requests: 25})
	pass, fail := Level{At: 8}, Level{At: 16}
	pass.add(results.Level{Verdict: results.LevelPasses, Requests: 600})
	fail.add(results.Level{Verdict: results.LevelFails, Requests: 600})
	k := Knee{Monotone: true, Levels: []Level{few, pass, fail}}
	k.conclude()
	if k.MaxPassing != 8 || k.FirstFailing == nil || *k.FirstFailing != 16 || !k.Monotone || k.MaxInFlight != 7 {
		t.Errorf("%+v", k)
	}
	broken := Level{At: 1}
	broken.add(results.Level{Verdict: results.LevelFails, Requests: 25})
	k = Knee{Monotone: true, Levels: []Level{broken, pass, fail}}
	k.conclude()
	if k.MaxPassing != 0 || *k.FirstFailing != 1 || k.Monotone {
		t.Errorf("%+v", k)
	}
}
