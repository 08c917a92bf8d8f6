package jobs

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"hpcbench/results"
	"hpcbench/slurm"
)

// Many callers at one time, each with eyes of its own: one job.
func TestSubmitOnceIsSentByOne(t *testing.T) {
	s, _ := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1, 2}}}, 2, "true")
	var wait sync.WaitGroup
	var lock sync.Mutex
	var ids []slurm.JobID
	for range 6 {
		wait.Go(func() {
			got, err := s.SubmitOnce(t.Context())
			if err != nil && !errors.Is(err, ErrUnderway) {
				t.Error(err)
			}
			lock.Lock()
			defer lock.Unlock()
			ids = append(ids, got...)
		})
	}
	wait.Wait()
	if len(ids) != 1 {
		t.Errorf("jobs %v", ids)
	}
	if again, err := s.SubmitOnce(t.Context()); err != nil || len(again) != 0 {
		t.Errorf("once more: %v, %v", again, err)
	}
}

// A caller that looked before somebody else's submit was written, and goes on after it.
func TestSubmitOnceSeesAnAnsweredSubmit(t *testing.T) {
	s, _ := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1, 2}}}, 2, "true")
	if _, err := s.SubmitOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	late := s
	late.once = true
	if ids, err := late.Submit(t.Context(), []int{1, 2}); !errors.Is(err, ErrUnderway) || len(ids) != 0 {
		t.Errorf("sent %v, %v", ids, err)
	}
	if ids, err := s.Submit(t.Context(), []int{1, 2}); err != nil || len(ids) != 1 {
		t.Errorf("a resume may send again: %v, %v", ids, err)
	}
}

func TestUnsent(t *testing.T) {
	dir := results.RunDir(t.TempDir())
	l := OpenLedger(dir)
	for _, e := range []results.LedgerEntry{
		{Event: results.LedgerIntent, JobName: "a", Repeats: []int{1, 2}},
		{Event: results.LedgerSubmitted, JobName: "a", JobID: "7", Repeats: []int{1, 2}},
		{Event: results.LedgerIntent, JobName: "b", Repeats: []int{3}},
		{Event: results.LedgerRefused, JobName: "b", Repeats: []int{3}, Words: "Invalid account"},
		{Event: results.LedgerIntent, JobName: "c", Repeats: []int{4}},
	} {
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Unsent(dir, 5); err != nil || !slices.Equal(got, []int{3, 5}) {
		t.Errorf("unsent %v, %v", got, err)
	}
	other := results.RunDir(t.TempDir())
	for range 2 { // a second time adds nothing
		if err := Mirror(dir, other); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := OpenLedger(other).Read(); err != nil || len(got) != 5 || got[1].JobID != "7" {
		t.Errorf("mirrored %+v, %v", got, err)
	}
}
