package vllm

import (
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/engine"
	"hpcbench/results"
)

func ptr[T any](v T) *T { return &v }

func open(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// What a real vLLM 0.32 stated after nine requests.
func TestParseMetricsOfARealServer(t *testing.T) {
	got, err := ParseMetrics(open(t, "metrics-after-load.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := results.ServerSample{
		Running: ptr(0.0), Waiting: ptr(0.0), KVUsage: ptr(0.0),
		PrefixQueries: ptr(61.0), PrefixHits: ptr(0.0), Preemptions: ptr(0.0),
		PromptTokens: ptr(61.0), GenerationTokens: ptr(2036.0),
		Finished: map[string]float64{"stop": 2, "length": 7, "abort": 0, "error": 0, "repetition": 0},
		Rejected: ptr(3.0),
		TTFT:     &results.SumCount{SumS: 0.17862796783447266, Count: 10},
		E2E:      &results.SumCount{SumS: 6.289584159851074, Count: 9},
		Queue:    &results.SumCount{SumS: 0.0002633980006976344, Count: 9},
		Prefill:  &results.SumCount{SumS: 0.059227373999874544, Count: 9},
		Decode:   &results.SumCount{SumS: 6.129847926998991, Count: 9},
		KVTokens: ptr(2097152.0), BlockTokens: ptr(32.0), PrefixCacheEnabled: ptr(true), ProcessStart: ptr(1.79613309904e+09),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	kv, ok, err := KVFromMetrics(open(t, "metrics-after-load.txt"))
	if want := (engine.KVBudget{Tokens: 2097152, Source: engine.KVFromMetrics}); err != nil || !ok || kv != want {
		t.Errorf("%+v %v %v", kv, ok, err)
	}
	if _, err := ParseMetrics(open(t, "metrics-idle.txt")); err != nil {
		t.Error(err)
	}
}

// The names of older releases, and two engine cores.
func TestParseMetricsOfOldReleasesAndSeveralCores(t *testing.T) {
	text := `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0"} 3
vllm:num_requests_running{engine="1"} 4
# TYPE vllm:gpu_cache_usage_perc gauge
vllm:gpu_cache_usage_perc{engine="0"} 0.25
vllm:gpu_cache_usage_perc{engine="1"} 0.5
# TYPE vllm:gpu_prefix_cache_queries counter
vllm:gpu_prefix_cache_queries{engine="0"} 100
vllm:gpu_prefix_cache_queries{engine="1"} 50
# TYPE vllm:gpu_prefix_cache_hits_total counter
vllm:gpu_prefix_cache_hits_total 16
vllm:generation_tokens 7
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",num_gpu_blocks="100",enable_prefix_caching="False",engine="0"} 1
vllm:cache_config_info{block_size="16",num_gpu_blocks="50",enable_prefix_caching="False",engine="1"} 1
`
	got, err := ParseMetrics(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := results.ServerSample{Running: ptr(7.0), KVUsage: ptr(0.5), PrefixQueries: ptr(150.0), PrefixHits: ptr(16.0), GenerationTokens: ptr(7.0),
		KVTokens: ptr(2400.0), BlockTokens: ptr(16.0), PrefixCacheEnabled: ptr(false)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	kv, ok, err := KVFromMetrics(strings.NewReader(text))
	if want := (engine.KVBudget{Tokens: 2400, Source: engine.KVFromMetricBlocks}); err != nil || !ok || kv != want {
		t.Errorf("%+v %v %v", kv, ok, err)
	}
}

func TestParseMetricsRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"another program's": "# TYPE go_goroutines gauge\ngo_goroutines 7\n",
		"a page of HTML":    "<html><body>502</body></html>\n",
		"nothing":           "",
	} {
		if s, err := ParseMetrics(strings.NewReader(text)); err == nil {
			t.Errorf("%s was taken: %+v", name, s)
		}
	}
	if _, ok, err := KVFromMetrics(strings.NewReader("vllm:num_requests_running 1\n")); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

func FuzzParseMetrics(f *testing.F) {
	f.Add("vllm:num_requests_running NaN\nvllm:kv_cache_usage_perc +Inf\n")
	f.Add("# TYPE vllm:time_to_first_token_seconds histogram\nvllm:time_to_first_token_seconds_sum 1\nvllm:time_to_first_token_seconds_count 2\n")
	f.Add("vllm:cache_config_info{block_size=\"1e300\",num_gpu_blocks=\"1e300\"} 1\nvllm:num_requests_running 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseMetrics(strings.NewReader(text))
		if err != nil {
			return
		}
		// Nothing that JSON can't hold comes out.
		v := reflect.ValueOf(s)
		for i := range v.NumField() {
			if p, ok := v.Field(i).Interface().(*float64); ok && p != nil && (math.IsNaN(*p) || math.IsInf(*p, 0)) {
				t.Errorf("field %s is %v", v.Type().Field(i).Name, *p)
			}
		}
	})
}
