package convert

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// benchMetrics are the figures of benchfmt lines: the unit's name, what it is
// made from and its scale, since benchstat knows seconds.
var benchMetrics = []struct {
	unit   string
	metric string
	scale  float64
	better string
}{
	{"ttft-p50-sec", "corrected.ttft_ms.p50", 1e-3, "lower"},
	{"ttft-p95-sec", "corrected.ttft_ms.p95", 1e-3, "lower"},
	{"tpot-p50-sec", "corrected.tpot_ms.p50", 1e-3, "lower"},
	{"tpot-p95-sec", "corrected.tpot_ms.p95", 1e-3, "lower"},
	{"e2e-p50-sec", "corrected.e2e_ms.p50", 1e-3, "lower"},
	{"e2e-p95-sec", "corrected.e2e_ms.p95", 1e-3, "lower"},
	{"output-tokens/s", "corrected.output_tokens_per_s", 1, "higher"},
	{"requests/s", "corrected.achieved_per_s", 1, "higher"},
	{"error-share", "corrected.error_share", 1, "lower"},
	{"compat-ttft-avg-sec", "compat.ttft_ms.avg", 1e-3, "lower"},
	{"compat-itl-avg-sec", "compat.itl_ms.avg", 1e-3, "lower"},
	{"compat-e2e-avg-sec", "compat.e2e_ms.avg", 1e-3, "lower"},
}

// Benchfmt writes a run for benchstat: one line a repeat and step, so that
// benchstat does its own statistics over the repeats. INVALID steps and
// unbounded figures are left out, as in our own tables.
func Benchfmt(w io.Writer, run *read.Run) error {
	b := bufio.NewWriter(w)
	spec := run.Spec
	for _, kv := range [][2]string{{"run", spec.Name}, {"model", spec.Model.Name}, {"plan", spec.Plan.Name}, {"gpu", spec.Site.GPUKind}, {"engine", spec.Server.Engine}} {
		if kv[1] != "" {
			fmt.Fprintf(b, "%s: %s\n", kv[0], oneLine(kv[1]))
		}
	}
	if spec.Simulated {
		fmt.Fprintf(b, "simulated: true\n")
	}
	fmt.Fprintln(b)
	for _, m := range benchMetrics {
		fmt.Fprintf(b, "Unit %s better=%s\n", m.unit, m.better)
	}
	t := aggregate.Of(run)
	for i := range t.Steps {
		s := &t.Steps[i]
		for _, k := range s.Used {
			if line := benchLine(s, k); line != "" {
				fmt.Fprintln(b, line)
			}
		}
	}
	return b.Flush()
}

func benchLine(s *aggregate.Step, repeat int) string {
	var values []string
	n := 1
	if c, ok := repeatValue(s, "corrected.completed_requests", repeat); ok && c >= 1 {
		n = int(c)
	}
	for _, m := range benchMetrics {
		if v, ok := repeatValue(s, m.metric, repeat); ok {
			values = append(values, fmt.Sprintf("%g %s", v*m.scale, m.unit))
		}
	}
	if len(values) == 0 {
		return ""
	}
	return fmt.Sprintf("BenchmarkServe/%s %d %s", benchName(s.Step), n, strings.Join(values, " "))
}

func repeatValue(s *aggregate.Step, metric string, repeat int) (float64, bool) {
	e, ok := s.Estimate(metric)
	if !ok {
		return 0, false
	}
	for _, r := range e.Raw {
		if r.Repeat == repeat && !r.Unbounded {
			return r.Value, true
		}
	}
	return 0, false
}

// benchName names a step in benchfmt's way, key=value without spaces.
func benchName(s results.Step) string {
	switch {
	case s.Phase == "" && s.Arm == "" && s.Loop == results.LoopOpen && s.RatePerS > 0:
		return fmt.Sprintf("rate=%g", s.RatePerS)
	case s.Phase == "" && s.Arm == "" && s.Loop == results.LoopClosed && s.Streams > 0:
		return fmt.Sprintf("streams=%d", s.Streams)
	}
	return "step=" + strings.Join(strings.Fields(s.ID), "_")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
