package local

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hpcbench/slurm"
)

// The test binary is its own supervisor, as hpcbench is.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "supervise" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := Supervise(ctx, os.Args[2]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func scheduler(t *testing.T) (Scheduler, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := Scheduler{State: filepath.Join(dir, "jobs"), Supervise: []string{self, "supervise"}}
	t.Cleanup(func() { // they write into a folder that is about to be removed
		all, _ := ids(s.State)
		for _, id := range all {
			for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
				if j, err := readJob(jobDir(s.State, id)); err != nil || !j.Supervisor.alive() {
					break
				}
			}
		}
	})
	return s, dir
}

func script(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "script.sh")
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// await asks as jobs does until the job is over or in the wanted state.
func await(t *testing.T, s Scheduler, id slurm.JobID, want slurm.State) slurm.View {
	t.Helper()
	ctx := t.Context()
	var v slurm.View
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var a slurm.Answers
		a.Queue, a.QueueErr = s.Queue(ctx, id)
		a.Accounting, a.AccountingErr = s.Accounting(ctx, id)
		if v = slurm.Resolve(id, a); v.State == want {
			return v
		}
	}
	t.Fatalf("job %s: %+v, wanted %s", id, v, want)
	return v
}

func awaitFile(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s never came", path)
}

func TestJobGetsSlurmsEnvironment(t *testing.T) {
	s, dir := scheduler(t)
	t.Setenv("SBATCH_ACCOUNT", "leaks")
	path := script(t, dir, `echo "$SLURM_JOB_ID/$SLURM_JOB_NAME/$SLURM_SUBMIT_DIR/${SLURM_ARRAY_TASK_ID:-none}/${SLURM_RESTART_COUNT:-0}/${SBATCH_ACCOUNT:-clean}/$MORE"`)
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-env", Environ: []string{"MORE=1 2 3"}, Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	v := await(t, s, id, slurm.StateCompleted)
	if !v.Final || v.Exit != (slurm.Exit{}) {
		t.Errorf("got %+v", v)
	}
	out, err := os.ReadFile(filepath.Join(dir, "slurm-1.out"))
	if want := "1/hb-env/" + dir + "/none/0/clean/1 2 3\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
	found, err := s.FindByName(t.Context(), "hb-env", time.Time{})
	if err != nil || len(found) != 1 || found[0] != id {
		t.Errorf("found %v, %v", found, err)
	}
	if found, _ := s.FindByName(t.Context(), "hb-en", time.Time{}); len(found) != 0 {
		t.Errorf("a part of a name found %v", found)
	}
}

func TestArrayElementsRunInTurn(t *testing.T) {
	s, dir := scheduler(t)
	path := script(t, dir, `echo "$SLURM_ARRAY_TASK_ID" >> order; test "$SLURM_ARRAY_TASK_ID" != 2`)
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-array", Array: "1-3%1", Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	await(t, s, id.Element(3), slurm.StateCompleted)
	if v := await(t, s, id.Element(2), slurm.StateFailed); v.Exit.Code != 1 {
		t.Errorf("got %+v", v.Exit)
	}
	if out, _ := os.ReadFile(filepath.Join(dir, "order")); string(out) != "1\n2\n3\n" {
		t.Errorf("got %q", out)
	}
}

func TestCancelReachesShellFirstThenEverything(t *testing.T) {
	s, dir := scheduler(t)
	path := script(t, dir, `setsid sleep 1000 & sleep 1000 & child=$!
trap 'echo saved > saved; kill $child; exit 0' TERM
echo up > up; wait`)
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-cancel", Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	awaitFile(t, filepath.Join(dir, "up"))
	if err := s.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	v := await(t, s, id, slurm.StateCancelled)
	if !v.Final {
		t.Errorf("got %+v", v)
	}
	if out, _ := os.ReadFile(filepath.Join(dir, "saved")); string(out) != "saved\n" {
		t.Errorf("the script had no time to save: %q", out)
	}
}

func TestTimeLimit(t *testing.T) {
	s, dir := scheduler(t)
	path := script(t, dir, `trap 'exit 7' TERM; while :; do sleep 0.05; done`)
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-limit", Time: 300 * time.Millisecond, Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	await(t, s, id, slurm.StateTimeout)
}

func TestKilledSupervisorIsALostNode(t *testing.T) {
	s, dir := scheduler(t)
	path := script(t, dir, `echo up > up; sleep 1000; :`)
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-lost", Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	awaitFile(t, filepath.Join(dir, "up"))
	j, err := readJob(jobDir(s.State, id.Job))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(j.Supervisor.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, s, id, slurm.StateNodeFail)
	killSession(mustSession(t, dir), time.Second)
}

// mustSession finds the script's session by its working folder.
func mustSession(t *testing.T, dir string) int {
	t.Helper()
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		cwd, err := os.Readlink("/proc/" + e.Name() + "/cwd")
		if err != nil || cwd != dir {
			continue
		}
		if b, err := os.ReadFile("/proc/" + e.Name() + "/stat"); err == nil {
			if st, err := parseStat(b); err == nil {
				return st.session
			}
		}
	}
	t.Fatal("the script isn't there")
	return 0
}

func TestChainWaits(t *testing.T) {
	s, dir := scheduler(t)
	first := script(t, dir, `sleep 0.5; echo first >> order; exit 3`)
	a, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: first, JobName: "hb-a", Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(dir, "second.sh")
	if err := os.WriteFile(second, []byte("echo second >> order\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: second, JobName: "hb-b", Dependency: "afterany:" + a.String(), Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	await(t, s, b, slurm.StateCompleted)
	if out, _ := os.ReadFile(filepath.Join(dir, "order")); string(out) != "first\nsecond\n" {
		t.Errorf("got %q", out)
	}
}

func TestUnknownJobHasNoRow(t *testing.T) {
	s, _ := scheduler(t)
	rows, err := s.Queue(t.Context(), slurm.JobID{Job: 99})
	if err != nil || len(rows) != 0 {
		t.Errorf("got %v, %v", rows, err)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("1 (a b) ) S 1 1 1 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 9 0 77"))
	f.Add([]byte(strings.Repeat(")", 30)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := parseStat(b); err == nil && s.state == 0 {
			t.Errorf("%q has no state", b)
		}
	})
}
