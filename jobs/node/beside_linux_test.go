package node

import (
	"os"
	"path/filepath"
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

// Of a session's runs the last one in the last round is the last.
func TestTheLastOfASession(t *testing.T) {
	runs := t.TempDir()
	r := runner{}
	r.Run = results.RunDir(filepath.Join(runs, "a"))
	r.spec.Name, r.spec.Grouping = "a", results.Grouping{Jobs: [][]int{{1, 2}}}
	r.spec.Session = &results.SessionSpec{Name: "s", Runs: []string{"a", "b", "c"}, OneJob: true}
	r.Repeats = []int{2}
	for _, other := range []string{"b", "c"} {
		if r.lastOfJob() {
			t.Errorf("%s hasn't run its last repeat yet", other)
		}
		if err := os.MkdirAll(string(results.RunDir(filepath.Join(runs, other)).Attempt(2, 0)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if !r.lastOfJob() {
		t.Error("nobody comes after it")
	}
	r.spec.Session.OneJob = false
	r.spec.Session.Runs = []string{"a", "d"}
	if !r.lastOfJob() {
		t.Error("a run alone in its job waits for another")
	}
}
