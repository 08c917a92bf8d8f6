package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// ConditionsOf is a digest of what must be the same for nights to be compared:
// simulated or not, model, GPU kind and count, how the model is cut over them, whether
// each repeat has a fresh server, the clock of the stamps, and the plan. Engine, image,
// flags, driver and node are not in it: those are what a nightly compares.
func ConditionsOf(run *read.Run) string {
	s := run.Spec
	plan := s.Plan
	plan.Name, plan.Description, plan.SLO, plan.Limits = "", "", nil, nil
	plan.Seed, plan.CoolDownS, plan.DrainS = 0, 0, 0 // they don't change what is measured
	b, err := json.Marshal(struct {
		Simulated, Fresh    bool
		Model, GPU, Clock   string
		GPUs, Nodes, TP, PP int
		Plan                results.Plan
	}{aggregate.Of(run).Simulated, s.Grouping.FreshServer, s.Model.Name, s.Site.GPUKind, strings.Join(aggregate.Distinct(run, clockOf), ", "),
		s.Job.GPUs, s.Job.Nodes, s.Server.TensorParallel, s.Server.PipelineStages, plan})
	if err != nil {
		return "" // a plan that was read from JSON always encodes
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func clockOf(a *results.Attempt) string { return a.Clock.Kind }

// Under leaves the nights that were measured under the given conditions, and those
// that don't state theirs.
func (ns Nights) Under(conditions string) Nights {
	var out Nights
	for _, n := range ns {
		if n.Conditions == "" || n.Conditions == conditions {
			out = append(out, n)
		}
	}
	return out
}
