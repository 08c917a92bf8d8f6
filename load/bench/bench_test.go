//go:build linux

package bench

import (
	"os"
	"testing"
	"time"

	"hpcbench/engine/stub"
	"hpcbench/load/wire/wirebench"
	"hpcbench/results"
)

func TestMain(m *testing.M) {
	Main()
	wirebench.Main()
	os.Exit(m.Run())
}

func held(streams, tokens int, seconds float64) results.Plan {
	return results.Plan{
		Name: "bench", Kind: results.KindConcurrency, Levels: []int{streams}, DurationS: seconds, Seed: 1,
		Warmup:  results.Warmup{PerStepS: 2},
		Prompt:  results.PromptPlan{Source: results.SourceSynthetic, Tokens: 100},
		Output:  results.OutputPlan{Distribution: results.DistFixed, Tokens: tokens},
		Request: results.RequestPlan{API: "chat", Usage: results.UsageFinal, IgnoreEOS: true, TimeoutS: 60},
	}
}

// TestRun is the measuring itself: everything finds its truth. Figures aren't
// judged, since tests run beside others.
func TestRun(t *testing.T) {
	p := Plan{Server: stub.Config{TTFTBaseMs: 50, ITLMs: 10}, Load: held(20, 30, 2), ServerCore: -1, ClientCore: -1}
	p.Load.Warmup.PerStepS = 0.3
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if r.Completed < 80 || r.Events < 2000 || r.Stamps+r.Merged != r.Events || r.Held < 15 || r.Held > 20.1 || r.CPUPerMil <= 0 || r.PeakMB < 5 {
		t.Errorf("%+v", r)
	}
	if r.ErrorP50 < -50 || r.ErrorP50 > 5000 || r.StartMs <= 0 || r.MergedOutside > 0 {
		t.Errorf("%+v", r)
	}
}

func report(b *testing.B, r Result) {
	b.Helper()
	b.ReportMetric(r.ErrorP50, "err-p50-µs")
	b.ReportMetric(r.ErrorP99, "err-p99-µs")
	b.ReportMetric(r.TTFTErrorP50, "ttft-err-p50-µs")
	b.ReportMetric(r.TTFTErrorP99, "ttft-err-p99-µs")
	b.ReportMetric(r.PerS, "events/s")
	b.ReportMetric(r.CPUPerMil, "cpu-s/M")
	b.ReportMetric(r.PeakMB, "peak-MB")
	b.ReportMetric(r.StartMs, "start-ms")
	if r.Events > 0 {
		b.ReportMetric(float64(r.Merged)/float64(r.Events)*100, "merged-%")
	}
	for _, w := range r.Why {
		b.Log(w)
	}
}

// BenchmarkHold holds 1,000 streams of 50 tokens a second, spread and in an
// engine's bursts, and compares the cost with a bare drain of the same minute.
// Run it alone, on two cores, with -benchtime 1x.
func BenchmarkHold(b *testing.B) {
	for name, steps := range map[string]bool{"spread": false, "burst": true} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				shape := wirebench.Spread
				if steps {
					shape = wirebench.Burst
				}
				floor, err := wirebench.Run(b.Context(), wirebench.Plan{Shape: shape, Client: wirebench.Drain, Streams: 1000, EventsPerS: 50,
					Warmup: time.Second, Window: 4 * time.Second, ServerCore: 1, ClientCore: 0, Procs: 2})
				if err != nil {
					b.Fatal(err)
				}
				r, err := Run(b.Context(), Plan{Server: stub.Config{TTFTBaseMs: 200, ITLMs: 20, Steps: steps}, Load: held(1000, 128, 10),
					ServerCore: 1, ClientCore: 0})
				if err != nil {
					b.Fatal(err)
				}
				report(b, r)
				b.ReportMetric(r.Held, "held")
				b.ReportMetric(r.HeldSaid, "held-said")
				b.ReportMetric(floor.CPUPerMil, "drain-cpu-s/M")
				b.ReportMetric(r.CPUPerMil/floor.CPUPerMil, "cpu/drain")
			}
		})
	}
}

// BenchmarkSendLag sends 1,000 requests a second by their schedule.
func BenchmarkSendLag(b *testing.B) {
	for range b.N {
		p := held(1, 4, 10)
		p.Kind, p.Levels, p.RatesPerS = results.KindRate, nil, []float64{1000}
		r, err := Run(b.Context(), Plan{Server: stub.Config{TTFTBaseMs: 20, ITLMs: 2}, Load: p, ServerCore: 1, ClientCore: 0})
		if err != nil {
			b.Fatal(err)
		}
		report(b, r)
		b.ReportMetric(r.LagP50*1000, "lag-p50-µs")
		b.ReportMetric(r.LagP99*1000, "lag-p99-µs")
	}
}

// BenchmarkOpeningBurst sends 1,000 requests at once.
func BenchmarkOpeningBurst(b *testing.B) {
	for range b.N {
		p := held(1000, 16, 3)
		p.Warmup.PerStepS = 0
		r, err := Run(b.Context(), Plan{Server: stub.Config{TTFTBaseMs: 500, ITLMs: 20}, Load: p, ServerCore: 1, ClientCore: 0})
		if err != nil {
			b.Fatal(err)
		}
		report(b, r)
		b.ReportMetric(r.BurstMs, "burst-ms")
	}
}
