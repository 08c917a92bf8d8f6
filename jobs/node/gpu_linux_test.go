package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
)

func TestParseNvidia(t *testing.T) {
	got, driver, err := parseNvidia([]byte(
		"0, GPU-6f0c1a2b, NVIDIA A100-SXM4-40GB, 40960, 40337, 400.00, 550.54.15\n" +
			"1, GPU-7f0c1a2b, NVIDIA A100-SXM4-40GB, 40960, 512, [N/A], 550.54.15\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []results.GPU{
		{Index: "0", ID: "GPU-6f0c1a2b", Name: "NVIDIA A100-SXM4-40GB", MemoryGiB: 40, FreeMemGiB: 40337.0 / 1024, PowerLimitW: 400},
		{Index: "1", ID: "GPU-7f0c1a2b", Name: "NVIDIA A100-SXM4-40GB", MemoryGiB: 40, FreeMemGiB: 0.5},
	}
	if d := cmp.Diff(want, got); d != "" || driver != "550.54.15" {
		t.Error(d, driver)
	}
}

func TestParseAMD(t *testing.T) {
	got, driver, err := parseAMD([]byte(`{
		"card10": {"Unique ID": "0xbb", "Card Series": "AMD Instinct MI250X", "VRAM Total Memory (B)": "68702699520", "VRAM Total Used Memory (B)": "68702699520"},
		"card2": {"Unique ID": "0xaa", "Card series": "AMD Instinct MI250X", "VRAM Total Memory (B)": "68719476736", "VRAM Total Used Memory (B)": "0"},
		"system": {"Driver version": "6.3.6"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Index != "2" || got[0].FreeMemGiB != 64 || got[1].FreeMemGiB != 0 || got[0].Name != "AMD Instinct MI250X" || driver != "6.3.6" {
		t.Errorf("got %+v, %s", got, driver)
	}
}

func FuzzParseGPUTools(f *testing.F) {
	f.Add([]byte("0, GPU-1, A100, 40960, 40337, [N/A], 550\n"))
	f.Add([]byte(`{"card0":{"Unique ID":"x","VRAM Total Memory (B)":"NaN"},"system":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, parse := range []func([]byte) ([]results.GPU, string, error){parseNvidia, parseAMD} {
			gpus, _, _ := parse(b)
			for _, g := range gpus {
				if g.MemoryGiB < 0 || g.MemoryGiB != g.MemoryGiB {
					t.Errorf("memory %v of %q", g.MemoryGiB, b)
				}
			}
		}
	})
}
