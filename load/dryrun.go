package load

import (
	"fmt"
	"math"

	"hpcbench/load/plans"
	"hpcbench/load/prompt"
	"hpcbench/results"
)

// Schedule is what a plan would do, as far as it can be said beforehand.
type Schedule struct {
	Plan  string         `json:"plan"`
	Kind  string         `json:"kind"`
	Steps []ScheduleStep `json:"steps"`
	// Open says that more steps follow which are chosen while running; Most is how many steps there may be at most.
	Open bool `json:"open,omitempty"`
	Most int  `json:"most_steps,omitempty"`

	Requests     int     `json:"requests"` // of open loops and counted steps; others depend on the server
	PromptTokens int64   `json:"prompt_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	ExpectedS    float64 `json:"expected_s"` // warm-up, windows and pauses
	WorstS       float64 `json:"worst_s"`    // with every drain to its limit
}

// ScheduleStep is one step of it.
type ScheduleStep struct {
	results.Step
	Requests     int     `json:"requests,omitempty"` // 0 = as many as the server takes
	PromptTokens int64   `json:"prompt_tokens_in_all,omitempty"`
	OutputTokens int64   `json:"output_tokens_in_all,omitempty"`
	ExpectedS    float64 `json:"expected_s"`
}

// DryRun says what the first repeat of a plan would do. It asks no server. For
// plans that choose their steps while running it gives those that are certain
// and a bound of the time.
func DryRun(p results.Plan, f plans.Facts) (Schedule, error) {
	out := Schedule{Plan: p.Name, Kind: p.Kind, Steps: []ScheduleStep{}}
	steps, err := knownSteps(p, f, &out)
	if err != nil {
		return out, err
	}
	drain := p.DrainS
	if drain == 0 {
		drain = p.Request.TimeoutS
	}
	out.ExpectedS, out.WorstS = p.Warmup.DurationS, p.Warmup.DurationS
	if p.Warmup.DurationS > 0 {
		out.WorstS += drain
	}
	for _, s := range steps {
		step, err := scheduleStep(p, s)
		if err != nil {
			return out, err
		}
		out.Steps = append(out.Steps, step)
		out.Requests += step.Requests
		out.PromptTokens += step.PromptTokens
		out.OutputTokens += step.OutputTokens
		out.ExpectedS += step.ExpectedS
		out.WorstS += step.ExpectedS
		if s.NotRun == "" && !s.CancelAtEnd {
			out.WorstS += drain
		}
	}
	if out.Open {
		rest := float64(out.Most-len(steps)) * (p.Warmup.PerStepS + p.DurationS + p.CoolDownS)
		out.ExpectedS += rest
		out.WorstS += rest + float64(out.Most-len(steps))*drain
	}
	if p.Limits != nil && p.Limits.Seconds > 0 {
		out.ExpectedS, out.WorstS = min(out.ExpectedS, p.Limits.Seconds), min(out.WorstS, p.Limits.Seconds+drain)
	}
	return out, nil
}

// knownSteps are all steps of a static plan, else those that come whatever
// happens.
func knownSteps(p results.Plan, f plans.Facts, out *Schedule) ([]results.Step, error) {
	if plans.Static(p.Kind) {
		return plans.Steps(p, f)
	}
	next, err := plans.New(p, f)
	if err != nil {
		return nil, err
	}
	out.Open = true
	out.Most = plans.MostSteps(p)
	first, ok := next(nil)
	if !ok {
		return nil, nil
	}
	return []results.Step{first}, nil
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
	out.ExpectedS = expectedS(p, []results.Step{s})
	return out, nil
}

// Lines is the schedule for people.
func (s Schedule) Lines() []string {
	var lines []string
	for _, step := range s.Steps {
		if step.NotRun != "" {
			lines = append(lines, fmt.Sprintf("%-28s not run: %s", step.ID, step.NotRun))
			continue
		}
		load := fmt.Sprintf("%g requests/s", step.RatePerS)
		if step.Loop == results.LoopClosed {
			load = fmt.Sprintf("%d streams", step.Streams)
		}
		requests := "as many requests as the server takes"
		if step.Requests > 0 {
			requests = fmt.Sprintf("%d requests, %d prompt and %d output tokens", step.Requests, step.PromptTokens, step.OutputTokens)
		}
		lines = append(lines, fmt.Sprintf("%-28s %-18s %6.0f s  %s", step.ID, load, step.ExpectedS, requests))
	}
	if s.Open {
		lines = append(lines, fmt.Sprintf("further steps are chosen while it runs, at most %d in all", s.Most))
	}
	total := fmt.Sprintf("a repeat takes about %.0f s, at most %.0f s", math.Ceil(s.ExpectedS), math.Ceil(s.WorstS))
	if s.Requests > 0 {
		total += fmt.Sprintf("; %d requests", s.Requests)
	}
	return append(lines, total)
}
