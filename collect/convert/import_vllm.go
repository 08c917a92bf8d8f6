package convert

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"hpcbench/results"
)

// vllmFile is what vllm bench serve writes: one step. Percentiles are those that
// the user asked for.
type vllmFile struct {
	Date           string          `json:"date"`
	Backend        string          `json:"backend"`
	ModelID        string          `json:"model_id"`
	NumPrompts     int             `json:"num_prompts"`
	RequestRate    json.RawMessage `json:"request_rate"` // a number or "inf"
	Burstiness     *float64        `json:"burstiness"`
	MaxConcurrency *int            `json:"max_concurrency"`
	DurationS      float64         `json:"duration"`
	Completed      int             `json:"completed"`
	Failed         int             `json:"failed"`
	InputTokens    int64           `json:"total_input_tokens"`
	OutputTokens   int64           `json:"total_output_tokens"`
	RequestsPerS   float64         `json:"request_throughput"`
	GoodputPerS    *float64        `json:"request_goodput"`
	OutputPerS     float64         `json:"output_throughput"`
	TotalPerS      float64         `json:"total_token_throughput"`
}

// parseVLLM reads a file of vllm bench serve. TTFT and E2E are from the send,
// so they fill the figures from send; its "itl" is the gap between events.
func parseVLLM(data []byte) (Part, error) {
	var f vllmFile
	if err := json.Unmarshal(data, &f); err != nil {
		return Part{}, err
	}
	var figures map[string]json.RawMessage
	if err := json.Unmarshal(data, &figures); err != nil {
		return Part{}, err
	}
	if f.Completed < 0 || f.Failed < 0 || f.DurationS < 0 || f.NumPrompts < 0 {
		return Part{}, errors.New("a count or duration is negative")
	}
	if f.Completed == 0 {
		return Part{}, errors.New("not one request completed")
	}
	step, plan, err := vllmStep(f)
	if err != nil {
		return Part{}, err
	}
	p := Part{Tool: ToolVLLM, Model: f.ModelID, Plan: plan, Meta: map[string]string{"engine": results.EngineVLLM}}
	if f.Date != "" {
		if p.Started, err = time.Parse("20060102-150405", f.Date); err != nil {
			return Part{}, fmt.Errorf("date %q: %w", f.Date, err)
		}
	}
	s := results.StepSummary{Step: step, Finished: true, WindowS: f.DurationS}
	sent := f.Completed + f.Failed
	s.Counts = results.Counts{Planned: max(f.NumPrompts, sent), Sent: sent, Completed: f.Completed, Failed: f.Failed, NotSent: max(0, f.NumPrompts-sent)}
	c := &s.Corrected
	c.Valid = true
	for name, to := range map[string]*results.Dist{"ttft": &c.ServiceTTFT, "tpot": &c.TPOTMs, "itl": &c.GapMs, "e2el": &c.ServiceE2E} {
		if *to, err = vllmDist(figures, name, f.Completed); err != nil {
			return Part{}, err
		}
	}
	c.OfferedPerS = step.RatePerS
	if f.DurationS > 0 {
		c.SentPerS = float64(sent) / f.DurationS
	}
	c.AchievedPerS, c.TokensPerS, c.TotalPerS = f.RequestsPerS, f.OutputPerS, f.TotalPerS
	c.CohortShare = float64(f.Completed) / float64(sent)
	c.OutputTokens, c.PromptTokens, c.GoodputPerS = f.OutputTokens, f.InputTokens, f.GoodputPerS
	tokens, prompt := float64(f.OutputTokens)/float64(f.Completed), float64(f.InputTokens)/float64(f.Completed)
	c.TokensPerReq, c.PromptPerReq = &tokens, &prompt
	p.Steps = []results.StepSummary{s}
	return p, nil
}

func vllmStep(f vllmFile) (results.Step, results.Plan, error) {
	plan := results.Plan{Name: "imported", Output: results.OutputPlan{Distribution: results.DistDataset},
		Prompt: results.PromptPlan{Source: results.SourceShareGPT}, Request: results.RequestPlan{API: "completions", Usage: results.UsageFinal}}
	if f.Backend == "openai-chat" {
		plan.Request.API = "chat"
	}
	var rate float64
	if err := json.Unmarshal(f.RequestRate, &rate); err == nil && rate > 0 {
		step := results.Step{ID: fmt.Sprintf("poisson@%.2freq/s", rate), Loop: results.LoopOpen, Arrival: "poisson", RatePerS: rate, MaxRequests: f.NumPrompts}
		if f.MaxConcurrency != nil {
			step.MaxInFlight = *f.MaxConcurrency
		}
		plan.Kind = results.KindPoisson
		if f.Burstiness != nil && *f.Burstiness != 1 {
			step.Arrival = fmt.Sprintf("gamma, burstiness %g", *f.Burstiness)
		}
		plan.RatesPerS = []float64{rate}
		return step, plan, nil
	}
	var word string
	if err := json.Unmarshal(f.RequestRate, &word); err != nil || word != "inf" {
		return results.Step{}, plan, fmt.Errorf("request_rate %s is neither a rate nor \"inf\"", f.RequestRate)
	}
	if f.MaxConcurrency == nil {
		plan.Kind = results.KindThroughput
		return results.Step{ID: "throughput", Loop: results.LoopClosed, Streams: f.NumPrompts, MaxRequests: f.NumPrompts}, plan, nil
	}
	if *f.MaxConcurrency < 1 {
		return results.Step{}, plan, fmt.Errorf("max_concurrency %d", *f.MaxConcurrency)
	}
	plan.Kind = results.KindConcurrency
	plan.Levels = []int{*f.MaxConcurrency}
	return results.Step{ID: fmt.Sprintf("concurrency@%d", *f.MaxConcurrency), Loop: results.LoopClosed, Streams: *f.MaxConcurrency, MaxRequests: f.NumPrompts}, plan, nil
}

// vllmDist takes mean_x_ms, std_x_ms (of n, made into n−1) and p50…p99_x_ms.
func vllmDist(figures map[string]json.RawMessage, name string, n int) (results.Dist, error) {
	d := results.Dist{N: n}
	get := func(key string) (*float64, error) {
		raw, ok := figures[key]
		if !ok || string(raw) == "null" {
			return nil, nil
		}
		var x float64
		if err := json.Unmarshal(raw, &x); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if x < 0 {
			return nil, fmt.Errorf("%s is negative: %g", key, x)
		}
		return &x, nil
	}
	var err error
	for key, to := range map[string]**float64{"mean_" + name + "_ms": &d.Mean, "std_" + name + "_ms": &d.SD, "median_" + name + "_ms": &d.P50,
		"p90_" + name + "_ms": &d.P90, "p95_" + name + "_ms": &d.P95, "p99_" + name + "_ms": &d.P99} {
		if *to, err = get(key); err != nil {
			return d, err
		}
	}
	if d.SD != nil && n > 1 {
		sd := *d.SD * math.Sqrt(float64(n)/float64(n-1))
		d.SD = &sd
	}
	return d, nil
}

// mergeSteps turns vLLM's files, one step each, into repeats: the k-th file of
// each rate or level, by date, is in repeat k. Files of the Hugging Face tool
// are repeats already. All must be of one tool and model, and every repeat of
// one plan.
func mergeSteps(parts []Part) ([]Part, error) {
	first := parts[0]
	for _, p := range parts[1:] {
		if p.Tool != first.Tool || p.Model != first.Model {
			return nil, fmt.Errorf("import: %s is of %s with %s, %s of %s with %s: %w", first.File, first.Tool, first.Model, p.File, p.Tool, p.Model, ErrMixed)
		}
	}
	if first.Tool != ToolVLLM {
		return parts, sameSteps(parts)
	}
	sorted := slices.Clone(parts)
	slices.SortStableFunc(sorted, func(a, b Part) int { return a.Started.Compare(b.Started) })
	var repeats []Part
	seen := map[string]int{}
	for _, p := range sorted {
		k := seen[p.Steps[0].Step.ID]
		seen[p.Steps[0].Step.ID]++
		if k == len(repeats) {
			repeats = append(repeats, Part{File: p.File, Tool: p.Tool, Model: p.Model, Plan: p.Plan, Started: p.Started, Meta: p.Meta})
		} else {
			repeats[k].File += ", " + p.File
		}
		repeats[k].Steps = append(repeats[k].Steps, p.Steps[0])
	}
	for k := range repeats {
		orderSteps(&repeats[k])
	}
	return repeats, sameSteps(repeats)
}

// orderSteps puts a repeat's steps by rate or streams, and its plan beside them.
func orderSteps(p *Part) {
	slices.SortStableFunc(p.Steps, func(a, b results.StepSummary) int {
		return cmp.Or(cmp.Compare(a.Step.RatePerS, b.Step.RatePerS), cmp.Compare(a.Step.Streams, b.Step.Streams))
	})
	p.Plan.RatesPerS, p.Plan.Levels = nil, nil
	for i := range p.Steps {
		s := &p.Steps[i].Step
		s.Index = i
		if s.Loop == results.LoopOpen {
			p.Plan.RatesPerS = append(p.Plan.RatesPerS, s.RatePerS)
		} else if s.ID != "throughput" {
			p.Plan.Levels = append(p.Plan.Levels, s.Streams)
		}
	}
}

// sameSteps checks that repeats have the same steps, but for ones that a later repeat lacks.
func sameSteps(parts []Part) error {
	known := map[string]bool{}
	for _, s := range parts[0].Steps {
		known[s.Step.ID] = true
	}
	for k, p := range parts[1:] {
		for _, s := range p.Steps {
			if !known[s.Step.ID] {
				return fmt.Errorf("import: %s has the step %s, %s hasn't: %w", p.File, strconv.Quote(s.Step.ID), parts[0].File, ErrMixed)
			}
		}
		if parts[0].Tool != ToolVLLM && len(p.Steps) != len(parts[0].Steps) {
			return fmt.Errorf("import: repeat %d (%s) has %d steps, %s has %d: %w", k+2, p.File, len(p.Steps), parts[0].File, len(parts[0].Steps), ErrMixed)
		}
	}
	return nil
}
