package slurm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArrayTasks(t *testing.T) {
	for s, want := range map[string][]uint64{"1-5%2": {1, 2, 3, 4, 5}, "7": {7}, "1,3,7-11:2": {1, 3, 7, 9, 11}} {
		if got, err := ArrayTasks(s); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "x", "5-1", "1-4000000000"} {
		if got, err := ArrayTasks(s); err == nil {
			t.Errorf("%q was taken for %d tasks", s, len(got))
		}
	}
}
