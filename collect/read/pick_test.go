package read_test

import (
	"os"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
	"hpcbench/results"
)

func TestPick(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 4, DurationS: 10, Attempt: func(k int, a *results.Attempt) {
		if k == 2 {
			a.State = results.StateInterrupted
		}
	}})
	if err := os.RemoveAll(dir.Repeat(1)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ gone, index, want int }{{0, 0, 3}, {0, 2, 2}, {0, 4, 4}, {0, 1, 0}, {0, 5, 0}, {3, 0, 4}, {4, 0, 2}, {2, 0, 0}} {
		if c.gone > 0 {
			if err := os.RemoveAll(dir.Repeat(c.gone)); err != nil {
				t.Fatal(err)
			}
		}
		run := open(t, dir, read.Options{})
		r, err := run.Pick(c.index)
		if (err != nil) != (c.want == 0) || err == nil && r.Index != c.want {
			t.Errorf("pick %d: %+v, %v; want %d", c.index, r, err, c.want)
		}
	}
}
