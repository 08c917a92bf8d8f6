//go:build linux

package wirebench

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// The measuring itself: all events arrive, stamps are right, nothing is lost.
// Figures aren't judged here, since tests run beside others.
func TestRun(t *testing.T) {
	for _, client := range []string{Drain, Raw, Std} {
		t.Run(client, func(t *testing.T) {
			r, err := Run(t.Context(), Plan{Shape: Spread, Client: client, Streams: 20, EventsPerS: 50, Warmup: 200 * time.Millisecond,
				Window: time.Second, ServerCore: -1, ClientCore: -1})
			if err != nil {
				t.Fatal(err)
			}
			if r.Events < 900 || r.Events > 1100 || r.Held != 20 || r.CPUS <= 0 || r.PeakMB <= 0 {
				t.Errorf("of 1,000 events: %+v", r)
			}
			if client != Drain && (!r.Kernel || r.Outside > 0 || r.ErrorP50 > 1000 || r.ErrorP50 == 0) {
				t.Errorf("stamps: %+v", r)
			}
		})
	}
}

// BenchmarkReceive compares clients with the drain, measured in turns. Run it
// alone, on two cores, with -benchtime 1x.
func BenchmarkReceive(b *testing.B) {
	plans := []Plan{
		{Shape: Spread, Streams: 1000, EventsPerS: 50},
		{Shape: Burst, Streams: 1000, EventsPerS: 50},
		{Shape: Coalesced, Streams: 32},
		{Shape: Spread, Streams: 1000, EventsPerS: 50, Busy: true},
	}
	for _, p := range plans {
		p.Warmup, p.Window, p.ServerCore, p.ClientCore, p.Procs = time.Second, 4*time.Second, 1, 0, 2
		b.Run(fmt.Sprintf("%s_%d_busy=%v", p.Shape, p.Streams, p.Busy), func(b *testing.B) {
			for range b.N {
				floor, raw := p, p
				floor.Client, raw.Client = Drain, Raw
				f, err := Run(b.Context(), floor)
				if err != nil {
					b.Fatal(err)
				}
				r, err := Run(b.Context(), raw)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(f.CPUPerMil, "drain-cpu-s/M")
				b.ReportMetric(r.CPUPerMil, "cpu-s/M")
				b.ReportMetric(r.CPUPerMil/f.CPUPerMil, "cpu/drain")
				b.ReportMetric(r.PerS, "events/s")
				b.ReportMetric(r.PerS/f.PerS, "rate/drain")
				// What a core could take, also where other programs share it.
				b.ReportMetric(1e6/r.CPUPerMil, "events/cpu-s")
				b.ReportMetric(r.PeakMB, "peak-MB")
				b.ReportMetric(r.ErrorP50, "err-p50-µs")
				b.ReportMetric(r.ErrorP99, "err-p99-µs")
				b.ReportMetric(float64(r.Merged)/float64(r.Events)*100, "merged-%")
				b.ReportMetric(float64(r.Outside), "outside")
				b.ReportMetric(float64(r.Held), "held")
			}
		})
	}
}

// BenchmarkSend answers how late 1,000 requests a second are sent, and how long
// an opening burst of 1,000 takes.
func BenchmarkSend(b *testing.B) {
	for range b.N {
		r, err := Run(b.Context(), Plan{Shape: Requests, Client: Raw, Streams: 1000, EventsPerS: 1000, Window: 4 * time.Second,
			ServerCore: 1, ClientCore: 0, Procs: 2})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(r.LagP50, "lag-p50-µs")
		b.ReportMetric(r.LagP99, "lag-p99-µs")
		b.ReportMetric(r.LagMax, "lag-max-µs")
		b.ReportMetric(r.OpeningMs, "opening-ms")
		b.ReportMetric(float64(r.Events), "answers")
		b.ReportMetric(float64(r.Dialled), "dialled")
		b.ReportMetric(r.CPUS/r.WallS*100, "cpu-%")
	}
}
