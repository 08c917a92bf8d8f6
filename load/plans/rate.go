package plans

import (
	"fmt"

	"hpcbench/results"
)

// Arrivals of open loops, as Step.Arrival has them.
const (
	arrivalConstant = "constant"
	arrivalPoisson  = "poisson"
)

// rates is one open step for each rate: plan kinds rate and poisson.
func rates(p results.Plan, arrival string) []results.Step {
	var steps []results.Step
	for _, r := range p.RatesPerS {
		steps = append(steps, rateStep(p, arrival, r))
	}
	return steps
}

// rateStep is named as the Hugging Face tool names it, so that tables can be
// laid beside each other; rates that would print alike get more digits.
func rateStep(p results.Plan, arrival string, rate float64) results.Step {
	return results.Step{
		ID:          fmt.Sprintf("%s@%sreq/s", arrival, rateName(p.RatesPerS, rate)),
		Loop:        results.LoopOpen,
		Arrival:     arrival,
		RatePerS:    rate,
		MaxInFlight: p.MaxInFlight,
		WarmupS:     p.Warmup.PerStepS,
		DurationS:   p.DurationS,
		MaxRequests: perStepLimit(p),
	}
}

func rateName(all []float64, rate float64) string {
	name := fmt.Sprintf("%.2f", rate)
	for _, other := range all {
		if other != rate && fmt.Sprintf("%.2f", other) == name {
			return fmt.Sprintf("%g", rate)
		}
	}
	return name
}
