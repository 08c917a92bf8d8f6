package sites

import (
	"math"
	"testing"
)

func TestCost(t *testing.T) {
	for _, c := range []struct {
		site  string
		r     Resources
		hours float64
		want  float64
	}{
		{"lumi", Resources{Nodes: 1, GPUs: 1, Cores: 7, MemoryGiB: 60}, 2, 1},
		{"lumi", Resources{Nodes: 1, GPUs: 1, Cores: 9, MemoryGiB: 60}, 1, 1},   // cores of two GCDs
		{"lumi", Resources{Nodes: 1, GPUs: 1, Cores: 8, MemoryGiB: 65}, 1, 1},   // memory of two
		{"lumi", Resources{Nodes: 1, GPUs: 2, Cores: 16, MemoryGiB: 480}, 1, 4}, // memory of eight
		{"lumi", Resources{Nodes: 2, GPUs: 16, Cores: 112, MemoryGiB: 960}, 0.5, 4},
		{"lumi", Resources{Nodes: 2, GPUs: 2, Cores: 14, MemoryGiB: 120, WholeNode: true}, 1, 8},
		{"karolina", Resources{Nodes: 1, GPUs: 1, Cores: 128}, 24, 3}, // only GPUs count
		{"karolina", Resources{Nodes: 2, GPUs: 16}, 1, 2},
		{"local", Resources{Nodes: 1, Cores: 4}, 10, 0},
	} {
		if got := embeddedSite(t, c.site).CostOf(c.r, c.hours); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s %+v for %g h = %g, want %g", c.site, c.r, c.hours, got, c.want)
		}
	}
}

func TestCostFormula(t *testing.T) {
	for site, want := range map[string]string{
		"lumi":     "0.5 x max(GCDs, ceil(cores/8), ceil(GiB/64)) x hours, in GPU-hours; a whole node is 4 an hour",
		"karolina": "0.125 x GPUs x hours, in node-hours; a whole node is 1 an hour",
		"local":    "",
	} {
		if got := embeddedSite(t, site).CostFormula(); got != want {
			t.Errorf("%s: %q, want %q", site, got, want)
		}
	}
}
