package collecttest

import (
	"hpcbench/results"
	"hpcbench/results/summary"
)

// summarise makes the summary as a real run does.
func summarise(a results.Attempt, plan results.Plan, records []results.Record, samples []results.Sample) results.Summary {
	return summary.Compute(summary.Input{Attempt: a, Records: records, Samples: samples, Plan: plan})
}
