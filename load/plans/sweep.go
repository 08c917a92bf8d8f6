package plans

import (
	"math"

	"hpcbench/results"
)

// sweep runs throughput first, then constant rates i/Steps x Fraction x the
// rate of completions that it reached, i from 1 to Steps. Rates are rounded to
// hundredths, so that a step's name says its rate. It ends after the
// throughput step where that completed nothing.
func sweep(p results.Plan) Stepper {
	return func(done []results.StepSummary) (results.Step, bool) {
		if len(done) == 0 {
			return throughput(p), true
		}
		i := len(done)
		most := done[0].Corrected.AchievedPerS
		if i > p.Sweep.Steps || !(most > 0) {
			return results.Step{}, false
		}
		rate := float64(i) / float64(p.Sweep.Steps) * p.Sweep.Fraction * most
		s := rateStep(p, arrivalConstant, max(math.Round(rate*100)/100, 0.01))
		s.Index = i
		return s, true
	}
}
