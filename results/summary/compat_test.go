package summary

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"hpcbench/results"
)

// theirs is one step of the Hugging Face tool's file.
type theirs struct {
	ID         string             `json:"id"`
	Total      int                `json:"total_requests"`
	Tokens     int64              `json:"total_tokens"`
	TokensPerS float64            `json:"token_throughput_secs"`
	DurationMs int64              `json:"duration_ms"`
	Failed     int                `json:"failed_requests"`
	Successful int                `json:"successful_requests"`
	Rate       float64            `json:"request_rate"`
	Sent       int64              `json:"total_tokens_sent"`
	TTFT       results.CompatDist `json:"time_to_first_token_ms"`
	ITL        results.CompatDist `json:"inter_token_latency_ms"`
	E2E        results.CompatDist `json:"e2e_latency_ms"`
}

func TestCompatIsTheHuggingFaceTools(t *testing.T) {
	for file, c := range map[string]struct {
		server simServer
		rates  []float64
		vus    int
		warmup float64
	}{
		"A": {simServer{ttftUs: 100_000, gapUs: 10_000, tokens: 50}, []float64{2, 10, 40}, 800, 3},
		"B": {simServer{ttftUs: 100_000, gapUs: 10_000, tokens: 50, slots: 10}, []float64{10, 15, 20}, 800, 3},
		"C": {simServer{ttftUs: 500_000, gapUs: 20_000, tokens: 100}, []float64{5, 40}, 16, 4},
	} {
		b, err := os.ReadFile("testdata/inference-benchmarker/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var tool struct {
			Results []theirs `json:"results"`
		}
		if err := json.Unmarshal(b, &tool); err != nil {
			t.Fatal(err)
		}
		var steps []simStep
		for _, rate := range c.rates {
			steps = append(steps, simStep{durationS: 15, maxInFlight: c.vus, arrivals: onTicks(rate, 15)})
		}
		in := simAttempt(c.server, steps...)
		in.Plan.Warmup.DurationS = c.warmup
		warmUp(&in, c.server, c.warmup)
		sum := Compute(in)
		for i, s := range append([]results.StepSummary{*sum.Warmup}, sum.Steps...) {
			want := tool.Results[i]
			name := file + " " + want.ID
			got := s.Compat
			// The tool starts requests on ticks of 10 ms, so a handful fall on the other side of the bell.
			within(t, name+" successes", float64(got.Successful), float64(want.Successful), 2, 0.01)
			within(t, name+" requests", float64(got.TotalReqs), float64(want.Total), 2, 0.01)
			within(t, name+" failed", float64(got.Failed), float64(want.Failed), 0, 0)
			within(t, name+" tokens", float64(got.TotalTokens), float64(want.Tokens), 2*float64(c.server.tokens), 0.01)
			within(t, name+" tokens sent", float64(got.TokensSent), float64(want.Sent), 400, 0.01)
			within(t, name+" duration", float64(got.DurationMs), float64(want.DurationMs), 25, 0)
			within(t, name+" rate", got.RequestRate, want.Rate, 0, 0.01)
			within(t, name+" tokens/s", got.TokensPerS, want.TokensPerS, 0, 0.01)
			for metric, pair := range map[string][2]results.CompatDist{
				"TTFT": {*got.TTFTMs, want.TTFT}, "ITL": {*got.ITLMs, want.ITL}, "E2E": {*got.E2EMs, want.E2E}} {
				// Queued requests wait for a slot that is free up to 20 ms sooner or later with arrivals on ticks.
				room := 4.0
				if c.server.slots > 0 && metric != "ITL" {
					room = 45
				}
				a, b := numbers(pair[0]), numbers(pair[1])
				for i := range a {
					within(t, fmt.Sprintf("%s %s figure %d", name, metric, i), a[i], b[i], room, 0.01)
				}
			}
			if got.TokensSource != results.TokensEvents || !got.Valid {
				t.Errorf("%s: tokens from %s, valid %v", name, got.TokensSource, got.Valid)
			}
			if i == 0 {
				continue
			}
			if sent := len(steps[i-1].arrivals); got.TotalReqs+got.Excluded+got.Discarded != sent {
				t.Errorf("%s: %d counted + %d in flight at the bell + %d discarded aren't the %d arrivals", name, got.TotalReqs, got.Excluded, got.Discarded, sent)
			}
		}
	}
}

// warmUp puts one stream of requests before the first step.
func warmUp(in *Input, server simServer, durationS float64) {
	const shift = 20_000_000
	for i := range in.Records {
		r := &in.Records[i]
		for _, t := range []*int64{&r.TIntended, &r.TStart, &r.TSend, &r.THeaders, &r.TFirstEvent, &r.TFirstToken, &r.TLastToken, &r.TFirstText, &r.TLastText, &r.TDone, &r.TEnd} {
			if *t > 0 {
				*t += shift
			}
		}
	}
	for i := range in.Samples {
		in.Samples[i].At += shift
	}
	for at, seq := int64(1_000_000), -100; float64(at-1_000_000) < durationS*1e6; seq++ {
		r := results.Record{Seq: seq, Step: -1, Phase: results.PhaseWarmup}
		server.answer(&r, at, at)
		at = r.TEnd + 60
		in.Records = append(in.Records, r)
	}
}

// In a throughput step the first response behind the bell is counted, since others are still open.
func TestCompatCountsOneLateResponseOfManyStreams(t *testing.T) {
	in := heldAttempt(8, 200, 50_000, func(int64) int64 { return 10_000 })
	s := Compute(in).Steps[0]
	inTime := 0
	for _, r := range in.Records {
		if r.Phase == results.PhaseWindow && r.TEnd <= s.WindowTo {
			inTime++
		}
	}
	if s.Compat.TotalReqs != inTime+1 || s.Compat.Excluded != 7 {
		t.Errorf("%d counted of %d in time, %d excluded", s.Compat.TotalReqs, inTime, s.Compat.Excluded)
	}
}

func numbers(d results.CompatDist) []float64 {
	return []float64{d.P50, d.P60, d.P70, d.P80, d.P90, d.P95, d.P99, d.Avg}
}

func within(t *testing.T, what string, got, want, absolute, relative float64) {
	t.Helper()
	if math.Abs(got-want) > absolute+relative*math.Abs(want) {
		t.Errorf("%s: %v, the tool says %v", what, got, want)
	}
}
