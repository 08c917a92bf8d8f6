package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
	"hpcbench/slurm"
	"hpcbench/slurm/local"
)

// The test binary supervises local jobs, as hpcbench does.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "supervise" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := local.Supervise(ctx, os.Args[2]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// newRun makes a run whose script writes which repeats it was told.
func newRun(t *testing.T, g results.Grouping, repeats int, script string) (Submitter, Entry) {
	t.Helper()
	s := newStore(t)
	dir, name, err := s.Claim("night", false)
	if err != nil {
		t.Fatal(err)
	}
	spec := results.Spec{Format: results.FormatSpec, Name: name, Repeats: repeats, Grouping: g, CreatedAt: time.Now().UTC()}
	spec.Job.Dir, spec.Job.WalltimeS = string(dir), 60
	if err := results.WriteJSON(dir.Spec(), spec, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.Script(), []byte("#!/bin/bash\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sched := local.Scheduler{State: filepath.Join(s.Dir, ".jobs"), Supervise: []string{self, "supervise"}}
	t.Cleanup(func() { time.Sleep(50 * time.Millisecond) }) // the supervisor's last write
	return Submitter{Scheduler: sched, Dir: dir, Spec: spec, Now: time.Now, FindFor: 3 * time.Second, OrphanAge: 2 * time.Second}, Entry{Name: name, Dir: dir, Spec: spec}
}

func array(n int) results.Grouping {
	g := results.Grouping{Mode: results.ModeArray, FreshServer: true}
	for i := 1; i <= n; i++ {
		g.Jobs = append(g.Jobs, []int{i})
	}
	return g
}

func TestBatches(t *testing.T) {
	throttled := array(5)
	throttled.MaxAtOnce = 2
	chain := results.Grouping{Mode: results.ModeChain, Chained: true, Jobs: [][]int{{1, 2, 3}, {4, 5}}}
	for name, c := range map[string]struct {
		g      results.Grouping
		wanted []int
		want   []batch
	}{
		"array":          {array(5), []int{1, 2, 3, 4, 5}, []batch{{-1, []int{1, 2, 3, 4, 5}, "1-5", false, ""}}},
		"resumed array":  {throttled, []int{1, 3, 4, 5}, []batch{{-1, []int{1, 3, 4, 5}, "1,3-5%2", false, ""}}},
		"chain":          {chain, []int{1, 2, 3, 4, 5}, []batch{{0, []int{1, 2, 3}, "", false, ""}, {1, []int{4, 5}, "", true, ""}}},
		"resumed chain":  {chain, []int{5}, []batch{{1, []int{5}, "", false, ""}}},
		"restart":        {results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1, 2}}}, []int{2}, []batch{{0, []int{2}, "", false, ""}}},
		"nothing wanted": {results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1, 2}}}, nil, nil},
	} {
		if d := cmp.Diff(c.want, batches(c.g, c.wanted), cmp.AllowUnexported(batch{})); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestSubmitTellsRepeatsAndIsFollowed(t *testing.T) {
	// The script stands for hpcbench repeat: it leaves a complete attempt for each repeat it was told.
	script := `for n in $HPCBENCH_JOB_REPEATS; do
  mkdir -p repeat-$n/attempt-0
  printf '{"format":"hpcbench.attempt/1","state":"%s","node":{"hostname":"n1"}}' "$([ $n = 2 ] && echo failed || echo complete)" > repeat-$n/attempt-0/attempt.json
done`
	sub, e := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1, 2, 3}}}, 3, script)
	ids, err := sub.Submit(t.Context(), []int{1, 2, 3})
	if err != nil || len(ids) != 1 {
		t.Fatalf("%v, %v", ids, err)
	}
	seen := 0
	runs, err := Wait(t.Context(), sub.Scheduler, []Entry{e}, time.Second, func([]RunStatus) { seen++ })
	if err != nil {
		t.Fatal(err)
	}
	r := runs[0]
	if r.Complete() != 2 || !cmp.Equal(r.Missing(), []int{2}) || seen == 0 {
		t.Errorf("got %+v", r)
	}
	if r.Repeats[1].Phase != PhaseFailed {
		t.Errorf("repeat 2 is %+v", r.Repeats[1])
	}
}

// lossy loses sbatch's answers: before or after the job was made.
type lossy struct {
	Scheduler
	make    bool
	submits int
}

func (l *lossy) Submit(ctx context.Context, r slurm.SubmitRequest) (slurm.JobID, error) {
	l.submits++
	if l.make {
		if _, err := l.Scheduler.Submit(ctx, r); err != nil {
			return slurm.JobID{}, err
		}
	}
	return slurm.JobID{}, fmt.Errorf("%w: Socket timed out on send/recv operation", slurm.ErrLost)
}

func TestALostAnswerNeverMakesASecondJob(t *testing.T) {
	sub, e := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1}}}, 1, "sleep 0.2")
	l := &lossy{Scheduler: sub.Scheduler, make: true}
	sub.Scheduler = l
	ids, err := sub.Submit(t.Context(), []int{1})
	if err != nil || len(ids) != 1 || l.submits != 1 {
		t.Fatalf("got %v, %v after %d submits", ids, err, l.submits)
	}
	entries, err := OpenLedger(e.Dir).Read()
	if err != nil || entries[len(entries)-1].Event != results.LedgerFound {
		t.Errorf("the ledger says %+v, %v", entries, err)
	}
}

func TestALostAnswerThatStaysLost(t *testing.T) {
	sub, e := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1}}}, 1, "true")
	real := sub.Scheduler
	l := &lossy{Scheduler: real}
	sub.Scheduler, sub.FindFor = l, 1500*time.Millisecond
	_, err := sub.Submit(t.Context(), []int{1})
	if !errors.Is(err, slurm.ErrLost) || !strings.Contains(err.Error(), "hpcbench resume night") {
		t.Fatalf("got %v", err)
	}
	if s := Status(t.Context(), real, []Entry{e})[0]; s.Repeats[0].Phase != PhaseUnclear {
		t.Errorf("the repeat is %+v", s.Repeats[0])
	}
	// The next submit looks first, finds nothing, and only then sends.
	sub.Scheduler = real
	ids, err := sub.Submit(t.Context(), []int{1})
	if err != nil || len(ids) != 1 {
		t.Fatalf("got %v, %v", ids, err)
	}
}

// killedSubmit is a run whose submit was killed between the intent and the answer; with made the job exists.
func killedSubmit(t *testing.T, made bool) (Submitter, Entry) {
	t.Helper()
	sub, e := newRun(t, results.Grouping{Mode: results.ModeChain, Chained: true, Jobs: [][]int{{1}, {2}}}, 2, "sleep 0.3")
	name, err := UniqueName("night")
	if err != nil {
		t.Fatal(err)
	}
	if err := OpenLedger(e.Dir).Add(results.LedgerEntry{At: time.Now().UTC(), Event: results.LedgerIntent, JobName: name, Repeats: []int{1}}); err != nil {
		t.Fatal(err)
	}
	if made {
		if _, err := sub.Scheduler.Submit(t.Context(), slurm.SubmitRequest{Script: e.Dir.Script(), JobName: name, Chdir: string(e.Dir)}); err != nil {
			t.Fatal(err)
		}
	}
	return sub, e
}

func TestAfterAKilledSubmitNoRepeatIsSentTwice(t *testing.T) {
	sub, e := killedSubmit(t, true)
	ids, err := sub.Submit(t.Context(), []int{1, 2})
	if err != nil || len(ids) != 1 {
		t.Fatalf("got %v, %v", ids, err)
	}
	entries, err := OpenLedger(e.Dir).Read()
	if err != nil {
		t.Fatal(err)
	}
	subs := Submissions(entries)
	if len(subs) != 2 || subs[0].Event != results.LedgerFound || subs[0].JobID != "1" || !cmp.Equal(subs[1].Repeats, []int{2}) {
		t.Errorf("got %+v", subs)
	}
}

// The sbatch of a killed submit may still be waiting for the controller: that there is no job is said late.
func TestAYoungSubmitWithoutAnswerIsWaitedFor(t *testing.T) {
	sub, e := killedSubmit(t, false)
	var said []string
	sub.Say = func(words string) { said = append(said, words) }
	begun := time.Now()
	if err := sub.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took < sub.OrphanAge-500*time.Millisecond || len(said) != 1 {
		t.Errorf("settled after %s, said %q", took, said)
	}
	if wanted, err := Redo(Status(t.Context(), sub.Scheduler, []Entry{e})[0]); err != nil || !cmp.Equal(wanted, []int{1, 2}) {
		t.Errorf("resume would send %v, %v", wanted, err)
	}
}

// slow keeps every sbatch waiting until the test lets it go.
type slow struct {
	Scheduler
	sent, release chan struct{}
}

func (s slow) Submit(ctx context.Context, r slurm.SubmitRequest) (slurm.JobID, error) {
	s.sent <- struct{}{}
	<-s.release
	return s.Scheduler.Submit(ctx, r)
}

func TestTwoSubmitsAtOnceMakeOneJob(t *testing.T) {
	sub, e := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1}}}, 1, "sleep 0.3")
	other := sub
	other.OrphanAge = time.Nanosecond // as if it had looked before the other wrote its intent
	held := slow{sub.Scheduler, make(chan struct{}), make(chan struct{})}
	sub.Scheduler = held
	answer := make(chan error)
	go func() {
		_, err := sub.Submit(t.Context(), []int{1})
		answer <- err
	}()
	<-held.sent
	_, err := other.send(t.Context(), OpenLedger(e.Dir), batch{group: 0, repeats: []int{1}}, nil)
	if !errors.Is(err, ErrUnderway) {
		t.Errorf("the second says %v", err)
	}
	close(held.release)
	if err := <-answer; err != nil {
		t.Error(err)
	}
	s := Status(t.Context(), other.Scheduler, []Entry{e})[0]
	if s.Repeats[0].JobID != "1" {
		t.Errorf("the repeat is %+v", s.Repeats[0])
	}
	if _, err := Wait(t.Context(), other.Scheduler, []Entry{e}, time.Second, func([]RunStatus) {}); err != nil {
		t.Error(err)
	}
}

func TestRefusedSubmitSaysItsWords(t *testing.T) {
	sub, e := newRun(t, array(2), 2, "true")
	sub.Scheduler = refusing{sub.Scheduler}
	_, err := sub.Submit(t.Context(), []int{1, 2})
	if err == nil || !strings.Contains(err.Error(), "Invalid account") {
		t.Fatalf("got %v", err)
	}
	if s := Status(t.Context(), sub.Scheduler, []Entry{e})[0]; s.Repeats[0].Phase != PhaseNotSubmitted || !strings.Contains(s.Repeats[0].Words, "Invalid account") {
		t.Errorf("got %+v", s.Repeats[0])
	}
}

type refusing struct{ Scheduler }

func (refusing) Submit(context.Context, slurm.SubmitRequest) (slurm.JobID, error) {
	return slurm.JobID{}, errors.New("sbatch: Invalid account or account/partition combination specified")
}

func TestCancelTouchesOnlyOurOwn(t *testing.T) {
	sub, e := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1}}}, 1, "sleep 60")
	ids, err := sub.Submit(t.Context(), []int{1})
	if err != nil {
		t.Fatal(err)
	}
	// The ledger's id now belongs to somebody else's job.
	foreign := OpenLedger(results.RunDir(t.TempDir()))
	if err := foreign.Add(results.LedgerEntry{Event: results.LedgerSubmitted, JobName: "hpcbench-other-1234", JobID: ids[0].String(), Repeats: []int{1}}); err != nil {
		t.Fatal(err)
	}
	other := e
	other.Dir = results.RunDir(filepath.Dir(foreign.path))
	if got, err := Cancel(t.Context(), sub.Scheduler, other, time.Now()); err == nil || len(got) != 0 || !strings.Contains(err.Error(), "aren't ours") {
		t.Errorf("cancelled %v, %v", got, err)
	}
	got, err := Cancel(t.Context(), sub.Scheduler, e, time.Now())
	if err != nil || !cmp.Equal(got, ids) {
		t.Fatalf("cancelled %v, %v", got, err)
	}
	runs, err := Wait(t.Context(), sub.Scheduler, []Entry{e}, time.Second, func([]RunStatus) {})
	if err != nil || runs[0].Repeats[0].Phase != PhaseCancelled {
		t.Errorf("got %+v, %v", runs, err)
	}
}

// full is a disk that takes the intent and nothing more.
type full struct {
	Scheduler
	ledger string
}

func (f full) Submit(ctx context.Context, r slurm.SubmitRequest) (slurm.JobID, error) {
	id, err := f.Scheduler.Submit(ctx, r)
	return id, errors.Join(err, os.Remove(f.ledger), os.Mkdir(f.ledger, 0o700))
}

// Whoever removes the run folder of a submit that failed must know that a job was made.
func TestAJobThatCouldNotBeWrittenDownIsAnswered(t *testing.T) {
	sub, e := newRun(t, results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1}}}, 1, "true")
	sub.Scheduler = full{sub.Scheduler, e.Dir.Ledger()}
	ids, err := sub.Submit(t.Context(), []int{1})
	if err == nil || len(ids) != 1 || !strings.Contains(err.Error(), "already submitted: 1") {
		t.Errorf("got %v, %v", ids, err)
	}
}
