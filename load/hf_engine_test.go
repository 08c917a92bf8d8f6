//go:build engine

package load

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"hpcbench/engine/stub"
	"hpcbench/results"
)

// hfFile is what of the Hugging Face tool's JSON is compared.
type hfFile struct {
	Results []struct {
		ID          string             `json:"id"`
		Total       int                `json:"total_requests"`
		Successful  int                `json:"successful_requests"`
		TotalTokens int64              `json:"total_tokens"`
		TokensPerS  float64            `json:"token_throughput_secs"`
		RequestRate float64            `json:"request_rate"`
		DurationMs  int64              `json:"duration_ms"`
		TokensSent  int64              `json:"total_tokens_sent"`
		TTFT        map[string]float64 `json:"time_to_first_token_ms"`
		ITL         map[string]float64 `json:"inter_token_latency_ms"`
		E2E         map[string]float64 `json:"e2e_latency_ms"`
	} `json:"results"`
}

// TestCompatIsWhatTheHuggingFaceToolPrinted runs the three settings of the
// captured runs at their full length and lays our compat set beside theirs.
func TestCompatIsWhatTheHuggingFaceToolPrinted(t *testing.T) {
	base := func(output int, warmup float64, vus int, rates ...float64) results.Plan {
		p := ratePlan(15, rates...)
		p.MaxInFlight = vus
		p.Warmup.DurationS = warmup
		p.Prompt.Tokens = 200
		p.Output.Tokens = output
		p.Request.Usage, p.Request.IgnoreEOS = results.UsageFinal, false
		p.Request.TimeoutS = 15
		return p
	}
	for name, c := range map[string]struct {
		server stub.Config
		plan   results.Plan
	}{
		"A": {stub.Config{TTFTBaseMs: 100, ITLMs: 10}, base(50, 3, 800, 2, 10, 40)},
		"B": {stub.Config{TTFTBaseMs: 100, ITLMs: 10, Slots: 10}, base(50, 3, 800, 10, 15, 20)},
		"C": {stub.Config{TTFTBaseMs: 500, ITLMs: 20}, base(100, 4, 16, 5, 40)},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile("testdata/inference-benchmarker/" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var hf hfFile
			if err := json.Unmarshal(b, &hf); err != nil {
				t.Fatal(err)
			}
			s := startStub(t, c.server)
			sum := run(t, configOf(t, endpointOf(t, s.URL()), c.plan))
			ours := append([]results.StepSummary{*sum.Warmup}, sum.Steps...)
			if len(ours) != len(hf.Results) {
				t.Fatalf("%d rows, theirs has %d", len(ours), len(hf.Results))
			}
			for i, want := range hf.Results {
				got := ours[i].Compat
				// Near the limit of setting B every hiccup of the machine becomes a queue: TTFT has the widest room.
				within := func(what string, got, want, share, absolute float64) {
					t.Helper()
					if math.Abs(got-want) > max(share*math.Abs(want), absolute) {
						t.Errorf("%s: %.3f, theirs is %.3f", what, got, want)
					}
				}
				if got.ID != want.ID {
					t.Errorf("row %d is %s, theirs %s", i, got.ID, want.ID)
				}
				within(want.ID+" successful", float64(got.Successful), float64(want.Successful), 0.02, 1)
				within(want.ID+" total", float64(got.TotalReqs), float64(want.Total), 0.02, 1)
				within(want.ID+" QPS", got.RequestRate, want.RequestRate, 0.02, 0)
				within(want.ID+" tokens/s", got.TokensPerS, want.TokensPerS, 0.02, 0)
				within(want.ID+" tokens a request", float64(got.TotalTokens)/float64(got.Successful), float64(want.TotalTokens)/float64(want.Successful), 0, 0)
				within(want.ID+" prompt tokens a request", float64(got.TokensSent)/float64(got.Successful), float64(want.TokensSent)/float64(want.Successful), 0, 0)
				within(want.ID+" TTFT avg", got.TTFTMs.Avg, want.TTFT["avg"], 0.1, 10)
				within(want.ID+" TTFT p90", got.TTFTMs.P90, want.TTFT["p90"], 0.1, 25)
				within(want.ID+" ITL avg", got.ITLMs.Avg, want.ITL["avg"], 0.01, 0)
				within(want.ID+" ITL p90", got.ITLMs.P90, want.ITL["p90"], 0.02, 0)
				within(want.ID+" E2E avg", got.E2EMs.Avg, want.E2E["avg"], 0.03, 0)
				within(want.ID+" E2E p90", got.E2EMs.P90, want.E2E["p90"], 0.03, 0)
			}
			corrected(t, name, sum)
		})
	}
}

// corrected checks that the other set tells what the tool's hides.
func corrected(t *testing.T, name string, sum results.Summary) {
	last := sum.Steps[len(sum.Steps)-1]
	switch name {
	case "A": // the requests that were in flight at the bell
		if last.Counts.Completed != 600 || last.Compat.Excluded < 20 {
			t.Errorf("corrected counts %d of 600, %d excluded by the tool", last.Counts.Completed, last.Compat.Excluded)
		}
	case "B": // the queue: 300 arrivals against 16.9 a second
		if e := last.Corrected.TTFTMs.Max; e == nil || *e < 2500 || last.InFlightEnd < 40 {
			t.Errorf("the longest TTFT is %v ms, %d in flight at the end", deref(e), last.InFlightEnd)
		}
	case "C": // the discarded arrivals
		if last.Counts.Dropped < 450 || last.Corrected.Valid || last.Compat.Discarded != last.Counts.Dropped {
			t.Errorf("%d dropped, valid %v", last.Counts.Dropped, last.Corrected.Valid)
		}
	}
}
