package summary

import "testing"

// The ranks are those of the usual tables for a 95 % interval of p95.
func TestP95Ranks(t *testing.T) {
	for n, want := range map[int][2]int{72: {64, 72}, 100: {90, 100}, 200: {184, 197}, 500: {465, 485}, 2300: {2164, 2206}} {
		low, high, ok := p95Ranks(n)
		if !ok || low+1 != want[0] || high+1 != want[1] {
			t.Errorf("n %d: ranks %d to %d, want %v", n, low+1, high+1, want)
		}
	}
	if _, _, ok := p95Ranks(71); ok {
		t.Error("71 values have no such interval")
	}
}

func TestIntervalReachesTheUnbounded(t *testing.T) {
	for _, c := range []struct {
		unbounded    int
		lower, upper bool
	}{{0, true, true}, {1, true, false}, {10, true, false}, {11, false, false}} {
		v := values{unbounded: c.unbounded}
		for i := range 100 - c.unbounded {
			v.add(int64(i) * 1000)
		}
		d := v.dist()
		if (d.P95Lower != nil) != c.lower || (d.P95Upper != nil) != c.upper {
			t.Errorf("%d of 100 unbounded: lower %v, upper %v", c.unbounded, d.P95Lower, d.P95Upper)
		}
		if c.lower && *d.P95Lower != 89 {
			t.Errorf("lower end is %v", *d.P95Lower)
		}
	}
}
