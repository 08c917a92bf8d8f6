package telemetry

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hpcbench/load/clock"
	"hpcbench/results"
)

func f(v float64) *float64 { return &v }

func parseAll(text string) []results.GPUSample {
	var p gpuParser
	var out []results.GPUSample
	for line := range strings.Lines(text) {
		out = append(out, p.line([]byte(line))...)
	}
	return out
}

func TestParseNvidia(t *testing.T) {
	want := []results.GPUSample{
		{Index: "0", UtilShare: f(0.97), MemUsedMiB: f(38112), PowerW: f(381.5), ClockMHz: f(1290), TempC: f(61), Throttle: "sw_power_cap"},
		{Index: "1", MemUsedMiB: f(4), Throttle: "sw_thermal_slowdown+hw_thermal_slowdown"},
	}
	rows := "0, 97, 38112, 381.50, 1290, 61, 0x0000000000000004\n" +
		"1, [N/A], 4, [Not Supported], [Unknown Error], [N/A], 0x0000000000000061\n"
	if diff := cmp.Diff(want, parseAll(rows)); diff != "" {
		t.Error(diff)
	}
	withHead := "index, power.draw [W], utilization.gpu [%], temperature.gpu\n3, 70.25 W, 5 %, 33\n\nNo devices were found\n"
	if diff := cmp.Diff([]results.GPUSample{{Index: "3", PowerW: f(70.25), UtilShare: f(0.05), TempC: f(33)}}, parseAll(withHead)); diff != "" {
		t.Error(diff)
	}
}

func TestParseRocm(t *testing.T) {
	text := `{"card1": {"GPU use (%)": "0", "Average Graphics Package Power (W)": "N/A (Secondary die)", "VRAM Total Memory (B)": "68702699520", "VRAM Total Used Memory (B)": "10485760", "sclk clock speed:": "(800Mhz)", "Temperature (Sensor junction) (C)": "39.0"},` +
		` "card0": {"GPU use (%)": "88", "Average Graphics Package Power (W)": "301.0", "VRAM Total Used Memory (B)": "1073741824", "sclk clock speed:": "(1700Mhz)", "Temperature (Sensor edge) (C)": "45.0", "Temperature (Sensor junction) (C)": "50.0"}, "system": {"Driver version": "6.3"}}` + "\n"
	want := []results.GPUSample{
		{Index: "0", UtilShare: f(0.88), PowerW: f(301), MemUsedMiB: f(1024), ClockMHz: f(1700), TempC: f(45), PackageOnly: true},
		{Index: "1", UtilShare: f(0), MemUsedMiB: f(10), ClockMHz: f(800), TempC: f(39)},
	}
	opt := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if diff := cmp.Diff(append(want, want...), parseAll(text+text), opt); diff != "" {
		t.Error(diff)
	}
}

func TestParseAMD(t *testing.T) {
	text := `[
    {
        "gpu": 0,
        "usage": {"gfx_activity": {"value": 42, "unit": "%"}, "umc_activity": "N/A"},
        "power": {"socket_power": {"value": 512, "unit": "W"}},
        "clock": {"gfx_0": {"clk": {"value": 2100, "unit": "MHz"}}},
        "temperature": {"edge": "N/A", "hotspot": {"value": 71, "unit": "C"}},
        "mem_usage": {"used_vram": {"value": 283, "unit": "MB"}}
    }
]
{"gpu_data": [{"gpu": 1, "power": {"socket_power": "N/A"}, "note": "a } in \" text"}]}
`
	want := []results.GPUSample{
		{Index: "0", UtilShare: f(0.42), PowerW: f(512), ClockMHz: f(2100), TempC: f(71), MemUsedMiB: f(283)},
		{Index: "1"},
	}
	opt := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
	if diff := cmp.Diff(want, parseAll(text), opt); diff != "" {
		t.Error(diff)
	}
}

func FuzzGPUParser(f *testing.F) {
	f.Add("0, 97, 38112, 381.50, 1290, 61, 0x4\n")
	f.Add(`{"card0": {"GPU use (%)": "5"}}` + "\n" + `[{"gpu":0}]`)
	f.Add("{\"a\":\n[\"]}\\\"\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, g := range parseAll(text) {
			if g.Index == "" {
				t.Error("a sample of no GPU")
			}
			for _, v := range []*float64{g.UtilShare, g.MemUsedMiB, g.PowerW, g.ClockMHz, g.TempC} {
				if v != nil && !(*v >= 0 && *v < 1e308) {
					t.Errorf("figure %v", *v)
				}
			}
		}
	})
}

// TestSamplerIsOneProcess runs a shell that prints as nvidia-smi does and
// counts how often it was started.
func TestSamplerIsOneProcess(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "tool")
	script := "#!/bin/sh\necho start >>" + dir + "/starts\nwhile :; do echo '0, 50, 100, 200, 300, 40, 0x0'; echo '1, 50, 100, 200, 300, 40, 0x0'; sleep 0.05; done\n"
	if err := os.WriteFile(tool, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	n := 0
	s := Start(clock.New(time.Now()), Options{GPU: []string{tool, "--loop"}, GPUs: []string{"1"}}, func() int { return 0 }, func(s results.Sample) {
		if s.GPU != nil {
			mu.Lock()
			n++
			mu.Unlock()
			if s.GPU.Index != "1" {
				t.Errorf("GPU %s isn't ours", s.GPU.Index)
			}
		}
	})
	for range 200 {
		time.Sleep(10 * time.Millisecond)
		mu.Lock()
		enough := n >= 3
		mu.Unlock()
		if enough {
			break
		}
	}
	s.Stop()
	starts, err := os.ReadFile(filepath.Join(dir, "starts"))
	if err != nil || string(starts) != "start\n" || n < 3 {
		t.Errorf("%d samples, starts %q, %v", n, starts, err)
	}
}

func TestMissingSamplerIsSaidOnce(t *testing.T) {
	said := make(chan string, 10)
	s := Start(clock.New(time.Now()), Options{GPU: []string{"/no/such/tool", "x"}, Warn: func(w string) { said <- w }},
		func() int { return 0 }, func(results.Sample) {})
	defer s.Stop()
	select {
	case w := <-said:
		if !strings.Contains(w, "/no/such/tool") {
			t.Errorf("it says %q", w)
		}
	case <-time.After(5 * time.Second):
		t.Error("nothing is said")
	}
}

func TestToolArgs(t *testing.T) {
	for _, tool := range []string{"nvidia-smi", "amd-smi", "/opt/rocm/bin/rocm-smi"} {
		if got := toolArgs([]string{tool}); len(got) < 3 {
			t.Errorf("%s is called as %v", tool, got)
		}
	}
	own := []string{"nvidia-smi", "-l", "5"}
	if diff := cmp.Diff(own, toolArgs(own)); diff != "" {
		t.Error(diff)
	}
}
