package stub

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func TestPrefixCacheKeepsChains(t *testing.T) {
	ids := make([]int, 64)
	for i := range ids {
		ids[i] = i * 1000
	}
	h := blockHashes(ids, 16)
	other := append([]int{7}, ids[1:]...)
	p := newPrefixCache(6)
	p.add(h)
	if got := p.hits(h); got != 4 {
		t.Errorf("%d blocks found, want 4", got)
	}
	if got := p.hits(blockHashes(other, 16)); got != 0 {
		t.Errorf("%d blocks of another beginning found", got)
	}
	half := append(append([]int{}, ids[:32]...), make([]int, 32)...)
	if got := p.hits(blockHashes(half, 16)); got != 2 {
		t.Errorf("%d blocks of a shared half found, want 2", got)
	}
	// Four more blocks push the oldest out; a chain loses its end first.
	p.add(blockHashes(other, 16))
	if got := p.hits(h); got > 2 {
		t.Errorf("%d blocks are left of 6 with 8 added", got)
	}
	if p.used.Len() != 6 || len(p.at) != 6 {
		t.Errorf("%d and %d blocks are kept, want 6", p.used.Len(), len(p.at))
	}
}

// metric reads a counter or gauge from the stub's own page.
func metric(t *testing.T, s *Server, name string) float64 {
	t.Helper()
	_, page := parsed(t, call(t, s, "GET", "/metrics", "", ""))
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	f, ok := families[name]
	if !ok {
		t.Fatalf("%s isn't in /metrics", name)
	}
	total := 0.0
	for _, m := range f.Metric {
		total += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return total
}

// The same prompt twice hits its whole blocks, as the real engine did: 700 ids
// in blocks of 128 gave 640.
func TestPrefixHitsAreThoseOfTheEngine(t *testing.T) {
	s := started(t, Config{BlockTokens: 128})
	body := `{"prompt":[` + strings.TrimSuffix(strings.Repeat("300,", 700), ",") + `],"max_tokens":2}`
	for i, want := range []float64{0, 640} {
		call(t, s, "POST", "/v1/completions", "", body)
		if got := metric(t, s, "vllm:prefix_cache_hits_total"); got != want {
			t.Errorf("after request %d: %v hits, want %v", i+1, got, want)
		}
	}
	if got := metric(t, s, "vllm:prefix_cache_queries_total"); got != 1400 {
		t.Errorf("%v queries, want 1400", got)
	}
	off := started(t, Config{NoPrefix: true})
	for range 2 {
		call(t, off, "POST", "/v1/completions", "", body)
	}
	if got := metric(t, off, "vllm:prefix_cache_hits_total"); got != 0 {
		t.Errorf("%v hits with the cache off", got)
	}
}

// Counters add up to what was sent, and gauges go back to 0.
func TestMetricsAddUp(t *testing.T) {
	s := started(t, Config{TTFTBaseMs: 1, ITLMs: 1})
	for i := range 3 {
		call(t, s, "POST", "/v1/completions", "", fmt.Sprintf(`{"prompt":[1,2,3,%d],"max_tokens":5,"stream":true}`, i))
	}
	for name, want := range map[string]float64{
		"vllm:prompt_tokens_total": 12, "vllm:generation_tokens_total": 15, "vllm:request_success_total": 3,
		"vllm:num_requests_running": 0, "vllm:num_requests_waiting": 0, "vllm:kv_cache_usage_perc": 0,
		"vllm:time_to_first_token_seconds": 3, "vllm:e2e_request_latency_seconds": 3, "vllm:inter_token_latency_seconds": 12,
		"hpcbench_simulated": 1,
	} {
		if got := metric(t, s, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
