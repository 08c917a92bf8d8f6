package stub

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// metrics is the text of /metrics, with vLLM's names and labels.
func (e *engine) metrics(processStart float64) ([]byte, error) {
	e.mu.Lock()
	families := e.families(processStart)
	e.mu.Unlock()
	var b bytes.Buffer
	enc := expfmt.NewEncoder(&b, expfmt.NewFormat(expfmt.TypeTextPlain).WithEscapingScheme(model.NoEscaping))
	for _, f := range families {
		if err := enc.Encode(f); err != nil {
			return nil, fmt.Errorf("write metric %s: %w", f.GetName(), err)
		}
	}
	return b.Bytes(), nil
}

func (e *engine) families(processStart float64) []*dto.MetricFamily {
	c := &e.m
	served := label("model_name", e.cfg.Model)
	engine := label("engine", "0")
	by := func(pairs ...*dto.LabelPair) []*dto.LabelPair {
		return append([]*dto.LabelPair{engine, served}, pairs...)
	}
	gauge := func(name, help string, v float64, labels []*dto.LabelPair) *dto.MetricFamily {
		return family(name, help, dto.MetricType_GAUGE, &dto.Metric{Label: labels, Gauge: &dto.Gauge{Value: &v}})
	}
	counter := func(name, help string, v int64) *dto.MetricFamily {
		return family(name, help, dto.MetricType_COUNTER, count(v, by()))
	}
	hist := func(name, help string, h *histogram) *dto.MetricFamily {
		return family(name, help, dto.MetricType_HISTOGRAM, &dto.Metric{Label: by(), Histogram: h.snapshot()})
	}
	var success []*dto.Metric
	reasons := make([]string, 0, len(c.success))
	for r := range c.success {
		reasons = append(reasons, r)
	}
	slices.Sort(reasons)
	for _, r := range reasons {
		success = append(success, count(c.success[r], by(label("finished_reason", r))))
	}
	blocks := e.cfg.KVTokens / int64(e.cfg.BlockTokens)
	prefix := "True"
	if e.cfg.NoPrefix {
		prefix = "False"
	}
	config := by(label("block_size", strconv.Itoa(e.cfg.BlockTokens)), label("cache_dtype", "auto"), label("enable_prefix_caching", prefix),
		label("kv_cache_max_concurrency", fmt.Sprintf("%.1f", float64(e.cfg.KVTokens)/float64(e.cfg.MaxModelLen))),
		label("kv_cache_size_tokens", strconv.FormatInt(e.cfg.KVTokens, 10)), label("num_gpu_blocks", strconv.FormatInt(blocks, 10)))
	return []*dto.MetricFamily{
		gauge("process_start_time_seconds", "Start of the process since the epoch in seconds.", processStart, nil),
		gauge("hpcbench_simulated", "1: no model runs behind this server.", 1, nil),
		gauge("vllm:num_requests_running", "Requests that have a slot.", float64(e.running), by()),
		gauge("vllm:num_requests_waiting", "Requests in the queue.", float64(len(e.queue)), by()),
		gauge("vllm:kv_cache_usage_perc", "Share of the KV cache in use, 1 = all.", min(1, float64(e.kvUsed)/float64(e.cfg.KVTokens)), by()),
		counter("vllm:prefix_cache_queries_total", "Tokens looked for in the prefix cache.", c.prefixQueries),
		counter("vllm:prefix_cache_hits_total", "Tokens found in the prefix cache.", c.prefixHits),
		counter("vllm:num_preemptions_total", "Preemptions; the stub reserves and so has none.", 0),
		counter("vllm:prompt_tokens_total", "Prompt tokens processed.", c.prompt),
		counter("vllm:generation_tokens_total", "Tokens made.", c.generated),
		family("vllm:request_success_total", "Requests that ended well, by reason.", dto.MetricType_COUNTER, success...),
		family("vllm:admission_rejections_total", "Requests refused.", dto.MetricType_COUNTER,
			count(c.rejected, []*dto.LabelPair{served, label("reason", "max_num_queued_reqs")})),
		hist("vllm:request_prompt_tokens", "Prompt tokens a request.", &c.promptLen),
		hist("vllm:request_generation_tokens", "Tokens made a request.", &c.outputLen),
		hist("vllm:time_to_first_token_seconds", "From arrival to the first token.", &c.ttft),
		hist("vllm:inter_token_latency_seconds", "Between two events.", &c.gaps),
		hist("vllm:request_time_per_output_token_seconds", "Mean gap a request.", &c.perToken),
		hist("vllm:e2e_request_latency_seconds", "From arrival to the end.", &c.e2e),
		hist("vllm:request_queue_time_seconds", "Waiting for a slot.", &c.queue),
		hist("vllm:request_inference_time_seconds", "From the slot to the end.", &c.inference),
		hist("vllm:request_prefill_time_seconds", "From the slot to the first token.", &c.prefill),
		hist("vllm:request_decode_time_seconds", "From the first token to the last.", &c.decode),
		gauge("vllm:cache_config_info", "The cache's configuration.", 1, config),
	}
}

func label(name, value string) *dto.LabelPair { return &dto.LabelPair{Name: &name, Value: &value} }

func count(v int64, labels []*dto.LabelPair) *dto.Metric {
	f := float64(v)
	return &dto.Metric{Label: labels, Counter: &dto.Counter{Value: &f}}
}

func family(name, help string, kind dto.MetricType, metrics ...*dto.Metric) *dto.MetricFamily {
	return &dto.MetricFamily{Name: &name, Help: &help, Type: &kind, Metric: metrics}
}

func (h *histogram) snapshot() *dto.Histogram {
	sum, total := h.sum, h.count
	out := &dto.Histogram{SampleSum: &sum, SampleCount: &total}
	var below uint64
	for i, bound := range h.bounds {
		below += h.counts[i]
		upTo := below
		out.Bucket = append(out.Bucket, &dto.Bucket{UpperBound: &bound, CumulativeCount: &upTo})
	}
	return out
}
