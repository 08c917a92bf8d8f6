package summary

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"hpcbench/results"
)

type numpySet struct {
	Name      string    `json:"name"`
	Values    []int64   `json:"values"`
	Quantiles []float64 `json:"quantiles"`
	Mean      float64   `json:"mean"`
	SD        *float64  `json:"sd"`
}

func numpySets(t *testing.T) []numpySet {
	t.Helper()
	b, err := os.ReadFile("testdata/quantiles.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Sets []numpySet `json:"sets"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Sets) < 5 {
		t.Fatalf("only %d sets", len(file.Sets))
	}
	return file.Sets
}

func TestQuantileIsNumpys(t *testing.T) {
	for _, set := range numpySets(t) {
		sorted := slices.Sorted(slices.Values(set.Values))
		for i, q := range percents {
			if got := Quantile(sorted, q); !near(got, set.Quantiles[i], 1e-12) {
				t.Errorf("%s: q %v is %v, numpy says %v", set.Name, q, got, set.Quantiles[i])
			}
		}
	}
}

func TestDistAndHistogramAreNumpys(t *testing.T) {
	gaps := newGapCounts()
	for _, set := range numpySets(t) {
		v := values{all: slices.Clone(set.Values)}
		gaps.reset()
		for _, us := range set.Values {
			gaps.add(us)
		}
		for how, d := range map[string]results.Dist{"sorted": v.dist(), "counted": gaps.dist()} {
			for i, got := range []*float64{d.P50, d.P60, d.P70, d.P80, d.P90, d.P95, d.P99} {
				if got == nil || !near(*got, set.Quantiles[i]/1000, 1e-12) {
					t.Errorf("%s, %s: %s is %v, numpy says %v µs", set.Name, how, percentNames[i], got, set.Quantiles[i])
				}
			}
			if !near(*d.Mean, set.Mean/1000, 1e-12) {
				t.Errorf("%s, %s: mean %v, numpy says %v µs", set.Name, how, *d.Mean, set.Mean)
			}
			if (d.SD == nil) != (set.SD == nil) || d.SD != nil && !near(*d.SD, *set.SD/1000, 1e-9) {
				t.Errorf("%s, %s: sd %v, numpy says %v µs", set.Name, how, d.SD, set.SD)
			}
			if *d.Min*1000 != float64(slices.Min(set.Values)) || *d.Max*1000 != float64(slices.Max(set.Values)) {
				t.Errorf("%s, %s: from %v to %v", set.Name, how, *d.Min, *d.Max)
			}
		}
	}
}

func TestUnboundedQuantiles(t *testing.T) {
	for name, c := range map[string]struct {
		finite    int
		unbounded int
		want      []string
	}{
		"all finite":                {100, 0, nil},
		"one of a hundred and one":  {100, 1, []string{"max"}}, // p99 is rank 99 exactly
		"one of a hundred":          {99, 1, []string{"p99", "max"}},
		"six of a hundred":          {94, 6, []string{"p95", "p99", "max"}},
		"p95 on the last finite":    {20, 1, []string{"p99", "max"}}, // rank 19 of 21
		"half":                      {50, 50, []string{"p50", "p60", "p70", "p80", "p90", "p95", "p99", "max"}},
		"more than half are finite": {51, 49, []string{"p60", "p70", "p80", "p90", "p95", "p99", "max"}},
		"none finite":               {0, 3, []string{"p50", "p60", "p70", "p80", "p90", "p95", "p99", "max"}},
	} {
		v := values{unbounded: c.unbounded}
		for i := range c.finite {
			v.add(int64(i) * 1000)
		}
		d := v.dist()
		if !slices.Equal(d.Unbounded, c.want) {
			t.Errorf("%s: unbounded %v, want %v", name, d.Unbounded, c.want)
		}
		if (d.Mean == nil) != (c.unbounded > 0) || (d.Max == nil) != (c.unbounded > 0) {
			t.Errorf("%s: mean %v, max %v", name, d.Mean, d.Max)
		}
		if d.N != c.finite+c.unbounded {
			t.Errorf("%s: n is %d", name, d.N)
		}
		if c.unbounded > 0 && c.finite > 0 && *d.Over != float64(c.finite-1) {
			t.Errorf("%s: over %v", name, *d.Over)
		}
	}
}

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*max(math.Abs(got), math.Abs(want))
}
