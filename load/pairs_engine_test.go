//go:build engine

package load

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/engine/realtest"
	"hpcbench/results"
)

// The workload of both tools: a held number of streams, prompts and answers of
// one length, as many requests as take some seconds.
const (
	pairStreams  = 8
	pairRequests = 400
	pairPrompt   = 120
	pairOutput   = 60
)

// figures are what both tools state of a run.
type figures struct{ tpotMs, e2eMs, tokensPerS float64 }

// BenchmarkAgainstVLLMBenchServe runs the same workload with vLLM's own client
// and with ours, in turns, six times, against one living vLLM, and reports the
// mean ratio of ours to theirs. The order within a pair alternates, so that
// drift falls on both alike. Run it alone with -benchtime 1x.
func BenchmarkAgainstVLLMBenchServe(b *testing.B) {
	e, at := realServer(b)
	engine, err := realtest.Find()
	if err != nil {
		b.Fatal(err)
	}
	bin := b.TempDir()
	if err := engine.InstallCommand(bin, 1); err != nil {
		b.Fatal(err)
	}
	ours := func() figures {
		p := ratePlan(0)
		p.Kind, p.RatesPerS, p.Levels = results.KindConcurrency, nil, []int{pairStreams}
		p.Prompt.Tokens, p.Output.Tokens = pairPrompt, pairOutput
		p.Request.TimeoutS, p.Request.Usage = 60, results.UsageFinal
		p.Limits = &results.Limits{Requests: pairRequests}
		c := configOf(b, e, p)
		c.Telemetry.Scrape = nil
		ctx, cancel := context.WithTimeout(b.Context(), 3*time.Minute)
		defer cancel()
		sum, err := Run(ctx, c)
		if err != nil {
			b.Fatal(err)
		}
		s := sum.Steps[0]
		return figures{deref(s.Corrected.TPOTMs.Mean), deref(s.Corrected.ServiceE2E.Mean), s.Corrected.TokensPerS}
	}
	theirs := func() figures {
		dir := b.TempDir()
		cmd := exec.CommandContext(b.Context(), filepath.Join(bin, "vllm"), "bench", "serve", "--backend", "openai-chat", "--base-url", at.BaseURL,
			"--endpoint", "/v1/chat/completions", "--model", "tiny", "--tokenizer", engine.Model, "--dataset-name", "random",
			"--random-input-len", fmt.Sprint(pairPrompt), "--random-output-len", fmt.Sprint(pairOutput), "--num-prompts", fmt.Sprint(pairRequests),
			"--max-concurrency", fmt.Sprint(pairStreams), "--ignore-eos", "--temperature", "0", "--percentile-metrics", "ttft,tpot,itl,e2el",
			"--save-result", "--result-dir", dir, "--result-filename", "r.json")
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY="+e.Key)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, tailOf(string(out)))
		}
		text, err := os.ReadFile(filepath.Join(dir, "r.json"))
		if err != nil {
			b.Fatal(err)
		}
		var r struct {
			TPOT   float64 `json:"mean_tpot_ms"`
			E2E    float64 `json:"mean_e2el_ms"`
			Tokens float64 `json:"output_throughput"`
		}
		if err := json.Unmarshal(text, &r); err != nil {
			b.Fatal(err)
		}
		return figures{r.TPOT, r.E2E, r.Tokens}
	}
	ours() // both find a server that has worked
	theirs()
	for range b.N {
		const pairs = 6
		var tpot, e2e, tokens float64
		for i := range pairs {
			var a, v figures
			if i%2 == 0 {
				a, v = ours(), theirs()
			} else {
				v, a = theirs(), ours()
			}
			b.Logf("pair %d: ours %+v, theirs %+v", i+1, a, v)
			tpot += math.Log(a.tpotMs/v.tpotMs) / pairs
			e2e += math.Log(a.e2eMs/v.e2eMs) / pairs
			tokens += math.Log(a.tokensPerS/v.tokensPerS) / pairs
		}
		b.ReportMetric(math.Exp(tpot), "tpot-ratio")
		b.ReportMetric(math.Exp(e2e), "e2e-ratio")
		b.ReportMetric(math.Exp(tokens), "tokens-ratio")
	}
}

func tailOf(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
