package local

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hpcbench/slurm"
	"hpcbench/slurm/schedtest"
)

// The test binary is its own supervisor, as hpcbench is, and a submitter that dies.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "supervise":
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := Supervise(ctx, os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "submit-and-die":
		id, err := scheduler(os.Args[2]).Submit(context.Background(), slurm.SubmitRequest{Script: os.Args[3], JobName: "hb-orphan", Chdir: filepath.Dir(os.Args[3])})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(id)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

func scheduler(state string) Scheduler {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Scheduler{State: state, Supervise: []string{self, "supervise"}, KillWait: 2 * time.Second}
}

// fresh is a scheduler with a folder of its own, whose supervisors are gone at the
// test's end.
func fresh(t *testing.T) Scheduler {
	t.Helper()
	s := scheduler(filepath.Join(t.TempDir(), "jobs"))
	t.Cleanup(func() {
		all, _ := s.ids()
		for _, id := range all {
			_ = s.Cancel(context.Background(), slurm.JobID{Job: id})
		}
		for _, id := range all {
			for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
				if j, err := s.readJob(id); err != nil || !s.supervised(j) {
					break
				}
			}
		}
	})
	return s
}

func TestSuite(t *testing.T) {
	schedtest.Run(t, schedtest.Bench{
		New:        func(t *testing.T) schedtest.Backend { return fresh(t) },
		Request:    slurm.SubmitRequest{Partition: "local", Time: 10 * time.Minute},
		ShortLimit: 2 * time.Second,
		Patience:   time.Minute,
	})
}

func write(t *testing.T, dir, body string) string {
	t.Helper()
	path := filepath.Join(dir, "script.sh")
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+body+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func await(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if cond() {
			return
		}
	}
	t.Fatalf("%s did not happen", what)
}

func exists(path string) func() bool {
	return func() bool { _, err := os.Stat(path); return err == nil }
}

func stateOf(t *testing.T, s Scheduler, id slurm.JobID) slurm.View {
	t.Helper()
	var a slurm.Answers
	a.Queue, a.QueueErr = s.Queue(t.Context(), id)
	a.Accounting, a.AccountingErr = s.Accounting(t.Context(), id)
	return slurm.Resolve(id, a)
}

func TestJobSurvivesItsSubmitter(t *testing.T) {
	s, dir := fresh(t), t.TempDir()
	path := write(t, dir, "sleep 0.5; echo done > done.txt")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "submit-and-die", s.State, path).Output()
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the submitter ended with %v", err)
	}
	id, err := slurm.ParseJobID(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the job's end", func() bool { return stateOf(t, s, id).Final })
	if v := stateOf(t, s, id); v.State != slurm.StateCompleted || !exists(filepath.Join(dir, "done.txt"))() {
		t.Errorf("got %+v", v)
	}
}

// A process that left the script's session and its parent is still the job's.
func TestNothingIsLeftOfAJob(t *testing.T) {
	s, dir := fresh(t), t.TempDir()
	path := write(t, dir, `(setsid env -i bash -c 'echo $$ > stray.txt; exec sleep 1000' &)
until test -s stray.txt; do sleep 0.05; done`)
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-stray", Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the job's end", func() bool { return stateOf(t, s, id).Final })
	var stray int
	b, err := os.ReadFile(filepath.Join(dir, "stray.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(string(b), &stray); err != nil {
		t.Fatal(err)
	}
	if st, err := readStat(stray); err == nil && st.state != 'Z' {
		t.Errorf("process %d is left", stray)
	}
	if v := stateOf(t, s, id); v.State != slurm.StateCompleted {
		t.Errorf("got %+v", v)
	}
}

func TestScriptThatIgnoresTermIsKilledAfterKillWait(t *testing.T) {
	s, dir := fresh(t), t.TempDir()
	path := write(t, dir, "trap '' TERM; echo up > up.txt; while :; do sleep 0.1; done")
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-deaf", Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "its start", exists(filepath.Join(dir, "up.txt")))
	begin := time.Now()
	if err := s.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	await(t, "its end", func() bool { return stateOf(t, s, id).Final })
	if v := stateOf(t, s, id); v.State != slurm.StateCancelled || time.Since(begin) < s.KillWait {
		t.Errorf("after %v: %+v", time.Since(begin), v)
	}
}

func TestWarningBeforeTheLimit(t *testing.T) {
	s, dir := fresh(t), t.TempDir()
	path := write(t, dir, `#SBATCH --signal=B:USR1@3
trap 'echo warned > warned.txt; exit 0' USR1
while :; do sleep 0.1; done`)
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-warn", Chdir: dir, Time: 4 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "its end", func() bool { return stateOf(t, s, id).Final })
	if v := stateOf(t, s, id); v.State != slurm.StateCompleted || !exists(filepath.Join(dir, "warned.txt"))() {
		t.Errorf("got %+v", v)
	}
}

func TestKilledSupervisor(t *testing.T) {
	s, dir := fresh(t), t.TempDir()
	path := write(t, dir, "echo $$ > up.txt; sleep 1000; true")
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: "hb-lost", Chdir: dir, Array: "1-2"})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "its start", exists(filepath.Join(dir, "up.txt")))
	var sup process
	if err := readJSON(filepath.Join(s.jobDir(id.Job), "supervisor.json"), &sup); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(sup.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await(t, "the supervisor's end", func() bool { return !sup.alive() })
	// The script still runs, so the element does; the second one never will.
	if v := stateOf(t, s, id.Element(1)); v.State != slurm.StateRunning || v.Final {
		t.Errorf("element 1 with a running script: %+v", v)
	}
	if v := stateOf(t, s, id.Element(2)); v.State != slurm.StateNodeFail {
		t.Errorf("element 2: %+v", v)
	}
	if err := s.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if v := stateOf(t, s, id.Element(1)); v.State != slurm.StateCancelled || !v.Final {
		t.Errorf("element 1 after the cancel: %+v", v)
	}
	if left := strays(process{}, s.mark(element{Raw: id.Job})); len(left) != 0 {
		t.Errorf("%d processes are left", len(left))
	}
}

func TestJobsOfOneFolderRunOneAtATime(t *testing.T) {
	s, dir := fresh(t), t.TempDir()
	path := write(t, dir, "echo begin $SLURM_JOB_NAME >> order.txt; sleep 0.5; echo end $SLURM_JOB_NAME >> order.txt")
	var ids []slurm.JobID
	for _, name := range []string{"hb-1", "hb-2", "hb-3"} {
		id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: path, JobName: name, Chdir: dir})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if v := stateOf(t, s, ids[2]); v.Class != slurm.ClassPending || v.Reason.Outlook != slurm.OutlookWaits {
		t.Errorf("the third: %+v", v)
	}
	if err := s.Cancel(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	await(t, "the last one's end", func() bool { return stateOf(t, s, ids[2]).Final })
	if v := stateOf(t, s, ids[1]); v.State != slurm.StateCancelled || !v.Start.IsZero() {
		t.Errorf("the second: %+v", v)
	}
	got, err := os.ReadFile(filepath.Join(dir, "order.txt"))
	if want := "begin hb-1\nend hb-1\nbegin hb-3\nend hb-3\n"; err != nil || string(got) != want {
		t.Errorf("order %q, %v", got, err)
	}
}

func TestOutputIsALogWhereThereIsAFolderForLogs(t *testing.T) {
	s, dir := fresh(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: write(t, dir, "echo hello"), JobName: "hb-log", Chdir: dir})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "its end", func() bool { return stateOf(t, s, id).Final })
	if got, err := os.ReadFile(filepath.Join(dir, "logs", id.String()+".log")); err != nil || string(got) != "hello\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestBrokenSupervisorLeavesNoJob(t *testing.T) {
	s, dir := fresh(t), t.TempDir()
	s.Supervise = []string{"/bin/sh", "-c", "echo cannot start >&2; exit 1"}
	_, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: write(t, dir, "true"), JobName: "hb-broken", Chdir: dir})
	if err == nil || !strings.Contains(err.Error(), "cannot start") {
		t.Errorf("got %v", err)
	}
	if got, err := s.FindByName(t.Context(), "hb-broken", time.Now()); err != nil || len(got) != 0 {
		t.Errorf("found %v, %v", got, err)
	}
}

func TestNoEnvironmentIsWrittenDown(t *testing.T) {
	t.Setenv("HB_SECRET", "do-not-write-me")
	s, dir := fresh(t), t.TempDir()
	id, err := s.Submit(t.Context(), slurm.SubmitRequest{Script: write(t, dir, `test "$HB_SECRET$MORE" = do-not-write-menor-me`), JobName: "hb-secret", Chdir: dir,
		Environ: []string{"MORE=nor-me"}})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "its end", func() bool { return stateOf(t, s, id).Final })
	if v := stateOf(t, s, id); v.State != slurm.StateCompleted {
		t.Errorf("the script did not get its environment: %+v", v)
	}
	err = filepath.WalkDir(s.State, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "script" {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), "do-not-write-me") || strings.Contains(string(b), "nor-me") {
			t.Errorf("%s has a secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
