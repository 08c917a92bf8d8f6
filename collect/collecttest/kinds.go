package collecttest

import (
	"fmt"

	"hpcbench/results"
)

// Matrix is a run of a small matrix: three contexts by four levels with a
// prefill phase; large cells are over capacity and not run.
func Matrix() Setup {
	contexts, levels := []int{0, 16384, 65536}, []int{1, 2, 8, 32}
	var steps []results.Step
	add := func(s results.Step) {
		s.Index = len(steps)
		steps = append(steps, s)
	}
	for _, n := range []int{8192, 65536} {
		add(results.Step{ID: fmt.Sprintf("prefill@%d", n), Loop: results.LoopClosed, Streams: 1, MaxRequests: 5, PromptTokens: n, OutputTokens: 1, Phase: "prefill"})
	}
	for _, c := range contexts {
		for _, l := range levels {
			s := results.Step{ID: fmt.Sprintf("ctx%d@c%d", c, l), Loop: results.LoopClosed, Streams: l, DurationS: 20, PromptTokens: max(c, 64), OutputTokens: 8192, CancelAtEnd: true, Phase: "decode"}
			if need := l * (c + 8192); need > 400000 {
				s.NotRun = fmt.Sprintf("over_capacity_planned: %d x (%d + 8192) = %d tokens of 400000", l, c, need)
			}
			add(s)
		}
	}
	return Setup{Name: "matrix", Steps: steps, RepeatCV: 0.01, Records: true, Spec: func(s *results.Spec) {
		s.Plan = results.Plan{Name: "matrix", Kind: results.KindMatrix, Levels: levels, DurationS: 20, Seed: 1, Prompt: results.PromptPlan{Source: results.SourceSynthetic, Tokens: 64},
			Output:  results.OutputPlan{Distribution: results.DistFixed, Tokens: 8192},
			Request: results.RequestPlan{API: "chat", Usage: results.UsageContinuous, IgnoreEOS: true, TimeoutS: 900},
			Matrix:  &results.MatrixPlan{ContextsTokens: contexts, PrefillTokens: []int{8192, 65536}, PrefillSamples: 5}}
	}}
}

// Capacity is a run of a capacity plan whose bound is passed between 8 and 16 streams.
func Capacity() Setup {
	var steps []results.Step
	for i, l := range []int{1, 2, 4, 8, 12, 16} {
		phase := results.CapacityLevel
		if i == 0 {
			phase = results.CapacityBaseline
		}
		steps = append(steps, results.Step{Index: i, ID: fmt.Sprintf("level@%d", l), Loop: results.LoopClosed, Streams: l, DurationS: 200, Phase: phase})
	}
	return Setup{Name: "capacity", Steps: steps, RepeatCV: 0.01, Spec: func(s *results.Spec) {
		s.Plan = results.Plan{Name: "capacity", Kind: results.KindCapacity, DurationS: 60, Seed: 1, Prompt: results.PromptPlan{Source: results.SourceSynthetic, Tokens: 200},
			Output:  results.OutputPlan{Distribution: results.DistFixed, Tokens: 181},
			Request: results.RequestPlan{API: "chat", Usage: results.UsageFinal, TimeoutS: 120},
			Capacity: &results.CapacityPlan{Loop: results.LoopClosed, P95E2EMs: 2150, MaxShedShare: 0.01, MaxErrorShare: 0.01, MaxLevel: 512, BracketShare: 0.1,
				MinRequests: 100, MinDecidingRequests: 500}}
	}}
}

// Gateway is a run of ten ABBA blocks whose gateway adds two milliseconds.
func Gateway() Setup { return GatewayAdding(2) }

// GatewayAdding is Gateway with another addition.
func GatewayAdding(ms float64) Setup {
	var steps []results.Step
	for block := 1; block <= 10; block++ {
		for half, arms := range [][]string{{results.ArmDirect, results.ArmControl, results.ArmGateway}, {results.ArmGateway, results.ArmControl, results.ArmDirect}} {
			for _, arm := range arms {
				steps = append(steps, results.Step{Index: len(steps), ID: fmt.Sprintf("%s@c1/block%d.%d", arm, block, half+1), Loop: results.LoopClosed, Streams: 1, DurationS: 170, Arm: arm, Block: block})
			}
		}
	}
	return Setup{Name: "gateway", Repeats: 1, Steps: steps, RepeatCV: 0.0005, Spec: func(s *results.Spec) {
		s.Plan = results.Plan{Name: "gateway", Kind: results.KindGateway, Levels: []int{1}, Seed: 1, Prompt: results.PromptPlan{Source: results.SourceSynthetic, Tokens: 200},
			Output:  results.OutputPlan{Distribution: results.DistFixed, Tokens: 181},
			Request: results.RequestPlan{API: "chat", Usage: results.UsageFinal, TimeoutS: 60}, Gateway: &results.GatewayPlan{Blocks: 10, Requests: 200, AA: true}}
	}, Record: func(_ int, r *results.Record) bool {
		if r.Arm == results.ArmGateway {
			for _, t := range []*int64{&r.THeaders, &r.TFirstEvent, &r.TFirstToken, &r.TLastToken, &r.TFirstText, &r.TLastText, &r.TDone, &r.TEnd} {
				*t += int64(1000 * ms)
			}
		}
		return true
	}}
}
