package vllm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"hpcbench/engine"
	"hpcbench/results"
)

// Scrape asks a server's /metrics once. The sample's ScrapeMs is how long that took.
func Scrape(ctx context.Context, e engine.Endpoint) (results.ServerSample, error) {
	start := time.Now()
	body, err := e.Get(ctx, "/metrics")
	if err != nil {
		return results.ServerSample{}, err
	}
	took := float64(time.Since(start).Microseconds()) / 1000
	s, err := ParseMetrics(bytes.NewReader(body))
	s.ScrapeMs = took
	return s, err
}

// ParseMetrics reads vLLM's metrics in Prometheus' text format, under the names
// of old and new releases and with or without _total. With several engine cores
// (data parallel) counters and queues are summed, and KVUsage is that of the
// fullest. What isn't there stays nil; so does what isn't a finite number. A
// page without any of vLLM's metrics is an error.
func ParseMetrics(r io.Reader) (results.ServerSample, error) {
	page, err := parsePage(r)
	if err != nil {
		return results.ServerSample{}, err
	}
	s := results.ServerSample{
		Running:          page.sum("vllm:num_requests_running"),
		Waiting:          page.sum("vllm:num_requests_waiting"),
		KVUsage:          page.highest("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
		PrefixQueries:    page.sum("vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries"),
		PrefixHits:       page.sum("vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"),
		Preemptions:      page.sum("vllm:num_preemptions"),
		PromptTokens:     page.sum("vllm:prompt_tokens"),
		GenerationTokens: page.sum("vllm:generation_tokens"),
		Finished:         page.byLabel("finished_reason", "vllm:request_success"),
		Rejected:         page.sum("vllm:admission_rejections"),
		TTFT:             page.histogram("vllm:time_to_first_token_seconds"),
		E2E:              page.histogram("vllm:e2e_request_latency_seconds"),
		Queue:            page.histogram("vllm:request_queue_time_seconds"),
		Prefill:          page.histogram("vllm:request_prefill_time_seconds"),
		Decode:           page.histogram("vllm:request_decode_time_seconds"),
		ProcessStart:     page.sum("process_start_time_seconds"),
	}
	s.KVTokens, s.BlockTokens, s.PrefixCacheEnabled, _ = page.cacheConfig()
	if s.Running == nil && s.GenerationTokens == nil && s.Finished == nil && s.TTFT == nil {
		return s, errors.New("read /metrics: it has none of vLLM's metrics")
	}
	return s, nil
}

// KVFromMetrics is the KV budget as /metrics states it; false = it doesn't.
func KVFromMetrics(r io.Reader) (engine.KVBudget, bool, error) {
	page, err := parsePage(r)
	if err != nil {
		return engine.KVBudget{}, false, err
	}
	tokens, _, _, source := page.cacheConfig()
	if tokens == nil {
		return engine.KVBudget{}, false, nil
	}
	return engine.KVBudget{Tokens: int64(*tokens), Source: source}, true, nil
}

// page is a parsed /metrics.
type page map[string]*dto.MetricFamily

func parsePage(r io.Reader) (page, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(r)
	if err != nil {
		return nil, fmt.Errorf("read /metrics: %w", err)
	}
	return families, nil
}

// find is the first family of the names, each also with _total.
func (p page) find(names ...string) *dto.MetricFamily {
	for _, n := range names {
		if f, ok := p[n]; ok && len(f.Metric) > 0 {
			return f
		}
		if f, ok := p[n+"_total"]; ok && len(f.Metric) > 0 {
			return f
		}
	}
	return nil
}

// number is a metric's value, whatever its type; NaN where it has none.
func number(m *dto.Metric) float64 {
	switch {
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Untyped != nil:
		return m.Untyped.GetValue()
	}
	return math.NaN()
}

func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (p page) sum(names ...string) *float64 {
	f := p.find(names...)
	if f == nil {
		return nil
	}
	total := 0.0
	for _, m := range f.Metric {
		total += number(m)
	}
	return finite(total)
}

func (p page) highest(names ...string) *float64 {
	f := p.find(names...)
	if f == nil {
		return nil
	}
	top := math.Inf(-1)
	for _, m := range f.Metric {
		top = math.Max(top, number(m))
	}
	return finite(top)
}

func (p page) byLabel(label string, names ...string) map[string]float64 {
	f := p.find(names...)
	if f == nil {
		return nil
	}
	out := map[string]float64{}
	for _, m := range f.Metric {
		if v := finite(number(m)); v != nil {
			out[labelOf(m, label)] += *v
		}
	}
	return out
}

func (p page) histogram(name string) *results.SumCount {
	f := p.find(name)
	if f == nil {
		return nil
	}
	var s results.SumCount
	for _, m := range f.Metric {
		if m.Histogram == nil {
			return nil
		}
		s.SumS += m.Histogram.GetSampleSum()
		s.Count += float64(m.Histogram.GetSampleCount())
	}
	if finite(s.SumS) == nil {
		return nil
	}
	return &s
}

// cacheConfig reads the labels of cache_config_info. kv_cache_size_tokens is
// preferred; blocks x block size counts too little where a model mixes kinds of attention.
func (p page) cacheConfig() (tokens, block *float64, prefix *bool, source string) {
	f := p.find("vllm:cache_config_info")
	if f == nil {
		return nil, nil, nil, ""
	}
	total, source := 0.0, engine.KVFromMetrics
	for _, m := range f.Metric {
		size := labelNumber(m, "block_size")
		block = finite(size)
		if v := labelOf(m, "enable_prefix_caching"); v != "" {
			on := v == "True" || v == "true" || v == "1"
			prefix = &on
		}
		if t := labelNumber(m, "kv_cache_size_tokens"); !math.IsNaN(t) {
			total += t
			continue
		}
		source = engine.KVFromMetricBlocks
		total += size * labelNumber(m, "num_gpu_blocks")
	}
	if total > 1<<53 || total < 0 {
		total = math.NaN()
	}
	return finite(total), block, prefix, source
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.Label {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// labelNumber is NaN where the label isn't a number, such as Python's None.
func labelNumber(m *dto.Metric, name string) float64 {
	v, err := strconv.ParseFloat(labelOf(m, name), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
