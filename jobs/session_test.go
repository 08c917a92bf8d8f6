package jobs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// recording is a scheduler that takes everything and notes what it was given.
type recording struct {
	Scheduler
	requests []slurm.SubmitRequest
	refuse   int // the number of the submit that is refused; 0 = none
}

func (r *recording) Submit(_ context.Context, q slurm.SubmitRequest) (slurm.JobID, error) {
	r.requests = append(r.requests, q)
	if len(r.requests) == r.refuse {
		return slurm.JobID{}, fmt.Errorf("sbatch: no")
	}
	return slurm.JobID{Job: uint64(100 + len(r.requests))}, nil
}

// together makes a session of runs with so many repeats.
func together(t *testing.T, g results.Grouping, repeats int, names ...string) ([]Submitter, []Entry) {
	t.Helper()
	first, e := newRun(t, g, repeats, "true")
	store := Store{Dir: filepath.Dir(string(e.Dir)), Group: -1}
	if err := os.RemoveAll(string(e.Dir)); err != nil {
		t.Fatal(err)
	}
	var subs []Submitter
	var entries []Entry
	for _, name := range names {
		dir, _, err := store.Claim(name, false)
		if err != nil {
			t.Fatal(err)
		}
		s := first
		s.Dir, s.Spec.Name, s.Spec.Job.Dir = dir, name, string(dir)
		s.Spec.Session = &results.SessionSpec{Name: "both", Runs: names, OneJob: g.Mode != results.ModeArray, Share: 0.5}
		if err := results.WriteJSON(dir.Spec(), s.Spec, 0o600); err != nil {
			t.Fatal(err)
		}
		subs, entries = append(subs, s), append(entries, Entry{Name: name, Dir: dir, Spec: s.Spec})
	}
	return subs, entries
}

func TestSessionSendsRoundByRound(t *testing.T) {
	subs, entries := together(t, array(3), 3, "a", "b")
	r := &recording{}
	for i := range subs {
		subs[i].Scheduler = r
	}
	ids, err := Session{Runs: subs}.Submit(t.Context())
	if err != nil || len(ids) != 6 {
		t.Fatalf("%v, %v", ids, err)
	}
	var got []string
	for _, q := range r.requests {
		got = append(got, fmt.Sprintf("%s%s %s", filepath.Base(q.Chdir), q.Array, q.Dependency))
	}
	want := []string{"a1 ", "b1 ", "b2 after:101:102", "a2 after:101:102", "a3 after:103:104", "b3 after:103:104"}
	if !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	// Each ledger has its own run's jobs, each repeat with its element.
	look := look(entries[1])
	for r, id := range map[int]string{1: "102_1", 2: "103_2", 3: "106_3"} {
		if j := look.jobs[r]; j.id.String() != id || !j.submitted {
			t.Errorf("repeat %d of b is job %s, want %s", r, j.id, id)
		}
	}
}

func TestSessionThatIsRefusedInTheMiddle(t *testing.T) {
	subs, entries := together(t, array(2), 2, "a", "b")
	r := &recording{refuse: 4}
	for i := range subs {
		subs[i].Scheduler = r
	}
	ids, err := Session{Runs: subs}.Submit(t.Context())
	if len(ids) != 3 || err == nil || !strings.Contains(err.Error(), "already submitted: 101, 102, 103") || !strings.Contains(err.Error(), "hpcbench resume") {
		t.Errorf("%v, %v", ids, err)
	}
	unsent, err := Unsent(entries[0].Dir, 2)
	if err != nil || !slices.Equal(unsent, []int{2}) {
		t.Errorf("unsent repeats of a: %v, %v", unsent, err)
	}
}

// In one job the runs go by turns, and each can be followed by itself.
func TestSessionInOneJob(t *testing.T) {
	subs, entries := together(t, results.Grouping{Mode: results.ModeRestart, FreshServer: true, Jobs: [][]int{{1, 2}}}, 2, "a", "b")
	script := filepath.Join(filepath.Dir(string(entries[0].Dir)), "session.sh")
	text := "#!/bin/bash\nfor n in $HPCBENCH_JOB_REPEATS; do for r in a b; do\n" +
		"mkdir -p ../$r/repeat-$n/attempt-0; echo $r$n >> ../order; echo $HPCBENCH_JOB_WALLTIME_S >> ../walltime\n" +
		`printf '{"format":"hpcbench.attempt/1","state":"complete","node":{"hostname":"n1"}}' > ../$r/repeat-$n/attempt-0/attempt.json` + "\ndone; done\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	ids, err := Session{Runs: subs, Script: script, Walltime: 5 * time.Minute}.Submit(t.Context())
	if err != nil || len(ids) != 1 {
		t.Fatalf("%v, %v", ids, err)
	}
	last, err := Wait(t.Context(), subs[0].Scheduler, entries, time.Second, func([]RunStatus) {})
	if err != nil || last[0].Complete() != 2 || last[1].Complete() != 2 || last[1].Repeats[0].JobID != ids[0].String() {
		t.Errorf("%+v, %v", last, err)
	}
	order, err := os.ReadFile(filepath.Join(filepath.Dir(script), "order"))
	if got := strings.Join(strings.Fields(string(order)), " "); err != nil || got != "a1 b1 a2 b2" {
		t.Errorf("order %q, %v", got, err)
	}
	if b, err := os.ReadFile(filepath.Join(filepath.Dir(script), "walltime")); err != nil || !strings.HasPrefix(string(b), "300\n") {
		t.Errorf("the job was told a walltime of %q, %v", b, err)
	}
	spent, err := Accounting(t.Context(), subs[1].Scheduler, entries[1].Dir)
	if err != nil || len(spent) != 1 {
		t.Fatalf("%v, %v", spent, err)
	}
	for _, s := range spent {
		if part := entries[1].Spec.Session.Part(s.Name); part != 0.5 {
			t.Errorf("of job %s %g is b's", s.Name, part)
		}
	}
	// A job of its own is a run's alone, and doesn't go into the others' ledgers.
	if part := entries[1].Spec.Session.Part("hpcbench-b-0011aabb"); part != 1 {
		t.Errorf("of its own job %g is b's", part)
	}
	own := results.LedgerEntry{Event: results.LedgerIntent, JobName: "hpcbench-a-0011aabb", Repeats: []int{2}}
	if err := OpenLedger(entries[0].Dir).Add(own); err != nil {
		t.Fatal(err)
	}
	if err := MirrorSession(entries[0].Dir, entries[1].Dir, *entries[0].Spec.Session); err != nil {
		t.Fatal(err)
	}
	all, err := OpenLedger(entries[1].Dir).Read()
	if err != nil || len(all) != 2 {
		t.Errorf("ledger of b: %+v, %v", all, err)
	}
}

// A submitter that was killed before it wrote into the second ledger leaves no repeat
// that would be sent twice.
func TestSessionWhoseSecondLedgerIsEmpty(t *testing.T) {
	subs, entries := together(t, results.Grouping{Mode: results.ModeRestart, FreshServer: true, Jobs: [][]int{{1}}}, 1, "a", "b")
	script := filepath.Join(filepath.Dir(string(entries[0].Dir)), "session.sh")
	if err := os.WriteFile(script, []byte("#!/bin/bash\nexec sleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ids, err := Session{Runs: subs, Script: script, Walltime: 5 * time.Minute}.Submit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(entries[1].Dir.Ledger()); err != nil {
		t.Fatal(err)
	}
	s := Status(t.Context(), subs[1].Scheduler, entries[1:])[0]
	if _, err := Redo(s); err == nil || s.Repeats[0].JobID != ids[0].String() {
		t.Errorf("resuming b would send it again: %+v", s)
	}
	// Cancelling one ends the job, and both know by whose hand.
	if _, err := Cancel(t.Context(), subs[1].Scheduler, entries[1], time.Now()); err != nil {
		t.Fatal(err)
	}
	last, err := Wait(t.Context(), subs[0].Scheduler, entries, time.Second, func([]RunStatus) {})
	if err != nil || last[0].Repeats[0].Phase != PhaseCancelled || last[1].Repeats[0].Phase != PhaseCancelled {
		t.Errorf("%+v, %v", last, err)
	}
}
