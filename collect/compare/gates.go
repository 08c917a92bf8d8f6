package compare

import (
	"slices"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/results"
)

// Gate is a metric that decides, and the change that matters in practice.
type Gate struct {
	Metric    string  `json:"metric" yaml:"metric"`
	Tolerance float64 `json:"tolerance" yaml:"tolerance"` // relative, 0.05 = 5 %; of shares: absolute
}

// DefaultGates are few on purpose: each further metric makes false alarms
// likelier and lowers the power of the others.
var DefaultGates = []Gate{
	{"corrected.tpot_ms.p50", 0.05},
	{"corrected.ttft_ms.p50", 0.10},
	{"corrected.e2e_ms.p95", 0.15},
	{"corrected.output_tokens_per_s", 0.05},
	{"corrected.error_share", 0.01},
}

// stand-ins of a corrected metric, best first, where a side doesn't have it:
// imported files know the send time only, and capped steps compat only.
var standIns = map[string][]string{
	"corrected.tpot_ms":             {"corrected.tpot_ms", "compat.itl_ms"},
	"corrected.ttft_ms":             {"corrected.ttft_ms", "corrected.ttft_from_send_ms", "compat.ttft_ms"},
	"corrected.e2e_ms":              {"corrected.e2e_ms", "corrected.e2e_from_send_ms", "compat.e2e_ms"},
	"corrected.output_tokens_per_s": {"corrected.output_tokens_per_s", "compat.output_tokens_per_s"},
	"corrected.error_share":         {"corrected.error_share", "compat.error_share"},
}

// pick finds the first stand-in that both steps have; false = none.
func pick(metric string, a, b *aggregate.Step) (ea, eb aggregate.Estimate, ok bool) {
	names := []string{metric}
	for quantity, list := range standIns {
		statistic := strings.TrimPrefix(metric, quantity)
		if statistic == metric || statistic != "" && statistic[0] != '.' {
			continue
		}
		names = names[:0]
		for _, q := range list {
			if strings.HasPrefix(q, "compat.") && statistic == ".mean" {
				names = append(names, q+".avg")
			} else {
				names = append(names, q+statistic)
			}
		}
	}
	for _, n := range names {
		var okA, okB bool
		ea, okA = a.Estimate(n)
		eb, okB = b.Estimate(n)
		if okA && okB {
			return ea, eb, true
		}
	}
	return ea, eb, false
}

// Aside says why a row of this metric must not decide for these steps; "" = it may.
func Aside(metric string, a, b *aggregate.Step) string {
	throughput := slices.ContainsFunc([]string{".output_tokens_per_s", ".total_tokens_per_s", ".achieved_per_s", ".cohort_per_s", ".request_rate_per_s", ".goodput_per_s"},
		func(suffix string) bool { return strings.HasSuffix(metric, suffix) })
	if throughput && a.Step.Loop == results.LoopOpen && !(saturated(a) && saturated(b)) {
		return "below saturation it is the offered load"
	}
	if throughput || strings.Contains(metric, ".e2e_") {
		if d := lengthsDiffer(a, b); d != "" {
			return d
		}
	}
	return ""
}

func saturated(s *aggregate.Step) bool { return s.Has("saturated") }
