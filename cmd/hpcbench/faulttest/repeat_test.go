//go:build fault

package faulttest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/results"
)

func TestRepeatKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "Inside the job", "`hpcbench repeat` killed -9, another repeat follows", "in a step of the first of two repeats in one job")
	f.slowPlan()
	f.submit("--repeats", "2", "--repeat-mode", "restart", "--server-script", f.orphanScript())
	f.measuring(1, 0)
	kill9(f.repeatProcess())
	s := f.over()
	f.shows(s, 1, "interrupted", "")
	f.shows(s, 2, "complete", "")
	if out := f.JobOutput(); !strings.Contains(out, "ended what a killed repeat left") {
		t.Errorf("the job says\n%s", out)
	}
	f.saw("the server that it left is ended before the next repeat starts its own; repeat 1 is shown as interrupted, repeat 2 is complete")
	f.keeps()
	f.clean()
	f.resumes()
}

func TestLastRepeatKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "Inside the job", "`hpcbench repeat` killed -9, the job's last", "in a step of the only repeat; the test cluster, unlike one with cgroups, doesn't end orphans")
	f.slowPlan()
	f.submit("--repeats", "1", "--server-script", f.orphanScript())
	f.measuring(1, 0)
	kill9(f.repeatProcess())
	s := f.over()
	f.shows(s, 1, "interrupted", "")
	f.clean()
	if out := f.JobOutput(); !strings.Contains(out, "ended what a killed repeat left") {
		t.Errorf("the job says\n%s", out)
	}
	if left, _ := filepath.Glob(filepath.Join(f.Dir, "cache", "jobs", "*")); len(left) != 0 {
		t.Errorf("the job's caches are left: %v", left)
	}
	f.saw("the script ends the server and removes the job's caches; the repeat is shown as interrupted")
	f.keeps()
	f.resumes()
}

func TestBatchShellKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "Inside the job", "batch shell killed -9", "in a step")
	f.slowPlan()
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	kill9(f.parent(f.repeatProcess()))
	f.over()
	f.clean()
	if a := f.attempt(1, 0); a.State != results.StateInterrupted {
		t.Errorf("the attempt is %s: %+v", a.State, a.Failure)
	}
	f.saw("the repeat is told by the kernel, ends its server and saves what it has; it is shown as interrupted")
	f.shows(f.Status(f.run), 1, "interrupted", "")
	f.keeps()
	f.resumes()
}

// parent is the parent of a process.
func (f *fault) parent(pid int) int {
	f.T.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		f.T.Fatal(err)
	}
	var parent int
	var state string
	if _, err := fmt.Sscan(string(b[strings.LastIndexByte(string(b), ')')+1:]), &state, &parent); err != nil {
		f.T.Fatal(err)
	}
	return parent
}

func TestTermBetweenRepeats(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "walltime reached between two repeats", "the batch shell is held while repeat 1 of 2 ends, gets Slurm's TERM, and goes on")
	f.submit("--repeats", "2", "--repeat-mode", "restart")
	f.measuring(1, 0)
	repeat := f.repeatProcess()
	shell := f.parent(repeat)
	stop(shell)
	f.Until("repeat 1 has ended", func() bool {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", repeat))
		return err != nil || strings.Contains(string(b), ") Z ")
	})
	term(shell)
	cont(shell)
	s := f.over()
	f.shows(s, 1, "complete", "")
	f.shows(s, 2, "failed", "before this repeat began")
	if out := f.JobOutput(); !strings.Contains(out, "repeat 2 was not started: the job was told to end") {
		t.Errorf("the job says\n%s", out)
	}
	f.saw("repeat 1 is kept, repeat 2 is not started and shown as never begun")
	f.keeps()
	f.clean()
	f.resumes()
}

func TestLoadKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "Inside the job", "`hpcbench load` killed -9", "a load against a URL, in a step")
	f.slowPlan()
	truth := filepath.Join(f.Dir, "cache", "truth-"+f.run+"-url")
	f.File("cache/here", "")
	server := f.StartCommand("bash", "-c", `exec "$0" stub --port 0 --truth "$1" > "$2"`, world.Program, truth, filepath.Join(f.Dir, "listening"))
	url := ""
	f.Until("the stub listens", func() bool {
		b, _ := os.ReadFile(filepath.Join(f.Dir, "listening"))
		_, addr, ok := strings.Cut(strings.TrimSpace(string(b)), "listening on ")
		url = "http://" + addr
		return ok
	})
	p := f.Start("load", "--url", url, "--plan", "short", "--name", f.run, "--runs-dir", filepath.Join(f.Dir, "runs"), "--repeats", "1")
	f.measuring(1, 0)
	p.Kill()
	time.Sleep(300 * time.Millisecond)
	if server.Over() {
		t.Error("the server, which isn't ours, was ended")
	}
	server.Kill()
	out, code := f.Hpcbench("collect", string(f.Run(f.run)))
	if code == 0 || !strings.Contains(out, "0 of 1 repeats") {
		t.Errorf("collect: exit code %d\n%s", code, out)
	}
	f.saw("collect reads what there is and says that no repeat is complete; the server goes on")
	f.keeps()
	f.end = "measured again by hand: there is no job to resume"
}
