package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"hpcbench/results"
)

// parseHF reads a file of the Hugging Face tool. Its figures are the compat set
// whole; nothing else of it can be had.
func parseHF(data []byte) (Part, error) {
	var f hfFile
	if err := json.Unmarshal(data, &f); err != nil {
		return Part{}, err
	}
	if len(f.Results) == 0 {
		return Part{}, errors.New("it has no results")
	}
	p := Part{Tool: ToolHuggingFace, Model: f.Config.ModelName, Meta: f.Config.Meta, Plan: hfPlan(f.Config),
		Node: results.NodeFacts{Hostname: f.System.Hostname, Kernel: f.System.Kernel}}
	if p.Model == "" {
		p.Model = f.Config.Tokenizer
	}
	if len(f.System.CPU) > 0 {
		p.Node.CPUModel = f.System.CPU[0]
	}
	var err error
	if p.Started, err = hfParseTime(f.StartTime); err != nil {
		return Part{}, err
	}
	if p.Ended, err = hfParseTime(f.EndTime); err != nil {
		return Part{}, err
	}
	for i, r := range f.Results {
		s, err := hfStepSummary(r, f.Config)
		if err != nil {
			return Part{}, fmt.Errorf("result %d (%s): %w", i, r.ID, err)
		}
		if r.ID == "warmup" {
			s.Step.Index = -1
			p.Warmup = &s
			continue
		}
		s.Step.Index = len(p.Steps)
		p.Steps = append(p.Steps, s)
	}
	if len(p.Steps) == 0 {
		return Part{}, errors.New("it has a warm-up only")
	}
	return p, nil
}

func hfParseTime(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q: %w", s, err)
	}
	return t.UTC(), nil
}

func hfPlan(c hfConfig) results.Plan {
	p := results.Plan{Name: "imported", Kind: results.KindRate, MaxInFlight: int(min(c.MaxVUs, math.MaxInt32)), DurationS: float64(c.DurationSecs),
		Warmup: results.Warmup{DurationS: float64(c.WarmupSecs)}, Prompt: results.PromptPlan{Source: results.SourceShareGPT},
		Output:  results.OutputPlan{Distribution: results.DistDataset},
		Request: results.RequestPlan{API: "chat", Usage: results.UsageNone, TimeoutS: float64(c.DurationSecs)}}
	switch strings.ToLower(c.Kind) {
	case "throughput":
		p.Kind = results.KindThroughput
	case "sweep":
		p.Kind = results.KindSweep
		p.Sweep = &results.SweepPlan{Steps: int(min(c.NumRates, math.MaxInt32)), Fraction: 1.2}
	}
	for _, r := range c.Rates {
		p.RatesPerS = append(p.RatesPerS, float64(r))
	}
	if o := c.PromptOptions; o != nil && o.NumTokens != nil {
		p.Prompt.Tokens = clamp(*o.NumTokens)
	}
	if o := c.DecodeOptions; o != nil && o.NumTokens != nil {
		p.Output = results.OutputPlan{Distribution: results.DistNormal, Tokens: clamp(*o.NumTokens), SD: float64(o.Variance), Min: clamp(o.MinTokens), Max: clamp(o.MaxTokens)}
		if o.Variance == 0 {
			p.Output = results.OutputPlan{Distribution: results.DistFixed, Tokens: clamp(*o.NumTokens)}
		}
	}
	return p
}

// clamp takes the tool's "no maximum" (2⁶⁴−1) for what it means.
func clamp(n uint64) int { return int(min(n, math.MaxInt32)) }

func hfStepSummary(r hfResult, c hfConfig) (results.StepSummary, error) {
	var s results.StepSummary
	if r.TotalRequests < 0 || r.Successful < 0 || r.Failed < 0 || r.DurationMs < 0 || r.TotalTokens < 0 {
		return s, errors.New("a count or duration is negative")
	}
	if r.Successful+r.Failed != r.TotalRequests {
		return s, fmt.Errorf("%d successful and %d failed requests don't make %d", r.Successful, r.Failed, r.TotalRequests)
	}
	s.Step = results.Step{ID: r.ID, Loop: results.LoopClosed, Streams: clamp(r.Config.MaxVUs), DurationS: float64(r.Config.DurationSecs)}
	if r.Config.Rate != nil {
		s.Step.Loop, s.Step.Arrival, s.Step.RatePerS, s.Step.MaxInFlight, s.Step.Streams = results.LoopOpen, "constant", float64(*r.Config.Rate), clamp(c.MaxVUs), 0
	}
	s.Finished = true
	s.WindowS = float64(r.Config.DurationSecs)
	s.Counts = results.Counts{Sent: r.TotalRequests, Completed: r.Successful, Failed: r.Failed, Planned: r.TotalRequests}
	s.Compat = results.Compat{
		ID: r.ID, Valid: r.Successful > 0, TotalReqs: r.TotalRequests, Successful: r.Successful, Failed: r.Failed, TotalTokens: r.TotalTokens, TokensSent: r.TokensSent,
		DurationMs: r.DurationMs, RequestRate: float64(r.RequestRate), TokensPerS: float64(r.TokensPerS), TokensSource: results.TokensEvents,
	}
	for _, d := range []struct {
		name string
		from *hfDist
		to   **results.CompatDist
	}{{"TTFT", r.TTFT, &s.Compat.TTFTMs}, {"ITL", r.ITL, &s.Compat.ITLMs}, {"E2E", r.E2E, &s.Compat.E2EMs}} {
		if d.from == nil {
			continue
		}
		got := results.CompatDist{P50: float64(d.from.P50), P60: float64(d.from.P60), P70: float64(d.from.P70), P80: float64(d.from.P80),
			P90: float64(d.from.P90), P95: float64(d.from.P95), P99: float64(d.from.P99), Avg: float64(d.from.Avg)}
		if got.P50 < 0 || got.Avg < 0 || got.P99 < got.P50 {
			return s, fmt.Errorf("its %s is negative or falls with the percentile", d.name)
		}
		*d.to = &got
	}
	return s, nil
}
