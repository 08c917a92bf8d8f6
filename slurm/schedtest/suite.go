// Package schedtest is one test suite for everything that runs batch scripts:
// package slurm on the real test cluster and package local with processes of
// this machine must give the same answers to the same questions.
package schedtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hpcbench/slurm"
)

// Backend is what a submitter needs.
type Backend interface {
	Submit(ctx context.Context, r slurm.SubmitRequest) (slurm.JobID, error)
	FindByName(ctx context.Context, name string, since time.Time) ([]slurm.JobID, error)
	Queue(ctx context.Context, ids ...slurm.JobID) ([]slurm.QueueRow, error)
	Accounting(ctx context.Context, ids ...slurm.JobID) ([]slurm.AcctRow, error)
	Cancel(ctx context.Context, ids ...slurm.JobID) error
	Job(ctx context.Context, id slurm.JobID) ([]slurm.Job, error)
}

// Bench is a back end with what differs between the two.
type Bench struct {
	// New makes a back end from this process's environment, for one test.
	New func(t *testing.T) Backend
	// Request is where jobs go: account, partition, time limit.
	Request slurm.SubmitRequest
	// ShortLimit is the shortest time limit that is kept exactly.
	ShortLimit time.Duration
	// Patience is how long a small job may take to end on a busy machine.
	Patience time.Duration
}

// Run runs the suite. Its tests are parallel.
func Run(t *testing.T, b Bench) {
	for _, tc := range []struct {
		name string
		test func(*testing.T, *run)
	}{
		{"complete", complete},
		{"fail", fail},
		{"killed", killed},
		{"array", array},
		{"time limit", timeLimit},
		{"cancel", cancel},
		{"cancel one element", cancelElement},
		{"find by name", findByName},
		{"unknown jobs", unknown},
		{"no output folder", noOutputFolder},
		{"chain", chain},
		{"refusals", refusals},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.test(t, &run{T: t, bench: b, backend: b.New(t), dir: t.TempDir()})
		})
	}
	t.Run("poisoned environment", func(t *testing.T) {
		for name, value := range map[string]string{"SBATCH_ACCOUNT": "nobody", "SBATCH_PARTITION": "nowhere", "SLURM_TIME_FORMAT": "%d.%m. %H:%M",
			"SQUEUE_FORMAT": "%i", "SACCT_FORMAT": "JobID", "SQUEUE_STATES": "PENDING", "LC_ALL": "cs_CZ.UTF-8", "TZ": "Pacific/Auckland",
			"SBATCH_EXPORT": "NONE", "SLURM_JOB_ID": "4711", "SLURM_CLUSTERS": "elsewhere"} {
			t.Setenv(name, value)
		}
		complete(t, &run{T: t, bench: b, backend: b.New(t), dir: t.TempDir()})
	})
}

// run is one test's back end and folder.
type run struct {
	*testing.T
	bench   Bench
	backend Backend
	dir     string
}

func (r *run) path(name string) string { return filepath.Join(r.dir, name) }

// submit writes the script and submits it with what the request lacks filled in.
func (r *run) submit(body string, req slurm.SubmitRequest) slurm.JobID {
	r.Helper()
	f, err := os.CreateTemp(r.dir, "script-*.sh")
	if err != nil {
		r.Fatal(err)
	}
	fmt.Fprintf(f, "#!/bin/bash\n%s\n", body)
	if err := f.Close(); err != nil {
		r.Fatal(err)
	}
	base := r.bench.Request
	req.Script, req.Chdir, req.Account, req.Partition, req.ExtraArgs = f.Name(), r.dir, base.Account, base.Partition, append(base.ExtraArgs, req.ExtraArgs...)
	if req.Time == 0 {
		req.Time = base.Time
	}
	id, err := r.backend.Submit(context.Background(), req)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = r.backend.Cancel(context.Background(), id) })
	return id
}

// view asks both the queue and the accounting, as a submitter does.
func (r *run) view(id slurm.JobID) slurm.View {
	var a slurm.Answers
	a.Queue, a.QueueErr = r.backend.Queue(context.Background(), id)
	a.Accounting, a.AccountingErr = r.backend.Accounting(context.Background(), id)
	return slurm.Resolve(id, a)
}

// end waits for a job's end and for its record, which may come later. An
// element that was cancelled before it started may never have one.
func (r *run) end(id slurm.JobID) slurm.View {
	r.Helper()
	return r.await(id, "its end", func(v slurm.View) bool {
		return v.Final && (v.Recorded || v.State == slurm.StateCancelled && v.Start.IsZero())
	})
}

func (r *run) await(id slurm.JobID, what string, cond func(slurm.View) bool) slurm.View {
	r.Helper()
	var v slurm.View
	for deadline := time.Now().Add(r.bench.Patience); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if v = r.view(id); cond(v) {
			return v
		}
	}
	r.Fatalf("job %s: %s did not come within %v; last seen %+v", id, what, r.bench.Patience, v)
	return v
}

func (r *run) read(name string) string {
	r.Helper()
	b, err := os.ReadFile(r.path(name))
	if err != nil {
		r.Fatal(err)
	}
	return string(b)
}

func (r *run) awaitFile(name string) {
	r.Helper()
	for deadline := time.Now().Add(r.bench.Patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(r.path(name)); err == nil {
			return
		}
	}
	r.Fatalf("%s did not come within %v", name, r.bench.Patience)
}

func complete(t *testing.T, r *run) {
	id := r.submit(`#SBATCH --output=out-%j-%x.txt
echo "args $*; id $SLURM_JOB_ID; name $SLURM_JOB_NAME; task ${SLURM_ARRAY_TASK_ID-none}; restart ${SLURM_RESTART_COUNT-none}"
echo "where $PWD; mine $MINE; account ${SBATCH_ACCOUNT-none}; host $SLURMD_NODENAME; nodes $SLURM_JOB_NUM_NODES"
sleep 1`, slurm.SubmitRequest{JobName: "hb-complete", Args: []string{"a b", "$c"}, Environ: []string{"MINE=1,2 3"}})
	v := r.end(id)
	if v.State != slurm.StateCompleted || v.Class != slurm.ClassDone || v.Exit != (slurm.Exit{}) || v.Restarts != 0 || v.RawID != id.Job {
		t.Errorf("got %+v", v)
	}
	if v.Elapsed < time.Second || v.Elapsed > r.bench.Patience || v.Start.IsZero() || v.End.Before(v.Start) || v.NodeList == "" {
		t.Errorf("times and place: %+v", v)
	}
	if !slices.ContainsFunc(v.Steps, func(s slurm.AcctRow) bool { return s.ID.StepRef == "batch" && s.State == slurm.StateCompleted }) {
		t.Errorf("no batch step in %+v", v.Steps)
	}
	out := r.read(fmt.Sprintf("out-%d-hb-complete.txt", id.Job))
	for _, want := range []string{fmt.Sprintf("args a b $c; id %d; name hb-complete; task none; restart none\n", id.Job),
		"where " + r.dir + "; mine 1,2 3; account none; host ", "nodes 1\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("output %q lacks %q", out, want)
		}
	}
	jobs, err := r.backend.Job(context.Background(), id)
	if err != nil || len(jobs) != 1 || jobs[0].Name != "hb-complete" || jobs[0].WorkDir != r.dir || jobs[0].Partition != r.bench.Request.Partition ||
		jobs[0].TimeLimit != r.bench.Request.Time || !strings.HasSuffix(jobs[0].StdOut, fmt.Sprintf("out-%d-hb-complete.txt", id.Job)) {
		t.Errorf("job %+v, %v", jobs, err)
	}
}

func fail(t *testing.T, r *run) {
	v := r.end(r.submit("#SBATCH --output=/dev/null\nexit 3", slurm.SubmitRequest{JobName: "hb-fail"}))
	if v.State != slurm.StateFailed || v.Class != slurm.ClassFailed || v.Exit != (slurm.Exit{Code: 3}) {
		t.Errorf("got %+v", v)
	}
}

func killed(t *testing.T, r *run) {
	v := r.end(r.submit("#SBATCH --output=/dev/null\nkill -9 $$", slurm.SubmitRequest{JobName: "hb-killed"}))
	if v.State != slurm.StateFailed || v.Exit != (slurm.Exit{Signal: 9}) {
		t.Errorf("got %+v", v)
	}
}

func array(t *testing.T, r *run) {
	id := r.submit(`#SBATCH --output=out-%A-%a.txt
echo "$SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID $SLURM_JOB_ID $SLURM_ARRAY_TASK_COUNT $SLURM_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_MAX"
echo "$SLURM_ARRAY_TASK_ID" >> order.txt
test "$SLURM_ARRAY_TASK_ID" != 3`, slurm.SubmitRequest{JobName: "hb-array", Array: "1,3-4%1"})
	rows, err := r.backend.Queue(context.Background(), id)
	if err != nil || len(rows) != 3 {
		t.Errorf("an array of three has these rows: %+v, %v", rows, err)
	}
	raw := map[uint64]bool{}
	for task, want := range map[uint64]slurm.State{1: slurm.StateCompleted, 3: slurm.StateFailed, 4: slurm.StateCompleted} {
		v := r.end(id.Element(task))
		if v.State != want {
			t.Errorf("element %d: %+v", task, v)
		}
		raw[v.RawID] = true
		if out, want := r.read(fmt.Sprintf("out-%d-%d.txt", id.Job, task)), fmt.Sprintf("%d %d %d 3 1 4\n", id.Job, task, v.RawID); out != want {
			t.Errorf("element %d printed %q, want %q", task, out, want)
		}
	}
	if len(raw) != 3 {
		t.Errorf("three elements have the ids %v", raw)
	}
	if got := r.read("order.txt"); got != "1\n3\n4\n" {
		t.Errorf("with %%1 the elements ran in the order %q", got)
	}
}

// saving is a script that saves something when it gets TERM.
const saving = `#SBATCH --output=/dev/null
trap 'echo saved > saved.txt; exit 0' TERM
echo up > up.txt
while :; do sleep 0.2; done`

func timeLimit(t *testing.T, r *run) {
	r.bench.Patience += r.bench.ShortLimit
	id := r.submit(saving, slurm.SubmitRequest{JobName: "hb-limit", Time: r.bench.ShortLimit})
	v := r.end(id)
	if v.State != slurm.StateTimeout || v.Class != slurm.ClassFailed || v.Elapsed < r.bench.ShortLimit {
		t.Errorf("got %+v", v)
	}
	if got := r.read("saved.txt"); got != "saved\n" {
		t.Errorf("the script could not save: %q", got)
	}
}

func cancel(t *testing.T, r *run) {
	id := r.submit(strings.Replace(saving, "trap", "sleep 1000 & echo $! > child.txt\ntrap", 1), slurm.SubmitRequest{JobName: "hb-cancel"})
	r.awaitFile("up.txt")
	if v := r.view(id); v.Class != slurm.ClassRunning || v.Final {
		t.Errorf("before: %+v", v)
	}
	if err := r.backend.Cancel(context.Background(), id); err != nil {
		t.Fatal(err)
	}
	v := r.end(id)
	if v.State != slurm.StateCancelled || v.Class != slurm.ClassCancelled || v.CancelledBy != fmt.Sprint(os.Getuid()) {
		t.Errorf("after: %+v", v)
	}
	if got := r.read("saved.txt"); got != "saved\n" {
		t.Errorf("the script could not save: %q", got)
	}
	var child int
	if _, err := fmt.Sscan(r.read("child.txt"), &child); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(r.bench.Patience); syscall.Kill(child, 0) == nil; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is left of the job", child)
		}
	}
	if err := r.backend.Cancel(context.Background(), id); err != nil {
		t.Errorf("cancelling what has ended: %v", err)
	}
}

func cancelElement(t *testing.T, r *run) {
	id := r.submit(`#SBATCH --output=/dev/null
echo up > up-$SLURM_ARRAY_TASK_ID.txt
test "$SLURM_ARRAY_TASK_ID" = 2 || sleep 1000`, slurm.SubmitRequest{JobName: "hb-element", Array: "1-3%1"})
	r.awaitFile("up-1.txt")
	for _, task := range []uint64{3, 1} { // one that waits, one that runs
		if err := r.backend.Cancel(context.Background(), id.Element(task)); err != nil {
			t.Fatal(err)
		}
	}
	for task, want := range map[uint64]slurm.State{1: slurm.StateCancelled, 2: slurm.StateCompleted, 3: slurm.StateCancelled} {
		if v := r.end(id.Element(task)); v.State != want {
			t.Errorf("element %d: %+v", task, v)
		}
	}
	if _, err := os.Stat(r.path("up-3.txt")); err == nil {
		t.Error("an element that was cancelled while it waited has run")
	}
}

func findByName(t *testing.T, r *run) {
	since := time.Now()
	name := fmt.Sprintf("hb-find-%d", since.UnixNano())
	if got, err := r.backend.FindByName(context.Background(), name, since); err != nil || len(got) != 0 {
		t.Errorf("before: %v, %v", got, err)
	}
	id := r.submit("#SBATCH --output=/dev/null\nsleep 2", slurm.SubmitRequest{JobName: name, Array: "1-2%1"})
	if got, err := r.backend.FindByName(context.Background(), name, since); err != nil || !slices.Equal(got, []slurm.JobID{id}) {
		t.Errorf("while it waits or runs: %v, %v", got, err)
	}
	r.end(id.Element(2))
	if got, err := r.backend.FindByName(context.Background(), name, since); err != nil || !slices.Equal(got, []slurm.JobID{id}) {
		t.Errorf("after its end: %v, %v", got, err)
	}
	if got, err := r.backend.FindByName(context.Background(), name[:len(name)-1], since); err != nil || len(got) != 0 {
		t.Errorf("by a part of its name: %v, %v", got, err)
	}
}

func unknown(t *testing.T, r *run) {
	known := r.submit("#SBATCH --output=/dev/null\nsleep 2", slurm.SubmitRequest{JobName: "hb-known"})
	never := slurm.JobID{Job: 65_000_000}
	for _, ids := range [][]slurm.JobID{{never}, {never, known}} {
		rows, err := r.backend.Queue(context.Background(), ids...)
		if err != nil || len(rows) != len(ids)-1 {
			t.Errorf("queue of %v: %v, %v", ids, rows, err)
		}
		if _, err := r.backend.Accounting(context.Background(), ids...); err != nil {
			t.Errorf("accounting of %v: %v", ids, err)
		}
	}
	if err := r.backend.Cancel(context.Background(), never); err != nil {
		t.Errorf("cancelling it: %v", err)
	}
	if v := r.view(never); v.Final || !v.Gone {
		t.Errorf("got %+v", v)
	}
	if v := r.end(known); v.State != slurm.StateCompleted {
		t.Errorf("the known one: %+v", v)
	}
}

func noOutputFolder(t *testing.T, r *run) {
	v := r.end(r.submit("#SBATCH --output=not/there/%j.txt\ntrue", slurm.SubmitRequest{JobName: "hb-no-output"}))
	if v.State != slurm.StateFailed || v.Exit != (slurm.Exit{Signal: 53}) {
		t.Errorf("got %+v", v)
	}
}

func chain(t *testing.T, r *run) {
	first := r.submit("#SBATCH --output=/dev/null\nsleep 1; echo first >> order.txt; exit 1", slurm.SubmitRequest{JobName: "hb-first"})
	second := r.submit("#SBATCH --output=/dev/null\necho second >> order.txt", slurm.SubmitRequest{JobName: "hb-second", Dependency: "afterany:" + first.String()})
	if v := r.end(second); v.State != slurm.StateCompleted {
		t.Errorf("got %+v", v)
	}
	if got := r.read("order.txt"); got != "first\nsecond\n" {
		t.Errorf("order %q", got)
	}
}

func refusals(t *testing.T, r *run) {
	noShebang := r.path("no-shebang")
	if err := os.WriteFile(noShebang, []byte("echo hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	base := r.bench.Request
	for name, req := range map[string]slurm.SubmitRequest{
		"no file":         {Script: r.path("nothing")},
		"no interpreter":  {Script: noShebang},
		"hostile name":    {Script: noShebang, JobName: "a b"},
		"bad array":       {Script: noShebang, Array: "1-x"},
		"bad dependency":  {Script: noShebang, Dependency: "afterany:abc"},
		"unknown sibling": {Script: noShebang, Dependency: "sometime:1"},
	} {
		req.Account, req.Partition, req.Time = base.Account, base.Partition, base.Time
		if id, err := r.backend.Submit(context.Background(), req); err == nil {
			_ = r.backend.Cancel(context.Background(), id)
			t.Errorf("%s: submitted as %s", name, id)
		}
	}
}
