package gate

import (
	"math"
	"math/rand/v2"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/compare"
)

// Noise is what nights of one step vary by, as standard deviations of logarithms.
type Noise struct {
	Repeat float64 `json:"repeat_sd"` // between repeats within a night
	Night  float64 `json:"night_sd"`  // between nights: node, temperature, neighbours
}

// Setting is one situation to simulate.
type Setting struct {
	Noise  Noise
	Steps  int     // rows, each one gate metric of a step
	Slower float64 // put into the first step's candidate, 0.10 = 10 % slower
	// Machine makes everything slower tonight, the frozen baseline as well.
	Machine float64
	Nights  int // how many nights are simulated
	Seed    uint64
	// CommonNight gives all steps of a night the same night effect; else each has its own.
	CommonNight bool
}

// Rates are how nights end, as shares of all nights.
type Rates struct {
	Confirmed    float64 `json:"confirmed"` // needed pairs
	Red          float64 `json:"red"`
	RedOther     float64 `json:"red_other"` // red for a row that was not made slower
	Inconclusive float64 `json:"inconclusive"`
	Machine      float64 `json:"machine_changed"`
	PairsANight  float64 `json:"pairs_a_night"`
}

// repeatsANight is the number of repeats of simulated nights.
const repeatsANight = 5

// Simulate runs the whole rule over made-up nights. Each has a history of
// MinNights good nights and a pinned baseline of its own; the pairs of a
// confirmation are on one node and vary by the repeat's noise alone.
func (r Rule) Simulate(s Setting) Rates {
	rng := rand.New(rand.NewPCG(s.Seed, 17))
	var out Rates
	pairs := 0
	for range s.Nights {
		night, used := r.simulateNight(s, rng)
		pairs += used
		if used > 0 {
			out.Confirmed++
		}
		switch night.State {
		case Red:
			out.Red++
			for _, c := range night.Confirm {
				if c.State == Red && (s.Slower == 0 || c.Step != stepName(0)) {
					out.RedOther++
					break
				}
			}
		case Inconclusive:
			out.Inconclusive++
		case MachineChanged:
			out.Machine++
		}
	}
	n := float64(s.Nights)
	return Rates{out.Confirmed / n, out.Red / n, out.RedOther / n, out.Inconclusive / n, out.Machine / n, float64(pairs) / n}
}

const simulatedMetric = "corrected.tpot_ms.p50"

func stepName(i int) string { return string(rune('a' + i)) }

// simulateNight answers how the night ends and how many pairs it took.
func (r Rule) simulateNight(s Setting, rng *rand.Rand) (Night, int) {
	gate := compare.Gate{Metric: simulatedMetric, Tolerance: 0.05}
	gates := map[string]compare.Gate{simulatedMetric: gate}
	effects := func() []float64 {
		e := make([]float64, s.Steps)
		common := s.Noise.Night * rng.NormFloat64()
		for i := range e {
			if e[i] = common; !s.CommonNight {
				e[i] = s.Noise.Night * rng.NormFloat64()
			}
		}
		return e
	}
	draw := func(level float64) []float64 {
		x := make([]float64, repeatsANight)
		for i := range x {
			x[i] = math.Exp(level + s.Noise.Repeat*rng.NormFloat64())
		}
		return x
	}
	pasts := make([]Past, s.Steps)
	for range r.MinNights {
		for i, e := range effects() {
			pasts[i].Nights = append(pasts[i].Nights, draw(e))
		}
	}
	for i, e := range effects() {
		pasts[i].Pinned = draw(e)
	}
	tonight := effects()
	machine := math.Log1p(s.Machine)
	var screen []ScreenRow
	byKey := map[Key]ScreenRow{}
	var suspects []Pairs
	levels := map[Key]float64{}
	for i := range pasts {
		shift := 0.0
		if i == 0 {
			shift = math.Log1p(s.Slower)
		}
		key := Key{stepName(i), simulatedMetric}
		row := r.Screen(Figures{Key: key, Values: draw(tonight[i] + shift + machine), Asked: repeatsANight}, pasts[i], gate)
		screen = append(screen, row)
		byKey[key] = row
		levels[key] = shift
		if row.State == NeedsPairs {
			suspects = append(suspects, Pairs{Key: key, Prior: PriorFromRepeats(pasts[i].Nights, aggregate.LowerBetter, r.MaxPriorDF)})
		}
	}
	night := r.Judge(screen, nil, 0)
	for night.State == NeedsPairs {
		for i := range suspects {
			for len(suspects[i].Base) < night.Pairs {
				suspects[i].Base = append(suspects[i].Base, math.Exp(machine+s.Noise.Repeat*rng.NormFloat64()))
				suspects[i].New = append(suspects[i].New, math.Exp(machine+levels[suspects[i].Key]+s.Noise.Repeat*rng.NormFloat64()))
			}
		}
		night = r.Judge(screen, r.Confirm(suspects, s.Steps, byKey, gates), 0)
	}
	if len(suspects) == 0 {
		return night, 0
	}
	return night, len(suspects[0].Base)
}
