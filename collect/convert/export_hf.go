package convert

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"hpcbench/collect/read"
	"hpcbench/results"
)

// hfFile is the Hugging Face tool's file; the order of fields is the tool's.
type hfFile struct {
	Config    hfConfig   `json:"config"`
	Results   []hfResult `json:"results"`
	StartTime string     `json:"start_time"`
	EndTime   string     `json:"end_time"`
	System    hfSystem   `json:"system"`
}

type hfConfig struct {
	MaxVUs        uint64            `json:"max_vus"`
	DurationSecs  uint64            `json:"duration_secs"`
	Kind          string            `json:"benchmark_kind"` // Throughput | Sweep | Rate
	WarmupSecs    uint64            `json:"warmup_duration_secs"`
	Rates         []float           `json:"rates"`
	NumRates      uint64            `json:"num_rates"`
	PromptOptions *hfTokens         `json:"prompt_options"`
	DecodeOptions *hfTokens         `json:"decode_options"`
	Tokenizer     string            `json:"tokenizer"`
	ModelName     string            `json:"model_name"`
	Profile       *string           `json:"profile"`
	Meta          map[string]string `json:"meta"`
	RunID         string            `json:"run_id"`
}

// hfTokens are token options; the tool's "variance" is a standard deviation,
// and without a maximum it writes the largest 64-bit number.
type hfTokens struct {
	NumTokens *uint64 `json:"num_tokens"`
	MinTokens uint64  `json:"min_tokens"`
	MaxTokens uint64  `json:"max_tokens"`
	Variance  uint64  `json:"variance"`
}

type hfResult struct {
	ID            string  `json:"id"`
	Executor      string  `json:"executor_type"` // ConstantVUs | ConstantArrivalRate
	Config        hfStep  `json:"config"`
	TotalRequests int     `json:"total_requests"`
	TotalTokens   int64   `json:"total_tokens"`
	TokensPerS    float   `json:"token_throughput_secs"`
	DurationMs    int64   `json:"duration_ms"`
	TTFT          *hfDist `json:"time_to_first_token_ms"`
	ITL           *hfDist `json:"inter_token_latency_ms"`
	Failed        int     `json:"failed_requests"`
	Successful    int     `json:"successful_requests"`
	RequestRate   float   `json:"request_rate"`
	TokensSent    int64   `json:"total_tokens_sent"`
	E2E           *hfDist `json:"e2e_latency_ms"`
}

type hfStep struct {
	MaxVUs       uint64 `json:"max_vus"`
	DurationSecs uint64 `json:"duration_secs"`
	Rate         *float `json:"rate"`
}

type hfDist struct {
	P50 float `json:"p50"`
	P60 float `json:"p60"`
	P70 float `json:"p70"`
	P80 float `json:"p80"`
	P90 float `json:"p90"`
	P95 float `json:"p95"`
	P99 float `json:"p99"`
	Avg float `json:"avg"`
}

type hfSystem struct {
	CPU       []string `json:"cpu"`
	Memory    string   `json:"memory"`
	OSName    string   `json:"os_name"`
	OSVersion string   `json:"os_version"`
	Kernel    string   `json:"kernel"`
	Hostname  string   `json:"hostname"`
}

// float is written as Rust writes it: 2 as 2.0.
type float float64

// MarshalJSON writes the shortest text that reads back the same.
func (f float) MarshalJSON() ([]byte, error) {
	x := float64(f)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("%v is no JSON number", x)
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return []byte(s), nil
}

// HuggingFace writes one repeat as the Hugging Face tool would have written its
// whole run, from the compat set. Steps without a success can't be in such a
// file (the tool gives up on them); their ids are answered beside it.
func HuggingFace(run *read.Run, r *read.Repeat) (file []byte, leftOut []string, err error) {
	if r.Summary == nil {
		return nil, nil, fmt.Errorf("repeat %d of %s has no numbers (%s)", r.Index, run.Spec.Name, r.State)
	}
	f := hfFile{Config: hfConfigOf(run, r), Results: []hfResult{}, System: hfSystemOf(r)}
	if r.Attempt != nil {
		f.StartTime, f.EndTime = hfTime(r.Attempt.StartedAt), hfTime(r.Attempt.EndedAt)
	}
	steps := []results.StepSummary{}
	if r.Summary.Warmup != nil {
		w := *r.Summary.Warmup
		w.Compat.ID = "warmup"
		steps = append(steps, w)
	}
	for _, s := range append(steps, r.Summary.Steps...) {
		if !s.Compat.Valid || s.Compat.TTFTMs == nil || s.Compat.ITLMs == nil || s.Compat.E2EMs == nil {
			leftOut = append(leftOut, s.Step.ID)
			continue
		}
		f.Results = append(f.Results, hfResultOf(s, f.Config))
	}
	if len(f.Results) == 0 {
		return nil, leftOut, fmt.Errorf("repeat %d of %s has no step with a success", r.Index, run.Spec.Name)
	}
	file, err = json.Marshal(f)
	return file, leftOut, err
}

func hfConfigOf(run *read.Run, r *read.Repeat) hfConfig {
	p := run.Spec.Plan
	c := hfConfig{MaxVUs: uint64(max(p.MaxInFlight, 0)), DurationSecs: whole(p.DurationS), WarmupSecs: whole(p.Warmup.DurationS), NumRates: 10,
		Kind: "Rate", Tokenizer: run.Spec.Model.Name, ModelName: run.Spec.Model.Name, RunID: runID(run, r)}
	switch p.Kind {
	case results.KindThroughput:
		c.Kind = "Throughput"
	case results.KindSweep:
		c.Kind = "Sweep"
		if p.Sweep != nil {
			c.NumRates = uint64(max(p.Sweep.Steps, 0))
		}
	}
	for _, rate := range p.RatesPerS {
		c.Rates = append(c.Rates, float(rate))
	}
	if n := p.Prompt.Tokens; n > 0 {
		u := uint64(n)
		c.PromptOptions = &hfTokens{NumTokens: &u, MinTokens: u, MaxTokens: u}
	}
	if n := p.Output.Tokens; n > 0 {
		u := uint64(n)
		c.DecodeOptions = &hfTokens{NumTokens: &u, MinTokens: u, MaxTokens: u}
		if p.Output.Distribution == results.DistNormal {
			c.DecodeOptions.MinTokens, c.DecodeOptions.MaxTokens, c.DecodeOptions.Variance = uint64(max(p.Output.Min, 0)), uint64(max(p.Output.Max, 0)), whole(p.Output.SD)
		}
	}
	c.Meta = map[string]string{"engine": run.Spec.Server.Engine, "tp": strconv.Itoa(run.Spec.Server.TensorParallel), "device": run.Spec.Site.GPUKind,
		"tool": "hpcbench", "repeat": strconv.Itoa(r.Index)}
	if r.Attempt != nil {
		c.Meta["version"] = r.Attempt.Server.Version
	}
	if run.Spec.Simulated {
		c.Meta["simulated"] = "true"
	}
	return c
}

func whole(s float64) uint64 { return uint64(math.Max(0, math.Round(s))) }

// runID is short and the same for the same repeat.
func runID(run *read.Run, r *read.Repeat) string {
	if len(run.Digest) < 5 {
		return fmt.Sprintf("%s-%d", run.Spec.Name, r.Index)
	}
	return fmt.Sprintf("%s-%d", run.Digest[:5], r.Index)
}

func hfTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000000+00:00")
}

func hfResultOf(s results.StepSummary, c hfConfig) hfResult {
	out := hfResult{
		ID: s.Compat.ID, Executor: "ConstantVUs", TotalRequests: s.Compat.TotalReqs, TotalTokens: s.Compat.TotalTokens, TokensPerS: float(s.Compat.TokensPerS),
		DurationMs: s.Compat.DurationMs, TTFT: hfDistOf(s.Compat.TTFTMs), ITL: hfDistOf(s.Compat.ITLMs), E2E: hfDistOf(s.Compat.E2EMs),
		Failed: s.Compat.Failed, Successful: s.Compat.Successful, RequestRate: float(s.Compat.RequestRate), TokensSent: s.Compat.TokensSent,
		Config: hfStep{MaxVUs: uint64(max(s.Step.Streams, 1)), DurationSecs: whole(s.Step.DurationS)},
	}
	if s.Step.Loop == results.LoopOpen {
		rate := float(s.Step.RatePerS)
		out.Executor, out.Config.Rate, out.Config.MaxVUs = "ConstantArrivalRate", &rate, c.MaxVUs
	}
	return out
}

func hfDistOf(d *results.CompatDist) *hfDist {
	return &hfDist{float(d.P50), float(d.P60), float(d.P70), float(d.P80), float(d.P90), float(d.P95), float(d.P99), float(d.Avg)}
}

func hfSystemOf(r *read.Repeat) hfSystem {
	s := hfSystem{CPU: []string{}}
	if a := r.Attempt; a != nil {
		if a.Node.CPUModel != "" {
			s.CPU = append(s.CPU, a.Node.CPUModel)
		}
		s.Memory = fmt.Sprintf("%.2f GB", float64(a.Node.MemoryMiB)/1024)
		s.OSName, s.Kernel, s.Hostname = "Linux", a.Node.Kernel, a.Node.Hostname
	}
	return s
}
