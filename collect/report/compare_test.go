package report

import (
	"bytes"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

func openRun(t *testing.T, s collecttest.Setup) *read.Run {
	t.Helper()
	run, err := read.Open(string(collecttest.Write(t, calm(s))), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func publishedTable() results.Reference {
	p := func(x float64) *float64 { return &x }
	return results.Reference{Format: results.FormatReference, Name: "karolina-qwen3-4b-bare",
		Conditions: results.ReferenceConditions{Site: "karolina", Partition: "qgpu", GPUKind: "NVIDIA A100 40GB", GPUs: 1, Model: "Qwen/Qwen3-4B-Instruct-2507",
			Path: results.PathBare, EngineVersion: "0.14.0", WarmupS: 60, DurationS: 60, PromptTokens: 200, OutputTokens: 200, OutputSD: 10, OutputMin: 180, OutputMax: 220,
			MaxVUs: 800, Statistic: results.StatMeanOf5, Runs: 5, Tool: "inference-benchmarker"},
		Rows: []results.ReferenceRow{
			{RatePerS: 2.53, QPS: p(2.514), E2ES: p(1.584), TTFTMs: p(31.406), ITLMs: p(8.584), TokensPerS: p(454.656)},
			{RatePerS: 19.22, QPS: p(18.92), E2ES: p(2.27), TTFTMs: p(44.10), ITLMs: p(12.23), TokensPerS: p(3418.70), Suspect: "for the test"},
		},
	}
}

func comparisons(t *testing.T) map[string]*compare.Comparison {
	quiet := collecttest.Setup{Name: "baseline", Seed: 1, RepeatCV: 0.01, DurationS: 60, RatesPerS: []float64{2.53, 19.22}}
	slow := quiet
	slow.Name, slow.Seed, slow.Slower = "candidate", 2, map[int]float64{1: 1.1}
	other := slow
	other.Spec = func(s *results.Spec) { s.Job.GPUs, s.Server.TensorParallel, s.Model.Name = 4, 4, "other/model" }
	sim := quiet
	sim.Name, sim.Simulated = "demo", true
	return map[string]*compare.Comparison{
		"compare-regressed": compare.Runs(openRun(t, quiet), openRun(t, slow), compare.Options{}),
		"compare-apart":     compare.Runs(openRun(t, quiet), openRun(t, other), compare.Options{}),
		"compare-reference": compare.Reference(publishedTable(), openRun(t, quiet), compare.Options{}),
		"compare-simulated": compare.Reference(publishedTable(), openRun(t, sim), compare.Options{}),
	}
}

func TestCompareGolden(t *testing.T) {
	for name, c := range comparisons(t) {
		var out, md bytes.Buffer
		if err := Compare(&out, c, false); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", out.Bytes())
		fits(t, name, out.String())
		if err := CompareMarkdown(&md, c); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".md", md.Bytes())
	}
}

func TestCompareJSONNeverHoldsInfinity(t *testing.T) {
	for name, c := range comparisons(t) {
		var out bytes.Buffer
		if err := CompareJSON(&out, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(out.String(), `"format": "hpcbench.compare/1"`) {
			t.Errorf("%s has no format word", name)
		}
	}
}
