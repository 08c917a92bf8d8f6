package node

import (
	"os"
	"testing"

	"hpcbench/results"
)

// The caches of a job that two runs share go with the second one's last repeat.
func TestTheLastOfASharedJob(t *testing.T) {
	other := results.RunDir(t.TempDir())
	r := runner{}
	r.spec.Grouping = results.Grouping{Jobs: [][]int{{1, 2, 3}}, Beside: string(other)}
	last := func(repeat int) bool {
		r.Repeats = []int{repeat}
		return r.lastOfJob()
	}
	if last(2) || last(3) {
		t.Error("the other side hasn't run its last repeat yet")
	}
	if err := os.MkdirAll(string(other.Attempt(3, 0)), 0o700); err != nil {
		t.Fatal(err)
	}
	if last(2) || !last(3) {
		t.Error("the second of the last pair is the last")
	}
	r.spec.Grouping.Beside = ""
	if last(2) || !last(3) {
		t.Error("a run alone in its job")
	}
}
