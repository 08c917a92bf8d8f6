package plans

import (
	"fmt"

	"hpcbench/results"
)

// Stepper gives the next step from the summaries of those that are done, and
// false when the plan is at its end. It is pure: the same summaries give the
// same step. Its Index is the number of summaries.
type Stepper func(done []results.StepSummary) (results.Step, bool)

// Facts are what a matrix must know of the server; 0 = not known, and then
// the rule that needs it isn't applied.
type Facts struct {
	KVTokens    int64
	KVSource    string // where KVTokens comes from, for the arithmetic shown
	MaxModelLen int
	MaxNumSeqs  int
}

// New makes the stepper of a plan. The plan has passed its check.
func New(p results.Plan, f Facts) (Stepper, error) {
	switch p.Kind {
	case results.KindSweep:
		return sweep(p), nil
	case results.KindCapacity:
		return capacity(p), nil
	}
	steps, err := Steps(p, f)
	if err != nil {
		return nil, err
	}
	return Fixed(steps), nil
}

// Static says whether the steps of the kind are known before it runs.
func Static(kind string) bool { return kind != results.KindSweep && kind != results.KindCapacity }

// Steps gives all steps of a plan whose kind is static.
func Steps(p results.Plan, f Facts) ([]results.Step, error) {
	var steps []results.Step
	switch p.Kind {
	case results.KindRate:
		steps = rates(p, arrivalConstant)
	case results.KindPoisson:
		steps = rates(p, arrivalPoisson)
	case results.KindConcurrency:
		steps = concurrency(p)
	case results.KindThroughput:
		steps = []results.Step{throughput(p)}
	case results.KindMatrix:
		steps = matrix(p, f)
	case results.KindGateway:
		steps = gateway(p)
	default:
		return nil, fmt.Errorf("the steps of a %s plan aren't known before it runs", p.Kind)
	}
	for i := range steps {
		steps[i].Index = i
	}
	return steps, nil
}

// Fixed is the stepper of steps that are known: those of a static plan, or
// those that the first repeat chose.
func Fixed(steps []results.Step) Stepper {
	return func(done []results.StepSummary) (results.Step, bool) {
		if len(done) >= len(steps) {
			return results.Step{}, false
		}
		s := steps[len(done)]
		s.Index = len(done)
		return s, true
	}
}

func perStepLimit(p results.Plan) int {
	if p.Limits == nil {
		return 0
	}
	return p.Limits.Requests
}
