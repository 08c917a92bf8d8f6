package slurm

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestResolve(t *testing.T) {
	t0 := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	id := JobID{Job: 12, Array: true, Task: 4}
	queue := func(s State, reason string) []QueueRow {
		return []QueueRow{{ID: id, RawID: 15, State: s, Reason: reason, Submit: t0}}
	}
	acct := func(s State) []AcctRow {
		r := AcctRow{ID: id, RawID: 15, State: s, Submit: t0, Start: t0.Add(time.Second), Latest: true, Exit: Exit{Code: 3}}
		if s.Class().Over() {
			r.End = t0.Add(time.Minute)
		}
		return []AcctRow{r}
	}
	down := errors.New("connect failure")
	for name, tc := range map[string]struct {
		answers     Answers
		class       Class
		final, gone bool
		never       bool
	}{
		"pending":                      {Answers{Queue: queue(StatePending, "Priority")}, ClassPending, false, false, false},
		"never starts":                 {Answers{Queue: queue(StatePending, "PartitionTimeLimit")}, ClassPending, false, false, true},
		"packed element":               {Answers{Queue: []QueueRow{{ID: JobID{Job: 12, Array: true, Tasks: "3-5%2"}, State: StatePending, Reason: "PartitionTimeLimit"}}}, ClassPending, false, false, true},
		"other element":                {Answers{Queue: []QueueRow{{ID: JobID{Job: 12, Array: true, Tasks: "5-6"}, State: StatePending}}}, ClassEnding, false, true, false},
		"running":                      {Answers{Queue: queue(StateRunning, ""), Accounting: acct(StateRunning)}, ClassRunning, false, false, false},
		"completing":                   {Answers{Queue: queue(StateCompleting, ""), Accounting: acct(StateCompleted)}, ClassEnding, false, false, false},
		"completed in both":            {Answers{Queue: queue(StateCompleted, ""), Accounting: acct(StateCompleted)}, ClassDone, true, false, false},
		"completed, database behind":   {Answers{Queue: queue(StateCompleted, ""), Accounting: acct(StateRunning)}, ClassDone, true, false, false},
		"gone from queue, in database": {Answers{Accounting: acct(StateFailed)}, ClassFailed, true, false, false},
		"gone, not in database yet":    {Answers{}, ClassEnding, false, true, false},
		"gone, database says running":  {Answers{Accounting: acct(StateRunning)}, ClassEnding, false, true, false},
		"gone, database down":          {Answers{AccountingErr: ErrUnreachable}, ClassEnding, false, true, false},
		"gone, no accounting":          {Answers{AccountingErr: ErrNoAccounting}, ClassEnding, false, true, false},
		"both down":                    {Answers{QueueErr: down, AccountingErr: down}, ClassUnknown, false, false, false},
		"controller down, completed":   {Answers{QueueErr: down, Accounting: acct(StateCompleted)}, ClassDone, true, false, false},
		"controller down, running":     {Answers{QueueErr: down, Accounting: acct(StateRunning)}, ClassRunning, false, false, false},
		"controller down, node lost":   {Answers{QueueErr: down, Accounting: acct(StateNodeFail)}, ClassFailed, false, false, false},
		"controller down, preempted":   {Answers{QueueErr: down, Accounting: acct(StatePreempted)}, ClassFailed, false, false, false},
		"node lost, not coming back":   {Answers{Accounting: acct(StateNodeFail)}, ClassFailed, true, false, false},
		"requeued after a lost node":   {Answers{Queue: queue(StatePending, "BeginTime"), Accounting: acct(StateNodeFail)}, ClassPending, false, false, false},
		"requeue held":                 {Answers{Queue: queue(StateRequeueHold, "job requeued in held state")}, ClassHeld, false, false, false},
		"new state":                    {Answers{Queue: queue("TELEPORTING", "")}, ClassUnknown, false, false, false},
		"end without its time yet":     {Answers{Accounting: []AcctRow{{ID: id, State: StateFailed, Submit: t0}}}, ClassEnding, false, true, false},
		"stub of a running job":        {Answers{QueueErr: down, Accounting: []AcctRow{{ID: id, State: StatePending, Submit: t0, Start: t0}}}, ClassRunning, false, false, false},
		"timeout":                      {Answers{Accounting: acct(StateTimeout)}, ClassFailed, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := Resolve(id, tc.answers)
			if v.Class != tc.class || v.Final != tc.final || v.Gone != tc.gone || v.Never() != tc.never {
				t.Errorf("got class %s final %v gone %v never %v (%s)", v.Class, v.Final, v.Gone, v.Never(), v.Words)
			}
			if v.Words == "" {
				t.Error("no words")
			}
		})
	}
}

// While an array starts, the database has an element's own record beside a
// packed one that still counts it.
func TestResolvePrefersAnElementsOwnRecord(t *testing.T) {
	t0 := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	rows := []AcctRow{
		{ID: JobID{Job: 5, Array: true, Task: 4}, RawID: 12, State: StateRunning, Submit: t0},
		{ID: JobID{Job: 5, Array: true, Tasks: "4-5%2"}, RawID: 5, State: StatePending, Submit: t0},
	}
	down := Answers{QueueErr: errors.New("down"), Accounting: rows}
	if v := Resolve(JobID{Job: 5, Array: true, Task: 4}, down); v.Class != ClassRunning || v.RawID != 12 {
		t.Errorf("element 4: %+v", v)
	}
	if v := Resolve(JobID{Job: 5, Array: true, Task: 5}, down); v.Class != ClassPending {
		t.Errorf("element 5: %+v", v)
	}
}

// What Slurm 22.05 leaves of an element that was cancelled while it waited:
// nothing.
func TestResolveElementCancelledWhileItWaited(t *testing.T) {
	array := JobID{Job: 49}
	rows := []AcctRow{{ID: array.Element(1), RawID: 50, State: StateCancelled}, {ID: array.Element(2), RawID: 49, State: StateCompleted}}
	if v := Resolve(array.Element(3), Answers{Accounting: rows}); v.State != StateCancelled || !v.Final || v.Gone {
		t.Errorf("got %+v", v)
	}
	// Not while anybody may still know better.
	for name, a := range map[string]Answers{
		"controller down": {QueueErr: ErrUnreachable, Accounting: rows},
		"database down":   {AccountingErr: ErrUnreachable, Accounting: rows},
		"still counted":   {Accounting: append(rows, AcctRow{ID: JobID{Job: 49, Array: true, Tasks: "2-3%1"}, State: StatePending})},
		"another array":   {Accounting: []AcctRow{{ID: JobID{Job: 48}.Element(1), State: StateCompleted}}},
	} {
		if v := Resolve(array.Element(3), a); v.Final {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestResolveTakesTheExitFromTheLastRun(t *testing.T) {
	t0 := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	id := JobID{Job: 12}
	rows := []AcctRow{
		{ID: id, RawID: 12, State: StateNodeFail, Submit: t0, End: t0.Add(time.Minute), Exit: Exit{Code: 1}},
		{ID: id, RawID: 12, State: StateCompleted, Submit: t0.Add(2 * time.Minute), End: t0.Add(time.Hour), Elapsed: 50 * time.Minute},
		{ID: JobID{Job: 12, StepRef: "batch"}, RawID: 12, State: StateCompleted, Submit: t0.Add(2 * time.Minute)},
		{ID: JobID{Job: 13}, State: StateFailed, Submit: t0},
	}
	countRestarts(rows)
	v := Resolve(id, Answers{Accounting: rows})
	if !v.Final || v.Class != ClassDone || v.Restarts != 1 || v.Exit != (Exit{}) || len(v.Runs) != 2 || len(v.Steps) != 1 || v.Elapsed != 50*time.Minute {
		t.Errorf("got %+v", v)
	}
	if !v.Recorded {
		t.Error("the record of its end is not noticed")
	}
	if v := Resolve(id, Answers{Queue: []QueueRow{{ID: id, State: StateFailed, Submit: t0}}, AccountingErr: ErrUnreachable}); !v.Final || v.Recorded {
		t.Errorf("without the database: %+v", v)
	}
	// While the second run waits, the first one's exit is not the job's.
	v = Resolve(id, Answers{Accounting: rows[:1], Queue: []QueueRow{{ID: id, RawID: 12, State: StatePending, Reason: "BeginTime", Submit: t0.Add(2 * time.Minute)}}})
	if v.Final || v.Restarts != 1 || v.Exit != (Exit{}) || !v.End.IsZero() || v.Reason.Outlook != OutlookWaits {
		t.Errorf("got %+v", v)
	}
}

func TestCapturedQueueAndAccountingOfAnArray(t *testing.T) {
	c, _ := answering(map[string][]answer{
		"squeue": {{stdout: captured(t, "squeue-array.txt")}}, "sacct": {{stdout: captured(t, "sacct-array.txt")}}})
	queue, err := c.Queue(context.Background(), JobID{Job: 1})
	if err != nil || len(queue) != 6 {
		t.Fatalf("%d rows, %v", len(queue), err)
	}
	acct, err := c.Accounting(context.Background(), JobID{Job: 1})
	if err != nil || len(acct) != 10 {
		t.Fatalf("%d records, %v", len(acct), err)
	}
	array := JobID{Job: 1}
	if v := Resolve(array.Element(1), Answers{Queue: queue}); v.Class != ClassRunning || v.RawID != 3 || v.NodeList != "acn01" {
		t.Errorf("element 1: %+v", v)
	}
	if v := Resolve(array.Element(5), Answers{Queue: queue}); v.Class != ClassPending || v.Reason.Code != "JobArrayTaskLimit" {
		t.Errorf("element 5: %+v", v)
	}
	if v := Resolve(JobID{Job: 2}, Answers{Queue: queue}); !v.Never() || v.Reason.Remedy == "" {
		t.Errorf("job 2 can never start, but: %+v", v)
	}
	// Some seconds later, the controller having forgotten all of them.
	v := Resolve(array.Element(3), Answers{Accounting: acct})
	if !v.Final || v.Class != ClassDone || v.Elapsed != 8*time.Second || len(v.Steps) != 1 || v.Runs[0].AllocTRES.GPUs() != 1 {
		t.Errorf("element 3: %+v", v)
	}
	if v := Resolve(array.Element(5), Answers{Accounting: acct}); v.Final || !v.Gone {
		t.Errorf("element 5: %+v", v)
	}
}
