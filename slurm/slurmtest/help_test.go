//go:build cluster || fault

package slurmtest

import (
	"context"
	"testing"
	"time"

	"hpcbench/slurm"
)

// patience is how long the controller may take for a small thing on a busy machine.
const patience = 3 * time.Minute

func submit(t *testing.T, r slurm.SubmitRequest) slurm.JobID {
	t.Helper()
	return submitBy(t, slurm.New(slurm.Options{}), r)
}

func submitBy(t *testing.T, cl *slurm.Client, r slurm.SubmitRequest) slurm.JobID {
	t.Helper()
	if r.Script == "" {
		r.Script = Script(t, "#SBATCH --output=/dev/null\nsleep 1000\n")
	}
	id, err := cl.Submit(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cl.Cancel(context.Background(), id) })
	return id
}

func look(t *testing.T, id slurm.JobID) slurm.View {
	t.Helper()
	cl := slurm.New(slurm.Options{RetryFor: -1})
	var a slurm.Answers
	a.Queue, a.QueueErr = cl.Queue(t.Context(), id)
	a.Accounting, a.AccountingErr = cl.Accounting(t.Context(), id)
	return slurm.Resolve(id, a)
}

func await(t *testing.T, id slurm.JobID, what string, cond func(slurm.View) bool) slurm.View {
	t.Helper()
	var v slurm.View
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(300 * time.Millisecond) {
		if v = look(t, id); cond(v) {
			return v
		}
	}
	t.Fatalf("job %s: %s did not come within %v; last seen: %+v", id, what, patience, v)
	return v
}

func running(v slurm.View) bool { return v.State == slurm.StateRunning }
