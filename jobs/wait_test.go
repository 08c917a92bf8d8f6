package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// answering gives one queue answer after the other, and the last one for ever.
type answering struct {
	Scheduler
	reasons []string
	asked   int
}

func (a *answering) Queue(context.Context, ...slurm.JobID) ([]slurm.QueueRow, error) {
	reason := a.reasons[min(a.asked, len(a.reasons)-1)]
	a.asked++
	state := slurm.StatePending
	if reason == "" {
		state = slurm.StateRunning
	}
	return []slurm.QueueRow{{ID: slurm.JobID{Job: 7}, RawID: 7, State: state, Reason: reason}}, nil
}

func (a *answering) Accounting(context.Context, ...slurm.JobID) ([]slurm.AcctRow, error) {
	return nil, nil
}

func pendingRun(t *testing.T) Entry {
	t.Helper()
	s := newStore(t, "night")
	e, err := s.Find("night")
	if err != nil {
		t.Fatal(err)
	}
	e.Spec.Repeats, e.Spec.Grouping = 1, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1}}}
	if err := OpenLedger(e.Dir).Add(results.LedgerEntry{Event: results.LedgerSubmitted, JobName: "hb", JobID: "7", Repeats: []int{1}}); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNeverIsBelievedWhenTwoLooksAgree(t *testing.T) {
	e := pendingRun(t)
	synctest.Test(t, func(t *testing.T) {
		a := &answering{reasons: []string{"Priority", "PartitionTimeLimit", "PartitionTimeLimit"}}
		_, err := Wait(t.Context(), a, []Entry{e}, 30*time.Second, func([]RunStatus) {})
		if !errors.Is(err, ErrNever) || a.asked != 3 || !strings.Contains(err.Error(), "hpcbench cancel") {
			t.Errorf("%v after %d questions", err, a.asked)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		a := &answering{reasons: []string{"PartitionTimeLimit", "Priority", "PartitionTimeLimit", ""}}
		if _, err := Wait(ctx, a, []Entry{e}, 30*time.Second, func([]RunStatus) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a passing reason ended the wait: %v", err)
		}
	})
}
