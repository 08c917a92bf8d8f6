package summary

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
)

// gpus gives readings each second from 0 to 20 s; power is of GPU i at second s, nil = N/A.
func gpus(n int, power func(i int, s int64) *float64, set func(*results.GPUSample)) []results.Sample {
	var all []results.Sample
	for s := range int64(21) {
		for i := range n {
			g := &results.GPUSample{Index: string(rune('0' + i)), PowerW: power(i, s), UtilShare: ptr(0.5), MemUsedMiB: ptr(1000.0 * float64(i+1))}
			if set != nil {
				set(g)
			}
			all = append(all, results.Sample{At: s*1e6 + int64(i)*1000, Kind: results.SampleGPU, GPU: g})
		}
	}
	return all
}

func TestEnergy(t *testing.T) {
	for name, c := range map[string]struct {
		gpus   int
		power  func(i int, s int64) *float64
		pack   func(*results.GPUSample)
		joules *float64 // over 10 s from 5.5 to 15.5
		watts  *float64 // mean of the sum
	}{
		"even":                           {1, func(int, int64) *float64 { return ptr(300.0) }, nil, ptr(3000.0), ptr(300.0)},
		"rising 10 W a second":           {1, func(_ int, s int64) *float64 { return ptr(float64(10 * s)) }, nil, ptr(1050.0), ptr(105.0)},
		"four GPUs":                      {4, func(i int, _ int64) *float64 { return ptr(100 * float64(i+1)) }, nil, ptr(10_000.0), ptr(1000.0)},
		"one of four says N/A":           {4, func(i int, _ int64) *float64 { return map[bool]*float64{true: nil, false: ptr(100.0)}[i == 2] }, nil, nil, ptr(300.0)},
		"no power at all":                {2, func(int, int64) *float64 { return nil }, nil, nil, nil},
		"both dies of a package":         {2, func(i int, _ int64) *float64 { return map[bool]*float64{true: ptr(500.0), false: nil}[i == 0] }, packageOnly, ptr(5000.0), ptr(500.0)},
		"one die of a package":           {1, func(int, int64) *float64 { return ptr(500.0) }, packageOnly, nil, ptr(500.0)},
		"the second die alone":           {1, func(int, int64) *float64 { return nil }, nil, nil, nil},
		"readings stop before its end":   {1, func(_ int, s int64) *float64 { return map[bool]*float64{true: ptr(300.0), false: nil}[s < 13] }, nil, nil, ptr(300.0)},
		"readings begin after its start": {1, func(_ int, s int64) *float64 { return map[bool]*float64{true: ptr(300.0), false: nil}[s > 7] }, nil, nil, ptr(300.0)},
	} {
		s := steppedAt(gpus(c.gpus, c.power, c.pack)).Server
		if !same(s.EnergyJ, c.joules) {
			t.Errorf("%s: %v J", name, deref(s.EnergyJ))
		}
		var watts *float64
		if s.GPUPowerW != nil {
			watts = &s.GPUPowerW.Mean
		}
		// The sum's mean is of readings, whose last GPU comes 3 ms later: a hair of a rising power.
		if (watts == nil) != (c.watts == nil) || watts != nil && math.Abs(*watts-*c.watts) > 0.01 {
			t.Errorf("%s: %v W", name, deref(watts))
		}
	}
}

func packageOnly(g *results.GPUSample) { g.PackageOnly = g.PowerW != nil }

func TestGPUGauges(t *testing.T) {
	s := steppedAt(gpus(2, func(int, int64) *float64 { return ptr(100.0) }, func(g *results.GPUSample) {
		if g.Index == "1" {
			g.Throttle = "SW Power Cap"
		}
	})).Server
	if d := cmp.Diff(&results.MinMax{Mean: 1500, Min: 1000, Max: 2000}, s.GPUMemMiB); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"SW Power Cap"}, s.Throttle); d != "" || s.GPUUtil.Mean != 0.5 || s.GPUClock != nil {
		t.Errorf("%+v", s)
	}
}

func TestHostAndClient(t *testing.T) {
	var all []results.Sample
	for s := range int64(21) {
		all = append(all,
			results.Sample{At: s * 1e6, Kind: results.SampleHost, Host: &results.HostSample{CPUShare: 0.2, OOMKills: map[bool]int64{true: 4, false: 3}[s > 15]}},
			results.Sample{At: s * 1e6, Kind: results.SampleClient, Client: &results.ClientSample{CPUShare: float64(s) / 100, GCPauseUs: s * 10, RunDelayUs: 1000, ClockStepUs: -s}})
	}
	s := steppedAt(all)
	if math.Abs(s.Server.HostCPU.Mean-0.2) > 1e-12 || *s.Server.OOMKills != 1 {
		t.Errorf("%+v, %v OOM kills", s.Server.HostCPU, *s.Server.OOMKills)
	}
	c := s.Client
	if *c.CPUShareMax != 0.15 || *c.GCPauseMaxMs != 0.15 || *c.ClockStepMs != 0.015 || math.Abs(*c.RunDelayShare-0.001) > 1e-12 {
		t.Errorf("%v %v %v %v", *c.CPUShareMax, *c.GCPauseMaxMs, *c.ClockStepMs, *c.RunDelayShare)
	}
}

func TestEnergyPerToken(t *testing.T) {
	in := simAttempt(simServer{ttftUs: 10_000, gapUs: 1000, tokens: 50}, simStep{durationS: 10, arrivals: every(10, 10)})
	in.Samples = append(in.Samples, gpus(1, func(int, int64) *float64 { return ptr(200.0) }, nil)...)
	s := Compute(in).Steps[0]
	if want := 2000 / (s.Corrected.TokensPerS * 10); !same(s.Server.JPerToken, &want) || want < 0.3 || want > 0.5 {
		t.Errorf("%v J a token", deref(s.Server.JPerToken))
	}
}

func same(a, b *float64) bool {
	return (a == nil) == (b == nil) && (a == nil || math.Abs(*a-*b) < 1e-6)
}

func deref(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}
