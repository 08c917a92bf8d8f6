// Package collecttest writes whole, plausible run folders with a chosen noise,
// so that the rooms of collect can be tested against runs whose truth is known.
// It goes through the types of results only and is imported by tests alone.
//
// A run is described by a Setup. Build makes it in memory, Write puts it on the
// disk. The same Setup always gives the same bytes.
package collecttest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"hpcbench/results"
)

// Setup says what a made-up run measured. The zero value of each field means
// the default given with it.
type Setup struct {
	Name      string // "made-up"
	Repeats   int    // 5
	Seed      uint64 // of the noise; two runs that differ in it alone are two nights
	Simulated bool   // marks the run as one of the stub engine
	RatesPerS []float64
	DurationS float64        // 120
	Steps     []results.Step // instead of those of RatesPerS (2.53, 3.79, 5.69)

	TTFTMs   float64 // 30, the median of a request's time to the first token
	TPOTMs   float64 // 9, the median of a request's time per output token
	RepeatCV float64 // sd of the logarithm of a repeat's level, drawn anew each repeat
	NightCV  float64 // the same, drawn once a run
	// Slower multiplies the TPOT of a step by its index.
	Slower map[int]float64
	// OutputTokens is the mean length of an answer, 181.
	OutputTokens float64
	// Records writes records.jsonl and telemetry.jsonl beside the summaries.
	Records bool
	// OneNode runs all repeats on one node.
	OneNode bool

	Spec    func(*results.Spec)                             // changes the spec before it is written
	Attempt func(repeat int, a *results.Attempt)            // changes an attempt
	Summary func(repeat int, s *results.Summary)            // changes a summary
	Record  func(repeat int, r *results.Record) (keep bool) // changes a record before the summary is made
}

// Made is a run in memory.
type Made struct {
	Spec     results.Spec
	Attempts []results.Attempt
	Records  [][]results.Record
	Samples  [][]results.Sample
	Summary  []results.Summary
}

var epoch = time.Date(2026, 3, 19, 8, 0, 0, 0, time.UTC)

func (s Setup) withDefaults() Setup {
	if s.Name == "" {
		s.Name = "made-up"
	}
	if s.Repeats == 0 {
		s.Repeats = 5
	}
	if s.DurationS == 0 {
		s.DurationS = 120
	}
	if len(s.RatesPerS) == 0 {
		s.RatesPerS = []float64{2.53, 3.79, 5.69}
	}
	if s.TTFTMs == 0 {
		s.TTFTMs = 30
	}
	if s.TPOTMs == 0 {
		s.TPOTMs = 9
	}
	if s.OutputTokens == 0 {
		s.OutputTokens = 181
	}
	if len(s.Steps) == 0 {
		for i, r := range s.RatesPerS {
			s.Steps = append(s.Steps, results.Step{
				Index: i, ID: fmt.Sprintf("constant@%.2freq/s", r), Loop: results.LoopOpen, Arrival: "constant",
				RatePerS: r, DurationS: s.DurationS, MaxInFlight: 800,
			})
		}
	}
	return s
}

// Build makes the run in memory.
func Build(s Setup) Made {
	s = s.withDefaults()
	m := Made{Spec: s.spec()}
	if s.Spec != nil {
		s.Spec(&m.Spec)
	}
	digest, err := m.Spec.Digest()
	if err != nil {
		panic(err) // a spec of plain values always encodes
	}
	night := rand.New(rand.NewPCG(s.Seed, 1))
	level := math.Exp(night.NormFloat64() * s.NightCV)
	for k := 1; k <= s.Repeats; k++ {
		noise := rand.New(rand.NewPCG(s.Seed, uint64(100+k)))
		a := s.attempt(k, m.Spec, digest)
		if s.Attempt != nil {
			s.Attempt(k, &a)
		}
		records, samples := s.requests(k, level, noise)
		sum := summarise(a, m.Spec.Plan, records, samples)
		if s.Summary != nil {
			s.Summary(k, &sum)
			if sum.Digest, err = sum.ContentDigest(); err != nil {
				panic(err) // a summary of finite figures always encodes
			}
		}
		m.Attempts = append(m.Attempts, a)
		m.Records = append(m.Records, records)
		m.Samples = append(m.Samples, samples)
		m.Summary = append(m.Summary, sum)
	}
	return m
}

func (s Setup) spec() results.Spec {
	return results.Spec{
		Format: results.FormatSpec, Name: s.Name, CreatedAt: epoch, ToolVersion: "v0-test", Simulated: s.Simulated,
		Site: results.SiteFacts{Name: "karolina", Scheduler: results.SchedulerSlurm, GPUKind: "NVIDIA A100-SXM4-40GB", GPUVendor: "nvidia",
			GPUMemoryGiB: 40, GPUsPerNode: 8, PollS: 30, Cost: results.CostSpec{Unit: "node-hours", PerHour: 0.125, ExpectedHours: 0.2, WorstHours: 0.5}},
		Model: results.ModelFacts{Name: "Qwen/Qwen3-4B-Instruct-2507", Source: "Qwen/Qwen3-4B-Instruct-2507"},
		Server: results.ServerSpec{Engine: results.EngineVLLM, Image: "/images/vllm-openai-nightly-ef96fa3f.sif", EngineVersion: "0.14.0",
			TensorParallel: 1, PipelineStages: 1, ServedName: "Qwen/Qwen3-4B-Instruct-2507"},
		Plan: results.Plan{Name: "legacy-karolina", Kind: results.KindRate, RatesPerS: s.RatesPerS, MaxInFlight: 800, DurationS: s.DurationS, Seed: 1,
			Warmup: results.Warmup{DurationS: 60}, Prompt: results.PromptPlan{Source: results.SourceSynthetic, Tokens: 200},
			Output:  results.OutputPlan{Distribution: results.DistNormal, Tokens: 200, SD: 10, Min: 180, Max: 220},
			Request: results.RequestPlan{API: "chat", Usage: results.UsageFinal, TimeoutS: 120}},
		Repeats:  s.Repeats,
		Grouping: results.Grouping{Mode: results.ModeArray, Jobs: jobs(s.Repeats), FreshServer: true, Why: "each repeat is a job"},
		Job:      results.JobSpec{Dir: "/runs/" + s.Name, Account: "OPEN-00-00", Partition: "qgpu", Nodes: 1, GPUs: 1, WalltimeS: 1800},
	}
}

func jobs(n int) [][]int {
	var out [][]int
	for k := range n {
		out = append(out, []int{k + 1})
	}
	return out
}

func (s Setup) attempt(k int, spec results.Spec, digest string) results.Attempt {
	host := fmt.Sprintf("acn%02d", k)
	if s.OneNode {
		host = "acn01"
	}
	start := epoch.Add(time.Duration(k) * time.Hour)
	return results.Attempt{
		Format: results.FormatAttempt, RecordsFormat: results.FormatRecords, TelemetryFormat: results.FormatTelemetry,
		Run: s.Name, Repeat: k, Simulated: s.Simulated, State: results.StateComplete,
		StartedAt: start, EpochAt: start.Add(time.Minute), EndedAt: start.Add(30 * time.Minute),
		SpecDigest: digest, ToolVersion: "v0-test", ScheduleDigest: fmt.Sprintf("schedule-%s-%d-%d", spec.Plan.Name, spec.Plan.Seed, k),
		Salt:   fmt.Sprintf("salt-%d-%d", s.Seed, k),
		Node:   results.NodeFacts{Hostname: host, Kernel: "4.18.0", CPUModel: "AMD EPYC 7763", GPUs: []results.GPU{{Index: "0", ID: "GPU-" + host, Name: "NVIDIA A100-SXM4-40GB", MemoryGiB: 40}}, Driver: "550.54.15", Runtime: "apptainer version 1.3.4"},
		Slurm:  &results.SlurmFacts{JobID: fmt.Sprint(4000 + k), ArrayJobID: "4000", ArrayTaskID: fmt.Sprint(k), Account: "OPEN-00-00", Partition: "qgpu", NodeList: host},
		Server: results.ServerFacts{Engine: spec.Server.Engine, Version: spec.Server.EngineVersion, ServedName: spec.Server.ServedName, StartS: 42, ImagePath: spec.Server.Image, ImageDigest: "sha256:ef96fa3f"},
		Clock:  results.ClockFacts{Kind: results.ClockKernel, Reason: "the self-test held"},
	}
}
