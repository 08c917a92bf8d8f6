package plans

import (
	"fmt"

	"hpcbench/results"
)

// gateway compares two ways to one server in blocks. Each block runs its arms
// forwards and then backwards (direct, gateway, gateway, direct), so that a
// drift of the server falls on both alike; with a control, direct against
// direct again, it stands in the middle. Every other block begins with the
// gateway. An arm's requests are halved over its two turns in a block.
func gateway(p results.Plan) []results.Step {
	var steps []results.Step
	for _, level := range p.Levels {
		for block := 1; block <= p.Gateway.Blocks; block++ {
			arms := []string{results.ArmDirect, results.ArmGateway}
			if p.Gateway.AA {
				arms = []string{results.ArmDirect, results.ArmControl, results.ArmGateway}
			}
			if block%2 == 0 {
				arms[0], arms[len(arms)-1] = arms[len(arms)-1], arms[0]
			}
			for turn := range 2 * len(arms) {
				arm, half := turn, 1
				if turn >= len(arms) {
					arm, half = 2*len(arms)-1-turn, 2
				}
				steps = append(steps, results.Step{
					ID:          fmt.Sprintf("%s@c%d/block%d.%d", arms[arm], level, block, half),
					Loop:        results.LoopClosed,
					Streams:     level,
					MaxRequests: (p.Gateway.Requests + 1) / 2,
					Arm:         arms[arm],
					Block:       block,
				})
			}
		}
	}
	return steps
}
