package gate

import (
	"math"
	"testing"
)

// TestRuleBySimulation holds the rates that docs/statistics.md states, within
// four standard errors of the simulation.
func TestRuleBySimulation(t *testing.T) {
	const nights = 1000
	for _, tc := range []struct {
		noise                   Noise
		confirmed, red, slowRed float64
		pairs                   float64
	}{
		{Noise{0.01, 0.01}, 0.163, 0, 1.000, 0.8},
		{Noise{0.02, 0.01}, 0.304, 0, 1.000, 1.5},
		{Noise{0.02, 0.02}, 0.391, 0, 0.999, 2.0},
		{Noise{0.03, 0.02}, 0.511, 0.0003, 0.996, 2.7},
		{Noise{0.03, 0.03}, 0.547, 0.0001, 0.980, 3.0},
		{Noise{0.05, 0.02}, 0.712, 0.0012, 0.951, 6.4},
	} {
		healthy := DefaultRule.Simulate(Setting{Noise: tc.noise, Steps: 6, Nights: nights, Seed: 11, CommonNight: true})
		slow := DefaultRule.Simulate(Setting{Noise: tc.noise, Steps: 6, Nights: nights, Seed: 12, CommonNight: true, Slower: 0.10})
		t.Logf("repeat %.2f night %.2f: healthy %+v, slow %+v", tc.noise.Repeat, tc.noise.Night, healthy, slow)
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"needs confirming", healthy.Confirmed, tc.confirmed}, {"false red", healthy.Red, tc.red}, {"red when 10 % slower", slow.Red, tc.slowRed}} {
			se := math.Sqrt(math.Max(c.want*(1-c.want), 1e-3) / nights)
			if math.Abs(c.got-c.want) > 4*se+0.002 {
				t.Errorf("repeat %.2f night %.2f, %s: %.4f, want %.4f", tc.noise.Repeat, tc.noise.Night, c.name, c.got, c.want)
			}
		}
		if math.Abs(healthy.PairsANight-tc.pairs) > 0.15*tc.pairs+0.2 {
			t.Errorf("repeat %.2f night %.2f: %.2f pairs a night, want %.1f", tc.noise.Repeat, tc.noise.Night, healthy.PairsANight, tc.pairs)
		}
	}
}

func TestSlowerMachineIsNotRed(t *testing.T) {
	r := DefaultRule.Simulate(Setting{Noise: Noise{0.02, 0.01}, Steps: 6, Nights: 500, Seed: 3, CommonNight: true, Machine: 0.10})
	if r.Red > 0.01 || r.Machine < 0.95 {
		t.Errorf("a machine 10 %% slower: %+v", r)
	}
}

func TestAnotherStepIsNeverBlamed(t *testing.T) {
	r := DefaultRule.Simulate(Setting{Noise: Noise{0.02, 0.01}, Steps: 6, Nights: 500, Seed: 4, CommonNight: true, Slower: 0.10})
	if r.RedOther > 0.005 {
		t.Errorf("a step that wasn't slower went red in %.3f of nights", r.RedOther)
	}
}
