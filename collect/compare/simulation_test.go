package compare

import (
	"math"
	"math/rand/v2"
	"testing"
)

// nights simulates comparisons of two runs of five repeats over six steps by
// the whole rule (Welch on logarithms, Holm over the steps, tolerance 5 %) and
// counts the verdicts. Noise is lognormal: cv between repeats, night between
// the runs (one draw a run, the same for all its steps). shift is put into step 3.
func nights(n int, cv, night, shift float64) map[Verdict]int {
	rng := rand.New(rand.NewPCG(uint64(1e6*cv+1e3*shift), uint64(1e4*night)))
	counts := map[Verdict]int{}
	for range n {
		levels := [2]float64{night * rng.NormFloat64(), night * rng.NormFloat64()}
		rows := make([]Row, 6)
		for i := range rows {
			sides := [2][]float64{}
			for s := range sides {
				for range 5 {
					x := levels[s] + cv*rng.NormFloat64()
					if s == 1 && i == 3 {
						x += math.Log1p(shift)
					}
					sides[s] = append(sides[s], 9*math.Exp(x))
				}
			}
			rows[i] = Row{Decides: true, Tolerance: 0.05, better: -1}
			rows[i].fillRelative(sides[0], sides[1], false)
		}
		decide(rows)
		v, _ := overall(rows)
		counts[v]++
	}
	return counts
}

// TestRuleBySimulation holds the rates that docs/statistics.md states, within
// four standard errors of the simulation.
func TestRuleBySimulation(t *testing.T) {
	const n = 1000
	for _, tc := range []struct {
		cv, night, shift float64
		verdict          Verdict
		want             float64
	}{
		// nothing changed, same night: false alarms a table
		{0.01, 0, 0, Regressed, 0}, {0.03, 0, 0, Regressed, 0.007}, {0.05, 0, 0, Regressed, 0.019}, {0.08, 0, 0, Regressed, 0.018},
		// one step of six 10 % slower: power
		{0.01, 0, 0.10, Regressed, 1}, {0.02, 0, 0.10, Regressed, 0.996}, {0.03, 0, 0.10, Regressed, 0.852}, {0.05, 0, 0.10, Regressed, 0.350}, {0.08, 0, 0.10, Regressed, 0.118},
		// all six steps say no change when nothing changed
		{0.01, 0, 0, NoChange, 1}, {0.02, 0, 0, NoChange, 0.349}, {0.03, 0, 0, NoChange, 0.001},
		// another night: what independent repeats can't know
		{0.02, 0.02, 0, Regressed, 0.122}, {0.02, 0.03, 0, Regressed, 0.214},
	} {
		got := float64(nights(n, tc.cv, tc.night, tc.shift)[tc.verdict]) / n
		se := math.Sqrt(math.Max(tc.want*(1-tc.want), 1e-4) / n)
		if math.Abs(got-tc.want) > 4*se+0.01 {
			t.Errorf("cv %.2f night %.2f shift %.2f: %s %.4f, want %.4f", tc.cv, tc.night, tc.shift, tc.verdict, got, tc.want)
		}
		t.Logf("cv %.2f night %.2f shift %.2f: %s %.4f", tc.cv, tc.night, tc.shift, tc.verdict, got)
	}
}
