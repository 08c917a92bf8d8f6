package plans

import (
	"fmt"

	"hpcbench/results"
)

// concurrency holds each number of streams for a window.
func concurrency(p results.Plan) []results.Step {
	var steps []results.Step
	for _, n := range p.Levels {
		steps = append(steps, results.Step{
			ID:          fmt.Sprintf("concurrency@%d", n),
			Loop:        results.LoopClosed,
			Streams:     n,
			WarmupS:     p.Warmup.PerStepS,
			DurationS:   p.DurationS,
			MaxRequests: perStepLimit(p),
		})
	}
	return steps
}
