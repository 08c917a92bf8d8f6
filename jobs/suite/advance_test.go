package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/jobs"
)

func TestANightOfTwoEntries(t *testing.T) {
	b := newBench(t, "small", "large")
	s := b.finish()
	for i, name := range []string{"small", "large"} {
		e := s.Entries[i]
		if e.Entry != name || e.Phase != PhaseDecided || e.Judgement.State != "green" || e.Run != name {
			t.Errorf("%+v", e)
		}
		b.wantRan(name, "1", "2", "3")
	}
	if n := len(b.shown); n != 2 {
		t.Errorf("judged %d times", n)
	}
	// Called again it does nothing and answers the same.
	before := b.events(EventSubmitted)
	if again := b.advance(); !again.Over() || b.events(EventSubmitted) != before || len(b.shown) != 2 {
		t.Errorf("once more: %+v", again)
	}
	// Seconds were spent of the 4 GPU-hours reserved, and the accounting says so a moment later.
	for end := time.Now().Add(10 * time.Second); b.advance().GPUHours > 0.1; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%g GPU-hours", b.advance().GPUHours)
		}
	}
}

// The judge asks for 5 pairs, then for 10, and then decides.
func TestPairsAreRunUntilItIsDecided(t *testing.T) {
	b := newBench(t, "model")
	b.judge = func(s Seen) (Judgement, error) {
		switch len(s.Looks) {
		case 0:
			return Judgement{State: "needs pairs", Pairs: 5}, nil
		case 1:
			return Judgement{State: "needs pairs", Pairs: 10}, nil
		}
		return Judgement{State: "red", Reason: "slower"}, nil
	}
	s := b.finish()
	e := s.Entries[0]
	if e.Phase != PhaseDecided || e.Judgement.State != "red" || fmt.Sprint(e.Pairs) != "[model-p1-new model-p2-new]" {
		t.Errorf("%+v", e)
	}
	for _, run := range []string{"model-p1-new", "model-p1-base", "model-p2-new", "model-p2-base"} {
		b.wantRan(run, "1", "2", "3", "4", "5")
	}
	last := b.shown[len(b.shown)-1]
	if len(last.Looks) != 2 || last.Looks[1].Base == nil || last.Looks[1].Base.Name != "model-p2-base" {
		t.Errorf("the judge was shown %+v", last)
	}
	// The shared job is in the ledgers of both sides.
	for _, run := range []string{"model-p1-new", "model-p1-base"} {
		e, _, err := b.entry(run)
		if err != nil {
			t.Fatal(err)
		}
		if unsent, err := jobs.Unsent(e.Dir, 5); err != nil || len(unsent) != 0 {
			t.Errorf("%s: not in the ledger: %v, %v", run, unsent, err)
		}
	}
}

// Whatever the moment at which a call is ended, the calls after it submit nothing twice
// and bring the night to its end.
func TestEndedAtAnyMoment(t *testing.T) {
	b := newBench(t, "model")
	b.judge = func(s Seen) (Judgement, error) {
		if len(s.Looks) == 0 {
			return Judgement{State: "needs pairs", Pairs: 3}, nil
		}
		return Judgement{State: "green"}, nil
	}
	dead := errors.New("killed here")
	healthy := b.machine
	spoilt := []func(*Machine){
		func(m *Machine) { // after the run was resolved
			m.Resolve = func(ctx context.Context, p Part) (Draft, error) {
				d, err := b.resolve(ctx, p)
				d.Publish = func() (Made, error) { return Made{}, dead }
				return d, err
			}
		},
		func(m *Machine) { // after its folder was there
			m.Resolve = func(ctx context.Context, p Part) (Draft, error) {
				d, err := b.resolve(ctx, p)
				publish := d.Publish
				d.Publish = func() (Made, error) { _, err := publish(); return Made{}, errors.Join(err, dead) }
				return d, err
			}
		},
		func(m *Machine) { // before anything was sent
			m.Submitter = func(Made) (jobs.Submitter, error) { return jobs.Submitter{}, dead }
		},
		func(m *Machine) { // after it was sent
			m.Status = func(context.Context, []jobs.Entry) ([]jobs.RunStatus, error) { return nil, dead }
		},
		func(m *Machine) { // when it was to be judged
			m.Judge = func(context.Context, Seen) (Judgement, error) { return Judgement{}, dead }
		},
	}
	for end := time.Now().Add(30 * time.Second); ; {
		for _, spoil := range spoilt {
			m := healthy
			spoil(&m)
			if _, err := m.Advance(t.Context()); err != nil && !errors.Is(err, dead) {
				t.Fatal(err)
			}
		}
		b.machine = healthy
		if s := b.advance(); s.Over() {
			if s.Entries[0].Judgement.State != "green" {
				t.Errorf("%+v", s)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatal("the night doesn't end")
		}
	}
	b.wantRan("model", "1", "2", "3")
	b.wantRan("model-p1-new", "1", "2", "3")
	b.wantRan("model-p1-base", "1", "2", "3")
}

// Several login nodes at one time: one of them sends.
func TestManyCallersSendOnce(t *testing.T) {
	b := newBench(t, "small", "large")
	b.judge = func(s Seen) (Judgement, error) {
		if len(s.Looks) == 0 {
			return Judgement{State: "needs pairs", Pairs: 3}, nil
		}
		return Judgement{State: "green"}, nil
	}
	done := make(chan error)
	callers := 5
	for range callers {
		m := b.machine
		go func() {
			_, err := m.Run(t.Context(), time.Second, func(State) {})
			done <- err
		}()
	}
	for range callers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, run := range []string{"small", "large", "small-p1-new", "small-p1-base", "large-p1-new", "large-p1-base"} {
		b.wantRan(run, "1", "2", "3")
	}
}

func TestTroubleIsLookedAtAgain(t *testing.T) {
	b := newBench(t, "model")
	b.script = "exit 1\n"
	s := b.finish()
	e := s.Entries[0]
	if e.Phase != PhaseTrouble || !strings.Contains(e.Words, "0 of 3 repeats are complete, 3 are needed") || !strings.Contains(e.Words, "hpcbench resume model") {
		t.Fatalf("%+v", e)
	}
	if b.advance(); b.events(EventTrouble) != 1 {
		t.Errorf("the same trouble was written %d times", b.events(EventTrouble))
	}
	// Somebody mends it: here by hand, else with hpcbench resume.
	run, _, err := b.entry("model")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(run.Dir.Script(), []byte("#!/bin/bash\n"+complete), 0o700); err != nil {
		t.Fatal(err)
	}
	sub, err := b.machine.Submitter(Made{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sub.Submit(t.Context(), []int{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if s := b.finish(); s.Entries[0].Phase != PhaseDecided {
		t.Errorf("%+v", s)
	}
}

func TestInvalidIsJudgedAgain(t *testing.T) {
	b := newBench(t, "model")
	answer := Judgement{State: "invalid", Reason: "a foreign server", Again: true}
	b.judge = func(Seen) (Judgement, error) { return answer, nil }
	b.finish()
	b.advance()
	if n := b.events(EventJudged); n != 1 {
		t.Errorf("the same judgement was written %d times", n)
	}
	answer = Judgement{State: "green"}
	if s := b.finish(); s.Entries[0].Judgement.State != "green" || b.events(EventJudged) != 2 {
		t.Errorf("%+v", s)
	}
	seen := len(b.shown)
	if b.advance(); len(b.shown) != seen {
		t.Error("what was decided was judged again")
	}
}

func TestARefusedSubmitIsTriedAgain(t *testing.T) {
	b := newBench(t, "model")
	healthy := b.machine
	b.machine.Submitter = func(m Made) (jobs.Submitter, error) {
		s, err := healthy.Submitter(m)
		s.Script = filepath.Join(b.store.Dir, "not-there.sh")
		return s, err
	}
	s := b.advance()
	if s.Entries[0].Phase != PhaseTrouble || !strings.Contains(s.Entries[0].Words, "not-there.sh") {
		t.Fatalf("%+v", s)
	}
	b.machine = healthy
	if s := b.finish(); s.Entries[0].Phase != PhaseDecided {
		t.Errorf("%+v", s)
	}
	b.wantRan("model", "1", "2", "3")
}

// A claim whose owner was killed before it sent anything is followed by another's.
func TestALapsedClaimIsFollowed(t *testing.T) {
	b := newBench(t, "model")
	left := filepath.Join(b.machine.Dir, "claims", "model.run.1")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if s := b.advance(); s.Entries[0].Phase != PhaseWaiting || len(b.ran("model")) != 0 {
		t.Errorf("a fresh claim of somebody else's: %+v", s)
	}
	old := time.Now().Add(-2 * claimFor)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	b.finish()
	b.wantRan("model", "1", "2", "3")
}

func TestAJudgeThatAsksForNothingNew(t *testing.T) {
	b := newBench(t, "model")
	b.judge = func(Seen) (Judgement, error) { return Judgement{State: "needs pairs", Pairs: 3}, nil }
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := b.machine.Advance(t.Context()); err != nil {
			if !strings.Contains(err.Error(), "asks for 3 pairs where there are 3") {
				t.Error(err)
			}
			return
		}
	}
	t.Error("it went on for ever")
}

// A pair that failed is for the judge to leave out; a job without any is trouble.
func TestPairsThatFail(t *testing.T) {
	for fails, want := range map[string]string{
		`[ "$n" != 2 ] || continue`: PhaseDecided,
		"exit 1":                    PhaseTrouble,
	} {
		b := newBench(t, "model")
		b.judge = func(s Seen) (Judgement, error) {
			if len(s.Looks) == 0 {
				b.script = strings.Replace(complete, "mkdir", fails+"\n  mkdir", 1)
				return Judgement{State: "needs pairs", Pairs: 3}, nil
			}
			return Judgement{State: "green"}, nil
		}
		e := b.finish().Entries[0]
		if e.Phase != want || want == PhaseTrouble && !strings.Contains(e.Words, "not one of 3 pairs is complete") {
			t.Errorf("with %q: %+v", fails, e)
		}
	}
}
