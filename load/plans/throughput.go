package plans

import "hpcbench/results"

// throughput sends as much at once as MaxInFlight allows.
func throughput(p results.Plan) results.Step {
	return results.Step{
		ID:          "throughput",
		Loop:        results.LoopClosed,
		Streams:     p.MaxInFlight,
		WarmupS:     p.Warmup.PerStepS,
		DurationS:   p.DurationS,
		MaxRequests: perStepLimit(p),
	}
}
