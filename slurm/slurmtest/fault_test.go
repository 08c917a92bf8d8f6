//go:build fault

package slurmtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hpcbench/slurm"
)

var lumi = slurm.SubmitRequest{Account: LUMIAccount, Partition: "small-g"}

func TestControllerDown(t *testing.T) {
	c := UpAlone(t)
	id := submit(t, lumi)
	await(t, id, "its start", running)
	if err := c.StopController(); err != nil {
		t.Fatal(err)
	}
	down := slurm.New(slurm.Options{RetryFor: -1})
	if _, err := down.Submit(t.Context(), slurm.SubmitRequest{Script: Script(t, "true\n"), Account: LUMIAccount, Partition: "small-g", JobName: "hb-down"}); !errors.Is(err, slurm.ErrUnreachable) || errors.Is(err, slurm.ErrLost) {
		t.Errorf("submit: %v", err)
	}
	if _, err := down.Queue(t.Context(), id); !errors.Is(err, slurm.ErrUnreachable) {
		t.Errorf("queue: %v", err)
	}
	if v := look(t, id); v.Final || v.Gone || v.Class != slurm.ClassRunning {
		t.Errorf("a running job while nobody answers: %+v", v)
	}
	// A question that keeps asking gets its answer when the controller is back.
	answer := make(chan error, 1)
	go func() {
		rows, err := slurm.New(slurm.Options{RetryFor: 3 * time.Minute}).Queue(context.Background(), id)
		if err == nil && (len(rows) != 1 || rows[0].State != slurm.StateRunning) {
			err = errors.New("wrong rows")
		}
		answer <- err
	}()
	if err := c.StartController(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Errorf("queue across the restart: %v", err)
	}
	await(t, id, "the running job after the restart", running)
	if got, err := slurm.New(slurm.Options{}).FindByName(t.Context(), "hb-down", time.Now().Add(-time.Hour)); err != nil || len(got) != 0 {
		t.Errorf("the job that was never sent: %v, %v", got, err)
	}
}

// The controller takes the connection and never answers: nobody knows whether
// the job was taken, until it is looked for.
func TestLostAnswer(t *testing.T) {
	c := UpAlone(t)
	resume, err := c.PauseController()
	if err != nil {
		t.Fatal(err)
	}
	defer resume()
	r := lumi
	r.JobName, r.Script = "hb-lost-"+strconv.FormatInt(time.Now().UnixNano(), 36), Script(t, "#SBATCH --output=/dev/null\nsleep 1000\n")
	since := time.Now()
	_, err = slurm.New(slurm.Options{Timeout: 5 * time.Second}).Submit(t.Context(), r)
	if !errors.Is(err, slurm.ErrLost) {
		t.Fatalf("got %v", err)
	}
	resume()
	// The request was already on its way; the controller takes it when it goes on.
	cl := slurm.New(slurm.Options{})
	var found []slurm.JobID
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && len(found) == 0; time.Sleep(time.Second) {
		if found, err = cl.FindByName(t.Context(), r.JobName, since); err != nil {
			t.Fatal(err)
		}
	}
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	t.Cleanup(func() { _ = cl.Cancel(context.Background(), found...) })
	await(t, found[0], "its start", running)
}

func TestDatabaseDown(t *testing.T) {
	c := UpAlone(t)
	if err := c.StopDatabase(); err != nil {
		t.Fatal(err)
	}
	r := lumi
	r.Script, r.JobName = Script(t, "#SBATCH --output=/dev/null\nexit 3\n"), "hb-nodb-"+strconv.FormatInt(time.Now().UnixNano(), 36)
	since := time.Now()
	id := submit(t, r)
	v := await(t, id, "its end, by the controller's word", func(v slurm.View) bool { return v.Final })
	if v.State != slurm.StateFailed || len(v.Runs) != 0 {
		t.Errorf("got %+v", v)
	}
	quick := slurm.New(slurm.Options{RetryFor: -1})
	if _, err := quick.Accounting(t.Context(), id); !errors.Is(err, slurm.ErrUnreachable) {
		t.Errorf("accounting: %v", err)
	}
	if got, err := quick.FindByName(t.Context(), r.JobName, since); err != nil || len(got) != 1 || got[0] != id {
		t.Errorf("by name, in the queue: %v, %v", got, err)
	}
	if got, err := quick.FindByName(t.Context(), "hb-never-sent", since); !errors.Is(err, slurm.ErrUnreachable) {
		t.Errorf("by name, with the database down nobody can say that there is none: %v, %v", got, err)
	}
	if err := c.StartDatabase(t.Context()); err != nil {
		t.Fatal(err)
	}
	v = await(t, id, "its record", func(v slurm.View) bool { return v.Final && v.Recorded })
	if v.Exit != (slurm.Exit{Code: 3}) {
		t.Errorf("got %+v", v)
	}
}

// rerun is a script that tells which of its runs it is in.
const rerun = `#SBATCH --output=/dev/null
#SBATCH --open-mode=append
echo "${SLURM_RESTART_COUNT:-0}" >> runs.txt
test "${SLURM_RESTART_COUNT:-0}" -gt 0 || sleep 1000
`

func runs(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "runs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(b)), " ")
}

func TestLostNode(t *testing.T) {
	c := UpAlone(t)
	r := lumi
	r.Chdir, r.Script, r.ExtraArgs = SharedDir(t), Script(t, rerun), []string{"--requeue", "--nodelist=nid005001"}
	id := submit(t, r)
	v := await(t, id, "its start", running)
	raw := v.RawID
	for deadline := time.Now().Add(patience); len(c.JobProcesses(raw)) < 2 && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
	}
	if len(c.JobProcesses(raw)) < 2 {
		t.Fatalf("the job has the processes %v", c.JobProcesses(raw))
	}
	if err := c.KillNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
	if left := c.JobProcesses(raw); len(left) != 0 {
		t.Errorf("processes %v outlive their node", left)
	}
	v = await(t, id, "the requeue", func(v slurm.View) bool {
		return v.Class == slurm.ClassPending && len(v.Runs) > 0 && v.Runs[0].State == slurm.StateNodeFail
	})
	if v.Final || v.Never() || v.Restarts != 1 || v.Exit != (slurm.Exit{}) {
		t.Errorf("after the node was lost: %+v", v)
	}
	if err := c.StartNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
	v = await(t, id, "the second run's end", func(v slurm.View) bool { return v.Final && len(v.Runs) == 2 && v.Recorded })
	if v.State != slurm.StateCompleted || v.Restarts != 1 {
		t.Errorf("got %+v", v)
	}
	if got := runs(t, r.Chdir); got != "0 1" {
		t.Errorf("SLURM_RESTART_COUNT was %q", got)
	}
}

func TestLostNodeWithoutRequeue(t *testing.T) {
	c := UpAlone(t)
	r := lumi
	r.ExtraArgs = []string{"--no-requeue", "--nodelist=nid005001"}
	id := submit(t, r)
	await(t, id, "its start", running)
	if err := c.KillNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
	v := await(t, id, "its end", func(v slurm.View) bool { return v.Final })
	if v.State != slurm.StateNodeFail || v.Class != slurm.ClassFailed {
		t.Errorf("got %+v", v)
	}
	if err := c.StartNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
}

func TestPreemptedAndRequeued(t *testing.T) {
	UpAlone(t)
	r := slurm.SubmitRequest{Account: ITIAccount, Partition: "qgpu_preempt", Chdir: SharedDir(t), Script: Script(t, rerun),
		ExtraArgs: []string{"--requeue", "--nodes=1", "--gpus=8", "--nodelist=acn01"}}
	id := submit(t, r)
	await(t, id, "its start", running)
	r.Partition, r.Script, r.ExtraArgs = "qgpu", Script(t, "#SBATCH --output=/dev/null\nsleep 5\n"), []string{"--nodes=1", "--gpus=8", "--nodelist=acn01"}
	winner := submit(t, r)
	await(t, winner, "the start of the job with priority", func(v slurm.View) bool { return running(v) || v.Final })
	v := look(t, id)
	if v.Final || v.Never() || v.Class.Over() {
		t.Errorf("the preempted job: %+v", v)
	}
	v = await(t, id, "the second run's end", func(v slurm.View) bool { return v.Final && len(v.Runs) == 2 && v.Recorded })
	if v.State != slurm.StateCompleted || v.Restarts != 1 || v.Runs[0].State != slurm.StatePreempted {
		t.Errorf("got %+v", v)
	}
	if got := runs(t, r.Chdir); got != "0 1" {
		t.Errorf("SLURM_RESTART_COUNT was %q", got)
	}
}

// As with proctrack/cgroup: TERM reaches the batch shell only, then all is killed.
func TestTermThenKill(t *testing.T) {
	c := UpAlone(t)
	r := lumi
	r.Chdir, r.Script = SharedDir(t), Script(t, `#SBATCH --output=/dev/null
bash -c 'trap "echo child >> term.txt; exit" TERM; while :; do sleep 0.1; done' &
setsid sleep 1000 &
trap 'echo shell >> term.txt' TERM
echo up > up.txt
while :; do sleep 0.1; done`)
	id := submit(t, r)
	await(t, id, "its start", func(v slurm.View) bool {
		_, err := os.Stat(filepath.Join(r.Chdir, "up.txt"))
		return running(v) && err == nil
	})
	if err := c.TermThenKill(id.Job, 2*time.Second); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(r.Chdir, "term.txt")); err != nil || string(got) != "shell\n" {
		t.Errorf("TERM reached %q, %v", got, err)
	}
	if left := c.JobProcesses(id.Job); len(left) != 0 {
		t.Errorf("processes %v are left", left)
	}
	if v := await(t, id, "its end", func(v slurm.View) bool { return v.Final && v.Recorded }); v.Exit.Signal != 9 || v.State != slurm.StateFailed {
		t.Errorf("got %+v", v)
	}
}

// What a killed test run leaves behind is cleared away, and the cluster comes up.
func TestUpAfterAKill(t *testing.T) {
	c := UpAlone(t)
	id := submit(t, lumi)
	await(t, id, "its start", running)
	for _, d := range []daemon{c.slurmctld(), c.mariadb(), c.munged(), c.slurmd("acn01")} {
		if err := c.stop(d, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Status(t.Context(), os.Stderr); err == nil {
		t.Error("half a cluster is called complete")
	}
	if err := c.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := c.JobProcesses(id.Job); len(left) != 0 {
		t.Errorf("processes %v of the old cluster are left", left)
	}
	r := lumi
	r.Script = Script(t, "#SBATCH --output=/dev/null\ntrue\n")
	await(t, submit(t, r), "a job's end on the new cluster", func(v slurm.View) bool { return v.Final })
}

// With EnforcePartLimits=ALL, as on some machines, sbatch itself refuses what
// would otherwise wait for ever.
func TestLimitsEnforcedAtSubmit(t *testing.T) {
	c := UpAlone(t)
	set := func(from, to string) {
		t.Helper()
		conf, err := os.ReadFile(c.Conf())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.Conf(), []byte(strings.Replace(string(conf), from, to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Tool(context.Background(), "scontrol", "reconfigure"); err != nil {
			t.Fatal(err)
		}
	}
	set("EnforcePartLimits=NO", "EnforcePartLimits=ALL")
	defer set("EnforcePartLimits=ALL", "EnforcePartLimits=NO")
	cl := slurm.New(slurm.Options{})
	conf, err := cl.Config(t.Context())
	if err != nil || conf.EnforcePartLimits != "ALL" {
		t.Fatalf("configuration %q, %v", conf.EnforcePartLimits, err)
	}
	r := lumi
	r.Script, r.Time = Script(t, "true\n"), 96*time.Hour
	id, err := cl.Submit(t.Context(), r)
	var refused *slurm.CommandError
	if !errors.As(err, &refused) || errors.Is(err, slurm.ErrLost) || !strings.Contains(err.Error(), "time limit") {
		t.Errorf("job %v, %v", id, err)
	}
}
