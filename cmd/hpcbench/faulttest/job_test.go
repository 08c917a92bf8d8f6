//go:build fault

package faulttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/results"
)

func TestJobCancelledByHand(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "job cancelled by hand", "scancel of the job in a step of its first repeat")
	f.slowPlan()
	f.submit("--repeats", "2", "--repeat-mode", "restart")
	f.measuring(1, 0)
	f.tool("scancel", fmt.Sprint(f.job(1, 0)))
	s := f.over()
	f.shows(s, 1, "cancelled", "")
	f.shows(s, 2, "cancelled", "")
	if a := f.attempt(1, 0); a.State != results.StateInterrupted {
		t.Errorf("the attempt is %s: %+v\n%s", a.State, a.Failure, f.JobOutput())
	}
	f.saw("both repeats are shown as cancelled, the attempt as interrupted")
	f.keeps()
	f.clean()
	f.resumes()
}

func TestArrayElementLost(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "array element lost", "scancel of one element of an array of three")
	f.slowPlan()
	f.submit("--repeats", "3", "--repeat-mode", "array")
	f.measuring(2, 0)
	id, _, _ := strings.Cut(f.Status(f.run).Repeats[1].JobID, "_")
	f.tool("scancel", id+"_2")
	s := f.over()
	f.shows(s, 1, "complete", "")
	f.shows(s, 2, "cancelled", "")
	f.shows(s, 3, "complete", "")
	f.saw("repeat 2 is shown as cancelled, the others are complete")
	f.keeps()
	f.clean()
	f.resumes()
	if n := f.Status(f.run).Repeats[0].Attempts; n != 1 && f.attempt(1, 0).Invalid == "" {
		t.Errorf("repeat 1 was run %d times", n)
	}
}

// slowPlan is a plan whose only step takes some 8 s: long enough to be hit.
func (f *fault) slowPlan() {
	f.T.Helper()
	f.Plan("short", "rates_per_s: [5, 10]", "rates_per_s: [8]", "duration_s: 1.5", "duration_s: 8")
}

func TestTermToTheShellThenKill(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "TERM to the batch shell alone, KILL to everything 10 s later", "as a machine with proctrack/cgroup ends a job, in a step")
	f.slowPlan()
	f.submit("--repeats", "2", "--repeat-mode", "restart")
	f.measuring(1, 0)
	job := f.job(1, 0)
	if err := world.Cluster.TermThenKill(job, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	f.over()
	if a := f.attempt(1, 0); a.State != results.StateInterrupted || a.EndedAt.IsZero() {
		t.Errorf("the attempt is %s: %+v\n%s", a.State, a.Failure, f.JobOutput())
	}
	if out := f.JobOutput(); !strings.Contains(out, "repeat 2 was not started") {
		t.Errorf("the job says\n%s", out)
	}
	f.saw("the repeat wrote its summary and ended as interrupted before the KILL; the second one was not started")
	f.keeps()
	f.clean()
	f.resumes()
}
