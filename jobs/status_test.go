package jobs

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

func TestJudge(t *testing.T) {
	id := slurm.JobID{Job: 7}
	sent := repeatJob{id: id, submitted: true}
	queue := func(state slurm.State, reason string) slurm.Answers {
		return slurm.Answers{Queue: []slurm.QueueRow{{ID: id, RawID: 7, State: state, Reason: reason}}}
	}
	acct := func(state slurm.State) slurm.Answers {
		return slurm.Answers{Accounting: []slurm.AcctRow{{ID: id, RawID: 7, State: state, Latest: true, End: time.Now()}}}
	}
	running := onDisk{attempts: 1, last: &results.Attempt{State: results.StateRunning}, progress: &results.Progress{Phase: "step", Step: "constant@5.00req/s", StepCount: 3}}
	finished, earlier := running, running
	lively := &results.Progress{UpdatedAt: time.Now(), Phase: "step", Step: "constant@5.00req/s", StepCount: 3}
	finished.last = &results.Attempt{State: results.StateInterrupted, EndedAt: time.Now()}
	earlier.last = &results.Attempt{State: results.StateFailed, Slurm: &results.SlurmFacts{JobID: "6"}, Failure: &results.Failure{Words: "no memory"}}
	for name, c := range map[string]struct {
		d     onDisk
		j     repeatJob
		a     slurm.Answers
		phase string
		words string
	}{
		"never sent":                  {onDisk{}, repeatJob{}, slurm.Answers{}, PhaseNotSubmitted, "not submitted"},
		"answer lost":                 {onDisk{}, repeatJob{open: true}, slurm.Answers{}, PhaseUnclear, "no answer"},
		"waiting":                     {onDisk{}, sent, queue(slurm.StatePending, "Priority"), PhasePending, "pending"},
		"requeued":                    {running, sent, queue(slurm.StateRequeued, ""), PhasePending, ""},
		"working":                     {running, sent, queue(slurm.StateRunning, ""), PhaseRunning, "step 1/3 constant@5.00req/s"},
		"completing":                  {running, sent, queue(slurm.StateCompleting, ""), PhaseUnclear, ""},
		"gone, not yet in sacct":      {running, sent, slurm.Answers{}, PhaseUnclear, "left the queue"},
		"controller down":             {running, sent, slurm.Answers{QueueErr: slurm.ErrUnreachable, AccountingErr: slurm.ErrUnreachable}, PhaseUnclear, "cannot be asked"},
		"gone, but its files say how": {finished, sent, slurm.Answers{AccountingErr: slurm.ErrUnreachable}, PhaseInterrupted, "left the queue"},
		"gone, no accounting here":    {running, sent, slurm.Answers{AccountingErr: slurm.ErrNoAccounting}, PhaseInterrupted, "keeps no accounting"},
		"complete but invalid":        {onDisk{complete: true, invalid: "no tokens"}, sent, acct(slurm.StateFailed), PhaseComplete, "INVALID: no tokens"},
		"invalid, and run again":      {onDisk{complete: true, invalid: "no tokens"}, sent, queue(slurm.StateRunning, ""), PhaseRunning, "hasn't begun"},
		"an earlier job's attempt":    {earlier, sent, queue(slurm.StateRunning, ""), PhaseRunning, "hasn't begun"},
		"died before it began again":  {earlier, sent, acct(slurm.StateFailed), PhaseFailed, "before this repeat began"},
		"controller down, but it works": {onDisk{last: running.last, progress: lively}, sent, slurm.Answers{QueueErr: slurm.ErrUnreachable, AccountingErr: slurm.ErrUnreachable},
			PhaseRunning, "step 1/3 constant@5.00req/s; the controller cannot be asked"},
		"node lost":                 {running, sent, acct(slurm.StateNodeFail), PhaseInterrupted, "node was lost"},
		"walltime":                  {running, sent, acct(slurm.StateTimeout), PhaseInterrupted, "time limit"},
		"out of memory":             {onDisk{}, sent, acct(slurm.StateOutOfMemory), PhaseFailed, "before this repeat began"},
		"preempted, and not again":  {running, sent, acct(slurm.StatePreempted), PhaseInterrupted, "higher priority"},
		"its deadline":              {onDisk{}, sent, acct(slurm.StateDeadline), PhaseFailed, "deadline"},
		"nodes that didn't boot":    {onDisk{}, sent, acct(slurm.StateBootFail), PhaseFailed, "did not boot"},
		"revoked":                   {onDisk{}, sent, acct(slurm.StateRevoked), PhaseCancelled, "another cluster"},
		"suspended":                 {running, sent, queue(slurm.StateSuspended, ""), PhaseRunning, "does not run"},
		"nodes are made ready":      {onDisk{}, sent, queue(slurm.StateConfiguring, ""), PhaseRunning, "waits for them"},
		"held after a requeue":      {running, sent, queue(slurm.StateRequeueHold, ""), PhasePending, "scontrol release"},
		"out of memory in a step":   {running, sent, acct(slurm.StateOutOfMemory), PhaseInterrupted, "more memory"},
		"cancelled by hand":         {running, sent, acct(slurm.StateCancelled), PhaseCancelled, ""},
		"complete beats everything": {onDisk{complete: true}, sent, acct(slurm.StateFailed), PhaseComplete, "complete"},
		"classified": {onDisk{last: &results.Attempt{State: results.StateFailed, Failure: &results.Failure{Words: "no memory", Remedy: "more GPUs"}}}, sent,
			acct(slurm.StateFailed), PhaseFailed, "no memory; more GPUs"},
		"by hand":         {onDisk{last: running.last, progress: lively}, repeatJob{}, slurm.Answers{}, PhaseRunning, "step 1/3"},
		"by hand, killed": {running, repeatJob{}, slurm.Answers{}, PhaseInterrupted, "nothing was heard"},
	} {
		t.Run(name, func(t *testing.T) {
			got := judge(1, c.d, c.j, c.a)
			if got.Phase != c.phase || !strings.Contains(got.Words, c.words) {
				t.Errorf("got %s: %s", got.Phase, got.Words)
			}
		})
	}
	never := judge(1, onDisk{}, sent, queue(slurm.StatePending, "PartitionTimeLimit"))
	if !never.Never {
		t.Errorf("a job over the partition's limit is waited for: %+v", never)
	}
}

// The job ends between the look at its files and the question to Slurm.
func TestARepeatThatEndsWhileStatusAsks(t *testing.T) {
	sub, e := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1}}}, 1, "true")
	if _, err := sub.Submit(t.Context(), []int{1}); err != nil {
		t.Fatal(err)
	}
	late := ending{sub.Scheduler, func() {
		dir := e.Dir.Attempt(1, 0)
		if err := os.MkdirAll(string(dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := results.WriteJSON(dir.Attempt(), results.Attempt{Format: results.FormatAttempt, State: results.StateComplete}, 0o600); err != nil {
			t.Fatal(err)
		}
	}}
	if s := Status(t.Context(), late, []Entry{e})[0]; s.Repeats[0].Phase != PhaseComplete {
		t.Errorf("got %+v", s.Repeats[0])
	}
}

// ending answers that the job has ended, after its last word.
type ending struct {
	Scheduler
	last func()
}

func (s ending) Queue(_ context.Context, ids ...slurm.JobID) ([]slurm.QueueRow, error) {
	s.last()
	return []slurm.QueueRow{{ID: ids[0], RawID: ids[0].Job, State: slurm.StateCompleted}}, nil
}

func TestGoneForLongIsOver(t *testing.T) {
	runs := []RunStatus{{Name: "night", Repeats: []RepeatStatus{{Index: 1, Phase: PhaseUnclear, Gone: true, Words: "left the queue"}}}}
	g, now := gone{}, time.Now()
	if g.settle(runs, now); runs[0].Over() {
		t.Error("over at once")
	}
	if g.settle(runs, now.Add(goneFor)); !runs[0].Over() || !strings.Contains(runs[0].Repeats[0].Words, "10m0s") {
		t.Errorf("got %+v", runs[0])
	}
}

func TestRedo(t *testing.T) {
	s := RunStatus{Name: "night", Repeats: []RepeatStatus{
		{Index: 1, Phase: PhaseComplete}, {Index: 2, Phase: PhaseComplete, Invalid: "no tokens"}, {Index: 3, Phase: PhaseUnclear, JobID: "7", Gone: true}, {Index: 4, Phase: PhaseCancelled},
	}}
	if got, err := Redo(s); err != nil || !slices.Equal(got, []int{2, 3, 4}) {
		t.Errorf("got %v, %v", got, err)
	}
	s.Repeats = append(s.Repeats, RepeatStatus{Index: 5, Phase: PhaseUnclear, JobID: "7"})
	if _, err := Redo(s); err == nil || !strings.Contains(err.Error(), "repeat 5 is unclear") {
		t.Errorf("got %v", err)
	}
}

// counting answers nothing and counts the questions.
type counting struct {
	Scheduler
	queue, accounting int
}

func (c *counting) Queue(context.Context, ...slurm.JobID) ([]slurm.QueueRow, error) {
	c.queue++
	return nil, nil
}

func (c *counting) Accounting(context.Context, ...slurm.JobID) ([]slurm.AcctRow, error) {
	c.accounting++
	return nil, errors.New("slurmdbd is down")
}

func TestStatusOf200RunsAsksTwice(t *testing.T) {
	s := newStore(t)
	for i := range 200 {
		dir, name, err := s.Claim("run", true)
		if err != nil {
			t.Fatal(err)
		}
		spec := results.Spec{Format: results.FormatSpec, Name: name, Repeats: 5, Grouping: array(5)}
		if err := results.WriteJSON(dir.Spec(), spec, 0o600); err != nil {
			t.Fatal(err)
		}
		e := results.LedgerEntry{Event: results.LedgerSubmitted, JobName: "hb", JobID: slurm.JobID{Job: uint64(i + 1)}.String(), Array: "1-5", Repeats: []int{1, 2, 3, 4, 5}}
		if err := OpenLedger(dir).Add(e); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	sched := &counting{}
	runs := Status(t.Context(), sched, entries)
	if len(runs) != 200 || sched.queue != 1 || sched.accounting != 1 {
		t.Errorf("%d runs, %d questions to the queue, %d to the accounting", len(runs), sched.queue, sched.accounting)
	}
	if runs[0].Over() {
		t.Error("a database that is down ended a run")
	}
}

func BenchmarkStatus200Runs(b *testing.B) {
	s := Store{Dir: b.TempDir(), Group: -1}
	for range 200 {
		dir, name, err := s.Claim("run", true)
		if err != nil {
			b.Fatal(err)
		}
		if err := results.WriteJSON(dir.Spec(), results.Spec{Format: results.FormatSpec, Name: name, Repeats: 5, Grouping: array(5)}, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		entries, err := s.List()
		if err != nil {
			b.Fatal(err)
		}
		Status(b.Context(), &counting{}, entries)
	}
}
