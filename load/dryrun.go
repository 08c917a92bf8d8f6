package load

import (
	"fmt"

	"hpcbench/load/plans"
	"hpcbench/load/prompt"
	"hpcbench/results"
)

// ScheduleStep is one step as the first repeat would run it.
type ScheduleStep struct {
	results.Step
	// Requests of an open loop are those drawn, of a counted step its count; 0 = as many as the server takes.
	Requests     int   `json:"requests,omitempty"`
	PromptTokens int64 `json:"prompt_tokens_in_all,omitempty"`
	OutputTokens int64 `json:"output_tokens_in_all,omitempty"`
}

// DryRun draws the schedule of a plan's first repeat and asks no server. Of a
// plan that chooses its steps while it runs these are the steps that come
// whatever happens: the first one. What a plan takes in all is
// results.EstimatePlan's to say.
func DryRun(p results.Plan, f plans.Facts) ([]ScheduleStep, error) {
	next, err := plans.New(p, f)
	if err != nil {
		return nil, err
	}
	var steps []results.Step
	if plans.Static(p.Kind) {
		steps, err = plans.Steps(p, f)
		if err != nil {
			return nil, err
		}
	} else if first, ok := next(nil); ok {
		steps = []results.Step{first}
	}
	out := make([]ScheduleStep, len(steps))
	for i, s := range steps {
		if out[i], err = scheduleStep(p, s); err != nil {
			return nil, fmt.Errorf("draw the schedule: %w", err)
		}
	}
	return out, nil
}

func scheduleStep(p results.Plan, s results.Step) (ScheduleStep, error) {
	out := ScheduleStep{Step: s}
	if s.NotRun != "" {
		return out, nil
	}
	if s.Loop == results.LoopOpen {
		at, err := arrivals(p, 1, s, results.PhaseWindow, seconds(s.DurationS))
		if err != nil {
			return out, err
		}
		out.Requests = len(at)
	} else if s.MaxRequests > 0 {
		out.Requests = s.MaxRequests
	}
	for i := range out.Requests {
		tokens := prompt.OutputTokens(p, 1, s.Index, i)
		if s.OutputTokens > 0 {
			tokens = s.OutputTokens
		}
		out.OutputTokens += int64(tokens)
	}
	each := p.Prompt.Tokens
	if s.PromptTokens > 0 {
		each = s.PromptTokens
	}
	out.PromptTokens = int64(each) * int64(out.Requests)
	return out, nil
}
