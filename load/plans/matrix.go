package plans

import (
	"fmt"

	"hpcbench/results"
)

// Why a cell of a matrix isn't run: the first word of Step.NotRun.
const (
	OverModelLen   = "over_model_len"
	OverMaxNumSeqs = "over_max_num_seqs"
	OverCapacity   = "over_capacity_planned"
)

// Phases of a matrix.
const (
	PhasePrefill = "prefill"
	PhaseDecode  = "decode"
)

// matrix is a prefill step for each length, then the cells: first column and
// first row first, so that a run that ends early has both margins, then row by
// row. A cell reserves all the output it may make, as the published page does:
// what wouldn't fit the KV cache then is planned as over capacity and not run.
func matrix(p results.Plan, f Facts) []results.Step {
	if p.Matrix.KVTokens > 0 {
		f.KVTokens, f.KVSource = int64(p.Matrix.KVTokens), "the plan"
	}
	var steps []results.Step
	for _, n := range p.Matrix.PrefillTokens {
		s := results.Step{
			ID:           fmt.Sprintf("prefill@%d", n),
			Loop:         results.LoopClosed,
			Streams:      1,
			MaxRequests:  p.Matrix.PrefillSamples,
			PromptTokens: n,
			OutputTokens: 1,
			Phase:        PhasePrefill,
		}
		s.NotRun = notRun(f, n, 1, 1)
		steps = append(steps, s)
	}
	contexts := p.Matrix.ContextsTokens
	cell := func(ctx, level int) {
		s := results.Step{
			ID:           fmt.Sprintf("ctx%d@c%d", ctx, level),
			Loop:         results.LoopClosed,
			Streams:      level,
			WarmupS:      p.Warmup.PerStepS,
			DurationS:    p.DurationS,
			PromptTokens: max(ctx, p.Prompt.Tokens),
			OutputTokens: p.Output.Tokens,
			CancelAtEnd:  true,
			SettleS:      p.Matrix.SettleS,
			Phase:        PhaseDecode,
		}
		s.NotRun = notRun(f, ctx, p.Output.Tokens, level)
		steps = append(steps, s)
	}
	for i, ctx := range contexts {
		if i == 0 || len(p.Levels) > 0 {
			cell(ctx, p.Levels[0])
		}
	}
	for _, level := range p.Levels[1:] {
		cell(contexts[0], level)
	}
	for _, ctx := range contexts[1:] {
		for _, level := range p.Levels[1:] {
			cell(ctx, level)
		}
	}
	return steps
}

// notRun is the reason with its arithmetic, or "".
func notRun(f Facts, ctx, out, level int) string {
	need := int64(level) * int64(ctx+out)
	switch {
	case f.MaxModelLen > 0 && ctx+out > f.MaxModelLen:
		return fmt.Sprintf("%s: %d + %d = %d tokens, the model takes %d", OverModelLen, ctx, out, ctx+out, f.MaxModelLen)
	case f.MaxNumSeqs > 0 && level > f.MaxNumSeqs:
		return fmt.Sprintf("%s: %d streams, the server runs %d at once", OverMaxNumSeqs, level, f.MaxNumSeqs)
	case f.KVTokens > 0 && need > f.KVTokens:
		return fmt.Sprintf("%s: %d x (%d + %d) = %d tokens, the KV cache has %d (%s)", OverCapacity, level, ctx, out, need, f.KVTokens, f.KVSource)
	}
	return ""
}
