package jobs

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
	"hpcbench/slurm"
)

// bookkeeper answers accounting questions; asking it anything else is a mistake of the test.
type bookkeeper struct {
	Scheduler
	asked [][]slurm.JobID
	rows  []slurm.AcctRow
	err   error
}

func (b *bookkeeper) Accounting(_ context.Context, ids ...slurm.JobID) ([]slurm.AcctRow, error) {
	b.asked = append(b.asked, ids)
	return b.rows, b.err
}

func TestAccountingAddsUpWhatAJobUsed(t *testing.T) {
	run := results.RunDir(t.TempDir())
	ledger := OpenLedger(run)
	for _, e := range []results.LedgerEntry{
		{Event: results.LedgerIntent, JobName: "hb-1"}, {Event: results.LedgerSubmitted, JobName: "hb-1", JobID: "41", Array: "1-2"},
		{Event: results.LedgerIntent, JobName: "hb-2"}, {Event: results.LedgerRefused, JobName: "hb-2"},
	} {
		if err := ledger.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	element := func(task, raw uint64, state slurm.State, minutes int, latest bool) slurm.AcctRow {
		return slurm.AcctRow{ID: slurm.JobID{Job: 41, Array: true, Task: task}, RawID: raw, Name: "hb-1", State: state, Elapsed: time.Duration(minutes) * time.Minute, Latest: latest}
	}
	batch := element(1, 42, slurm.StateCompleted, 9, true)
	batch.ID.StepRef = "batch"
	foreign := element(7, 99, slurm.StateCompleted, 600, true) // the number was given again, to somebody else's job
	foreign.Name = "hpcbench-other"
	b := &bookkeeper{rows: []slurm.AcctRow{
		element(1, 42, slurm.StateNodeFail, 3, false), element(1, 42, slurm.StateCompleted, 9, true), batch, element(2, 41, slurm.StateRunning, 1, true), foreign,
	}}
	got, err := Accounting(context.Background(), b, run)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Spent{
		"42": {Name: "hb-1", State: slurm.StateCompleted, Ended: true, Elapsed: 12 * time.Minute, Line: b.rows[1].Line()},
		"41": {Name: "hb-1", State: slurm.StateRunning, Elapsed: time.Minute, Line: b.rows[3].Line()},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([][]slurm.JobID{{{Job: 41}}}, b.asked); d != "" {
		t.Error(d)
	}
}

func TestAccountingAsksNothingWithoutJobs(t *testing.T) {
	b := &bookkeeper{err: errors.New("not reached")}
	got, err := Accounting(context.Background(), b, results.RunDir(t.TempDir()))
	if err != nil || len(got) != 0 || len(b.asked) != 0 {
		t.Errorf("%v %v, asked %v", got, err, b.asked)
	}
}

func TestAccountingHandsOnWhatFailed(t *testing.T) {
	run := results.RunDir(t.TempDir())
	if err := OpenLedger(run).Add(results.LedgerEntry{Event: results.LedgerFound, JobName: "hb-1", JobID: "41"}); err != nil {
		t.Fatal(err)
	}
	down := errors.New("the database is down")
	if _, err := Accounting(context.Background(), &bookkeeper{err: down}, run); !errors.Is(err, down) {
		t.Errorf("%v", err)
	}
	if err := OpenLedger(run).Add(results.LedgerEntry{Event: results.LedgerFound, JobName: "hb-2", JobID: "not a number"}); err != nil {
		t.Fatal(err)
	}
	if _, err := Accounting(context.Background(), &bookkeeper{}, run); err == nil {
		t.Error("a ledger that names no job")
	}
}
