//go:build fault

package faulttest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hpcbench/jobs"
	"hpcbench/results"
)

// slowSbatch makes sbatch wait before it does anything: time to kill who called it.
func (f *fault) slowSbatch(seconds int) {
	f.T.Helper()
	f.File("bin/sbatch", fmt.Sprintf("#!/bin/bash\nsleep %d\nexec %s \"$@\"\n", seconds, f.tools("sbatch")))
}

// tools is the path of the real tool, past this user's own doubles.
func (f *fault) tools(name string) string {
	f.T.Helper()
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	f.T.Fatalf("no %s on PATH", name)
	return ""
}

// ledger reads the run's submissions.
func (f *fault) ledger() []jobs.Submission {
	f.T.Helper()
	entries, err := jobs.OpenLedger(f.Run(f.run)).Read()
	if err != nil {
		f.T.Fatal(err)
	}
	return jobs.Submissions(entries)
}

// jobsNamed counts the jobs that Slurm ever had of the run.
func (f *fault) jobsNamed() int {
	f.T.Helper()
	names := map[string]bool{}
	for _, s := range f.ledger() {
		names[s.JobName] = true
	}
	ids := map[string]bool{}
	for line := range strings.Lines(f.tool("sacct", "-n", "-P", "-X", "-S", "now-1hour", "-o", "JobID,JobName")) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), "|")
		if names[name] {
			id, _, _ = strings.Cut(id, "_")
			ids[id] = true
		}
	}
	return len(ids)
}

func TestSubmitKilledWhileSbatchWorks(t *testing.T) {
	t.Parallel()
	f := put(t, "The command line", "`submit` killed -9 while sbatch is at work", "the orphaned sbatch makes the job 4 s later; `resume` is called meanwhile")
	f.slowSbatch(4)
	f.slowPlan()
	p := f.Start(f.submitArgs("--repeats", "2", "--repeat-mode", "array")...)
	f.Until("the intent is in the ledger", func() bool { return len(f.ledger()) == 1 })
	p.Kill()
	if s := f.Status(f.run); s.Repeats[0].Phase != "unclear" || !strings.Contains(s.Repeats[0].Words, "sbatch gave no answer") {
		t.Errorf("status says %+v", s.Repeats[0])
	}
	out, code := f.Hpcbench("resume", f.run)
	if code != 2 || !strings.Contains(out, "looking for it") || !strings.Contains(out, "wait for it or cancel it first") {
		t.Errorf("resume: exit code %d\n%s", code, out)
	}
	f.Measure("wait", f.run)
	f.completed()
	if l := f.ledger(); len(l) != 1 || l[0].Event != results.LedgerFound || f.jobsNamed() != 1 {
		t.Errorf("the ledger is %+v, Slurm had %d jobs", l, f.jobsNamed())
	}
	f.saw("status says that sbatch gave no answer; resume finds the job by its name and sends no second one")
	f.keeps()
	f.clean()
	f.end = "both repeats complete in the one job"
}

func TestSubmitKilledBetweenTwoJobs(t *testing.T) {
	t.Parallel()
	f := put(t, "The command line", "`submit` killed -9 between two jobs of a chain", "killed when the first job is in the ledger and the second sbatch is at work; that sbatch is killed too")
	f.slowSbatch(3)
	p := f.Start(f.submitArgs("--repeats", "4", "--repeat-mode", "chain")...)
	f.Until("the second intent is in the ledger", func() bool { return len(f.ledger()) == 2 })
	p.Kill()
	for _, pid := range find("/bin/bash", filepath.Join(f.Dir, "bin", "sbatch")) {
		kill9(pid)
	}
	// Nothing of the second submit is anywhere, so that is certain only after two minutes; the test doesn't wait for it.
	l := jobs.OpenLedger(f.Run(f.run))
	entries, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(entries, func(e results.LedgerEntry) bool { return e.JobName == f.ledger()[1].JobName })
	entries[i].At = entries[i].At.Add(-3 * time.Minute)
	var b bytes.Buffer
	for _, e := range entries {
		line, err := results.EncodeJSON(e)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(strings.Join(strings.Fields(string(line)), " ") + "\n")
	}
	f.File(filepath.Join("runs", f.run, "jobs.jsonl"), b.String())
	if err := os.Remove(filepath.Join(f.Dir, "bin", "sbatch")); err != nil {
		t.Fatal(err)
	}
	f.Until("the first job is over", func() bool {
		s := f.Status(f.run)
		return s.Repeats[0].Phase == "complete" && s.Repeats[1].Phase == "complete"
	})
	f.shows(f.Status(f.run), 4, "unclear", "sbatch gave no answer")
	f.saw("the repeats of the first job complete, those of the second are shown as unanswered; resume sends them once it is certain that there is no job")
	f.keeps()
	f.clean()
	f.resumes()
	if n := f.jobsNamed(); n < 2 {
		t.Errorf("%d jobs", n)
	}
}

func TestWaitKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "The command line", "`wait` killed -9", "in a step; another `wait` follows")
	f.slowPlan()
	f.submit("--repeats", "1")
	p := f.Start("wait", f.run)
	f.measuring(1, 0)
	p.Kill()
	f.Until("status shows the step", func() bool {
		s := f.Status(f.run).Repeats[0]
		return s.Phase == "running" && strings.Contains(s.Words, "step 1/1")
	})
	f.Measure("wait", f.run)
	f.completed()
	f.saw("the job goes on, status shows its step, and the next wait follows it to its end")
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}

func TestCollectKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "The command line", "`collect` killed -9", "ten times, after 2 to 65 ms")
	f.Measure(f.submitArgs("--repeats", "2", "--wait")...)
	want := f.table()
	for i := range 10 {
		p := f.Start("collect", f.run)
		time.Sleep(time.Duration(2+7*i) * time.Millisecond)
		p.Kill()
	}
	if got := f.table(); got != want {
		t.Errorf("afterwards collect says\n%s\nand before\n%s", got, want)
	}
	f.saw("the next collect prints the same table")
	f.keeps()
	f.clean()
	f.end = "nothing to resume"
}

// table is what collect prints.
func (f *fault) table() string {
	f.T.Helper()
	out, code := f.Hpcbench("collect", f.run)
	if code != 0 && code != 3 {
		f.T.Fatalf("collect: exit code %d\n%s", code, out)
	}
	return out
}
