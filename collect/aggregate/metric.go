package aggregate

import (
	"slices"

	"hpcbench/results"
)

// Sets of metrics.
const (
	SetCompat    = "compat"    // what the Hugging Face tool would have printed
	SetCorrected = "corrected" // ours: from the intended send time, nothing censored
	SetServer    = "server"    // the engine's and the GPU's own account
)

// Direction says which way is better.
type Direction int

// Directions.
const (
	Neither Direction = iota
	LowerBetter
	HigherBetter
)

func (d Direction) String() string {
	return [...]string{"neither", "lower is better", "higher is better"}[d]
}

// Metric is one figure of a step: its name is set.quantity.statistic, with the
// unit in the quantity, such as corrected.ttft_ms.p50.
type Metric struct {
	Name   string
	Set    string
	Label  string // for people, without the set: "TTFT p50"
	Unit   string // "ms", "1/s", "tokens/s", "" for a count or share
	Better Direction
	of     func(*results.StepSummary) (Value, bool)
}

// Value is a figure that may be unbounded: then the figure is "> X", where X is
// the largest finished value, or 0 where no bound is known.
type Value struct {
	X         float64
	Unbounded bool
}

// Of takes the metric's figure from a step; false = it has none.
// A negative duration is none: a clock ran backwards.
func (m Metric) Of(s *results.StepSummary) (Value, bool) {
	v, ok := m.of(s)
	if ok && v.X < 0 && m.Unit == "ms" && m.Name != sendLag {
		return Value{}, false
	}
	return v, ok
}

const sendLag = "corrected.send_lag_ms.p99"

// Statistics of a distribution that are made into metrics.
var distStatistics = []struct {
	name, label string
	get         func(*results.Dist) *float64
}{
	{"mean", "mean", func(d *results.Dist) *float64 { return d.Mean }},
	{"p50", "p50", func(d *results.Dist) *float64 { return d.P50 }},
	{"p90", "p90", func(d *results.Dist) *float64 { return d.P90 }},
	{"p95", "p95", func(d *results.Dist) *float64 { return d.P95 }},
	{"p99", "p99", func(d *results.Dist) *float64 { return d.P99 }},
	{"max", "max", func(d *results.Dist) *float64 { return d.Max }},
}

var compatStatistics = []struct {
	name string
	get  func(*results.CompatDist) float64
}{
	{"avg", func(d *results.CompatDist) float64 { return d.Avg }},
	{"p50", func(d *results.CompatDist) float64 { return d.P50 }},
	{"p90", func(d *results.CompatDist) float64 { return d.P90 }},
	{"p95", func(d *results.CompatDist) float64 { return d.P95 }},
	{"p99", func(d *results.CompatDist) float64 { return d.P99 }},
}

// Metrics lists every metric in the order of documents.
var Metrics = allMetrics()

// MetricByName finds a metric; false = there is none of that name.
func MetricByName(name string) (Metric, bool) {
	i := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		return Metric{}, false
	}
	return Metrics[i], true
}

func allMetrics() []Metric {
	var out []Metric
	out = append(out, compatMetrics()...)
	out = append(out, correctedMetrics()...)
	return append(out, serverMetrics()...)
}

func compatMetrics() []Metric {
	valid := func(f func(*results.Compat) float64) func(*results.StepSummary) (Value, bool) {
		return func(s *results.StepSummary) (Value, bool) {
			if !s.Compat.Valid {
				return Value{}, false
			}
			return Value{X: f(&s.Compat)}, true
		}
	}
	out := []Metric{
		{"compat.request_rate_per_s", SetCompat, "QPS", "1/s", HigherBetter, valid(func(c *results.Compat) float64 { return c.RequestRate })},
		{"compat.output_tokens_per_s", SetCompat, "throughput", "tokens/s", HigherBetter, valid(func(c *results.Compat) float64 { return c.TokensPerS })},
		{"compat.error_share", SetCompat, "error rate", "", LowerBetter, func(s *results.StepSummary) (Value, bool) {
			if s.Compat.TotalReqs == 0 {
				return Value{}, false
			}
			return Value{X: float64(s.Compat.Failed) / float64(s.Compat.TotalReqs)}, true
		}},
		{"compat.successful_requests", SetCompat, "successful", "", HigherBetter, valid(func(c *results.Compat) float64 { return float64(c.Successful) })},
		{"compat.total_requests", SetCompat, "total", "", Neither, valid(func(c *results.Compat) float64 { return float64(c.TotalReqs) })},
		{"compat.excluded_in_flight", SetCompat, "in flight at the bell, not counted", "", Neither, valid(func(c *results.Compat) float64 { return float64(c.Excluded) })},
		{"compat.discarded_arrivals", SetCompat, "discarded at the cap", "", Neither, valid(func(c *results.Compat) float64 { return float64(c.Discarded) })},
		{"compat.output_tokens_per_request", SetCompat, "tokens a request", "tokens", Neither, func(s *results.StepSummary) (Value, bool) {
			if s.Compat.Successful == 0 {
				return Value{}, false
			}
			return Value{X: float64(s.Compat.TotalTokens) / float64(s.Compat.Successful)}, true
		}},
	}
	for _, q := range []struct {
		name, label string
		get         func(*results.Compat) *results.CompatDist
	}{
		{"ttft_ms", "TTFT", func(c *results.Compat) *results.CompatDist { return c.TTFTMs }},
		{"itl_ms", "ITL", func(c *results.Compat) *results.CompatDist { return c.ITLMs }},
		{"e2e_ms", "E2E", func(c *results.Compat) *results.CompatDist { return c.E2EMs }},
	} {
		for _, st := range compatStatistics {
			out = append(out, Metric{"compat." + q.name + "." + st.name, SetCompat, q.label + " " + st.name, "ms", LowerBetter, func(s *results.StepSummary) (Value, bool) {
				d := q.get(&s.Compat)
				if d == nil || !s.Compat.Valid {
					return Value{}, false
				}
				return Value{X: st.get(d)}, true
			}})
		}
	}
	return out
}

func correctedMetrics() []Metric {
	var out []Metric
	for _, q := range []struct {
		name, label string
		get         func(*results.StepSummary) *results.Dist
	}{
		{"ttft_ms", "TTFT", func(s *results.StepSummary) *results.Dist { return &s.Corrected.TTFTMs }},
		{"tpot_ms", "TPOT", func(s *results.StepSummary) *results.Dist { return &s.Corrected.TPOTMs }},
		{"e2e_ms", "E2E", func(s *results.StepSummary) *results.Dist { return &s.Corrected.E2EMs }},
		{"gap_ms", "gap", func(s *results.StepSummary) *results.Dist { return &s.Corrected.GapMs }},
		{"ttft_from_send_ms", "TTFT from send", func(s *results.StepSummary) *results.Dist { return &s.Corrected.ServiceTTFT }},
		{"e2e_from_send_ms", "E2E from send", func(s *results.StepSummary) *results.Dist { return &s.Corrected.ServiceE2E }},
		{"first_event_ms", "first event", func(s *results.StepSummary) *results.Dist { return &s.Corrected.FirstEventMs }},
		{"shed_ms", "refusal", func(s *results.StepSummary) *results.Dist { return &s.Corrected.ShedMs }},
		{"send_lag_ms", "send lag", func(s *results.StepSummary) *results.Dist { return &s.Client.SendLagMs }},
	} {
		for _, st := range distStatistics {
			out = append(out, Metric{"corrected." + q.name + "." + st.name, SetCorrected, q.label + " " + st.label, "ms", LowerBetter, func(s *results.StepSummary) (Value, bool) {
				if !s.Corrected.Valid { // the cap dropped arrivals: the load was another one
					return Value{}, false
				}
				return distValue(q.get(s), st.name, st.get)
			}})
		}
	}
	num := func(name, label, unit string, better Direction, f func(*results.StepSummary) float64) {
		out = append(out, Metric{"corrected." + name, SetCorrected, label, unit, better, func(s *results.StepSummary) (Value, bool) {
			if s.Counts.Sent == 0 && s.Corrected.TokensPerS == 0 || !s.Corrected.Valid && !countsAnyway[name] {
				return Value{}, false
			}
			return Value{X: f(s)}, true
		}})
	}
	opt := func(name, label, unit string, better Direction, f func(*results.StepSummary) *float64) {
		out = append(out, Metric{"corrected." + name, SetCorrected, label, unit, better, optional(f)})
	}
	num("offered_per_s", "offered", "1/s", Neither, func(s *results.StepSummary) float64 { return s.Corrected.OfferedPerS })
	num("sent_per_s", "sent", "1/s", Neither, func(s *results.StepSummary) float64 { return s.Corrected.SentPerS })
	num("achieved_per_s", "achieved", "1/s", HigherBetter, func(s *results.StepSummary) float64 { return s.Corrected.AchievedPerS })
	num("cohort_per_s", "completed of those that arrived", "1/s", HigherBetter, func(s *results.StepSummary) float64 {
		if s.WindowS <= 0 {
			return 0
		}
		return float64(s.Counts.Completed) / s.WindowS
	})
	num("cohort_share", "completed of sent", "", HigherBetter, func(s *results.StepSummary) float64 { return s.Corrected.CohortShare })
	num("output_tokens_per_s", "output tokens/s", "tokens/s", HigherBetter, func(s *results.StepSummary) float64 { return s.Corrected.TokensPerS })
	num("total_tokens_per_s", "total tokens/s", "tokens/s", HigherBetter, func(s *results.StepSummary) float64 { return s.Corrected.TotalPerS })
	num("output_tokens", "output tokens", "tokens", Neither, func(s *results.StepSummary) float64 { return float64(s.Corrected.OutputTokens) })
	num("completed_requests", "completed", "", Neither, func(s *results.StepSummary) float64 { return float64(s.Counts.Completed) })
	num("sent_requests", "sent", "", Neither, func(s *results.StepSummary) float64 { return float64(s.Counts.Sent) })
	num("error_share", "error rate", "", LowerBetter, ErrorShare)
	num("shed_share", "shed", "", LowerBetter, func(s *results.StepSummary) float64 { return share(s.Counts.Shed, s.Counts.Sent) })
	num("in_flight_mean", "in flight", "", Neither, func(s *results.StepSummary) float64 { return s.Corrected.InFlightMean })
	num("tokens_per_event", "tokens an event", "tokens", Neither, func(s *results.StepSummary) float64 { return s.Corrected.TokensPerEvt })
	opt("output_tokens_per_request", "tokens a request", "tokens", Neither, func(s *results.StepSummary) *float64 { return s.Corrected.TokensPerReq })
	opt("prompt_tokens_per_request", "prompt tokens a request", "tokens", Neither, func(s *results.StepSummary) *float64 { return s.Corrected.PromptPerReq })
	opt("goodput_per_s", "goodput", "1/s", HigherBetter, func(s *results.StepSummary) *float64 { return s.Corrected.GoodputPerS })
	opt("good_share", "good requests", "", HigherBetter, func(s *results.StepSummary) *float64 { return s.Corrected.GoodShare })
	return out
}

// countsAnyway are figures that stand where the cap dropped arrivals.
var countsAnyway = map[string]bool{"offered_per_s": true, "sent_per_s": true, "completed_requests": true, "sent_requests": true, "output_tokens": true}

func serverMetrics() []Metric {
	var out []Metric
	add := func(name, label, unit string, f func(*results.ServerStats) *float64) {
		out = append(out, Metric{"server." + name, SetServer, label, unit, Neither, optional(func(s *results.StepSummary) *float64 {
			if s.Server == nil {
				return nil
			}
			return f(s.Server)
		})})
	}
	mean := func(m *results.MinMax) *float64 {
		if m == nil {
			return nil
		}
		return &m.Mean
	}
	add("running", "running", "", func(s *results.ServerStats) *float64 { return mean(s.Running) })
	add("waiting", "waiting", "", func(s *results.ServerStats) *float64 { return mean(s.Waiting) })
	add("kv_usage", "KV use", "", func(s *results.ServerStats) *float64 { return mean(s.KVUsage) })
	add("preemptions", "preemptions", "", func(s *results.ServerStats) *float64 { return s.Preemptions })
	add("ttft_ms.mean", "server's TTFT mean", "ms", func(s *results.ServerStats) *float64 { return s.TTFTMeanMs })
	add("queue_ms.mean", "queue mean", "ms", func(s *results.ServerStats) *float64 { return s.QueueMeanMs })
	add("prefill_ms.mean", "prefill mean", "ms", func(s *results.ServerStats) *float64 { return s.PrefillMeanMs })
	add("gpu_power_w", "GPU power", "W", func(s *results.ServerStats) *float64 { return mean(s.GPUPowerW) })
	add("gpu_util_share", "GPU use", "", func(s *results.ServerStats) *float64 { return mean(s.GPUUtil) })
	add("energy_j_per_token", "energy a token", "J", func(s *results.ServerStats) *float64 { return s.JPerToken })
	return out
}

func distValue(d *results.Dist, name string, get func(*results.Dist) *float64) (Value, bool) {
	if p := get(d); p != nil {
		return Value{X: *p}, true
	}
	switch {
	case name == "mean" && len(d.Unbounded) > 0:
		return Value{Unbounded: true}, true // a mean over unbounded values has no useful lower bound
	case slices.Contains(d.Unbounded, name) && d.Over != nil:
		return Value{X: *d.Over, Unbounded: true}, true
	case slices.Contains(d.Unbounded, name):
		return Value{Unbounded: true}, true // nothing finished at all
	}
	return Value{}, false
}

func optional(f func(*results.StepSummary) *float64) func(*results.StepSummary) (Value, bool) {
	return func(s *results.StepSummary) (Value, bool) {
		p := f(s)
		if p == nil {
			return Value{}, false
		}
		return Value{X: *p}, true
	}
}

// ErrorShare is the failed and timed-out requests of those sent, 0..1. Shed
// ones are no errors.
func ErrorShare(s *results.StepSummary) float64 {
	return share(s.Counts.Failed+s.Counts.TimedOut, s.Counts.Sent)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
