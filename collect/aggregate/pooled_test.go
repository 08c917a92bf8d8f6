package aggregate

import (
	"slices"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
)

func sortFloats(x []float64) { slices.Sort(x) }

func TestRanksAgainstScipy(t *testing.T) {
	for _, r := range scipy(t).Ranks {
		low, high, ok := Ranks(r.N, r.P)
		wantOK := r.Low >= 1 && r.High <= r.N
		if ok != wantOK {
			t.Errorf("n=%d p=%g: interval %v, want %v", r.N, r.P, ok, wantOK)
		}
		if wantOK && (low != r.Low || high != r.High) {
			t.Errorf("n=%d p=%g: ranks %d…%d, scipy %d…%d", r.N, r.P, low, high, r.Low, r.High)
		}
	}
}

func TestPoolStatesOnlyWhatNAllows(t *testing.T) {
	values := make([]float64, 71)
	for i := range values {
		values[i] = float64(i + 1)
	}
	p := Pool("e2e_ms", [][]float64{values[:40], values[40:]}, 0)
	if p.N != 71 || *p.Percentiles[0].Value != 36 {
		t.Errorf("n %d, median %v", p.N, p.Percentiles[0].Value)
	}
	if p95 := p.Percentiles[2]; p95.Value == nil || p95.Low != nil {
		t.Errorf("71 values give a p95 but no interval: %+v", p95)
	}
	if p99 := p.Percentiles[3]; p99.Value != nil {
		t.Errorf("71 values give no p99, got %g", *p99.Value)
	}
	p = Pool("e2e_ms", [][]float64{append(values, 72)}, 0)
	if p95 := p.Percentiles[2]; p95.Low == nil || p95.High == nil {
		t.Errorf("72 values give an interval of p95: %+v", p95)
	}
}

func TestPoolWithUnbounded(t *testing.T) {
	values := make([]float64, 95)
	for i := range values {
		values[i] = float64(i + 1)
	}
	p := Pool("e2e_ms", [][]float64{values}, 5)
	if p.N != 100 || *p.Over != 95 {
		t.Errorf("n %d, over %g", p.N, *p.Over)
	}
	if p90 := p.Percentiles[1]; p90.Value == nil || p90.Low == nil || p90.High != nil {
		t.Errorf("p90 stands, its upper bound is unbounded: %+v", p90)
	}
	if p99 := p.Percentiles[3]; p99.Value != nil || !p99.Unbounded {
		t.Errorf("p99 falls among the unbounded: %+v", p99)
	}
	if none := Pool("ttft_ms", nil, 0); none.N != 0 || none.Percentiles[0].Value != nil {
		t.Errorf("no values: %+v", none)
	}
}

func TestPooledStandsBesideTheMeanOfPercentiles(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{DurationS: 60, Records: true, RepeatCV: 0.2})
	run, err := read.Open(string(dir), read.Options{Values: true})
	if err != nil {
		t.Fatal(err)
	}
	s := Of(run).Steps[2]
	if len(s.Pooled) != 3 || s.Pooled[0].N != 5*341 {
		t.Fatalf("pooled: %+v", s.Pooled)
	}
	e, _ := s.Estimate("corrected.ttft_ms.p95")
	pooled := *s.Pooled[0].Percentiles[2].Value
	if pooled == *e.Mean {
		t.Error("the pooled p95 and the mean of the repeats' p95 are two figures")
	}
	if pooled < *e.Min || pooled > *e.Max {
		t.Errorf("pooled p95 %g outside the repeats' %g…%g", pooled, *e.Min, *e.Max)
	}
}
