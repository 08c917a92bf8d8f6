//go:build fault

package faulttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/jobs"
	"hpcbench/results"
	"hpcbench/slurm/slurmtest"
)

// It has the cluster alone, since it fills the queue.
func Test200RunsAtOnce(t *testing.T) {
	f := put(t, "The command line", "200 runs at once", "200 held jobs, each a run of its own, and `status` of all")
	f.Must("render", "--site", "karolina", "--model", "Qwen3-8B", "--gpus", "1", "--repeats", "1", "--out", string(f.Run(f.run)))
	spec, err := results.ReadJSON[results.Spec](f.Run(f.run).Spec(), results.FormatSpec)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(string(f.Run(f.run))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if out, err := world.Cluster.Tool(context.Background(), "scancel", "--account="+slurmtest.ITIAccount, "--state=PENDING"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	for i := range 200 {
		f.heldRun(spec, fmt.Sprintf("run-%03d", i))
	}
	for _, tool := range []string{"squeue", "sacct", "scontrol"} {
		f.File("bin/"+tool, fmt.Sprintf("#!/bin/bash\necho %s >>%s/calls\nexec %s \"$@\"\n", tool, f.Dir, f.tools(tool)))
	}
	cmd := exec.Command(world.Program, "status", "--json")
	cmd.Env, cmd.Dir = f.Env, f.Dir
	begun := time.Now()
	out, err := cmd.Output()
	took := time.Since(begun)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("status: %v\n%s", err, exit.Stderr)
	}
	var runs []world.RunStatus
	if err := json.Unmarshal(out, &runs); err != nil || len(runs) != 200 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, r := range runs {
		if r.Repeats[0].Phase != "pending" || r.Repeats[0].JobID == "" {
			t.Fatalf("a run is %+v", r)
		}
	}
	calls, err := os.ReadFile(filepath.Join(f.Dir, "calls"))
	if err != nil || strings.Count(string(calls), "squeue") != 1 || strings.Count(string(calls), "\n") > 2 {
		t.Errorf("status called\n%s%v", calls, err)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("no usage")
	}
	mb := float64(usage.Maxrss) / 1024
	cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if took > 10*time.Second || mb > 150 {
		t.Errorf("it took %s and %.0f MB", took, mb)
	}
	f.saw("one squeue for all; %.1f s, of which %.2f s of CPU, and %.0f MB", took.Seconds(), cpu, mb)
	f.end = "nothing was run"
}

// heldRun makes a run whose job is in the queue and held there.
func (f *fault) heldRun(spec results.Spec, name string) {
	f.T.Helper()
	store := jobs.Store{Dir: filepath.Join(f.Dir, "runs"), Group: -1}
	dir, _, err := store.Claim(name, false)
	if err != nil {
		f.T.Fatal(err)
	}
	id := strings.TrimSpace(f.tool("sbatch", "--parsable", "--hold", "-A", slurmtest.ITIAccount, "-p", "qgpu", "-t", "5", "-o", "/dev/null",
		"-J", "hpcbench-"+name, "--array=1", "--wrap", "true"))
	spec.Name, spec.Job.Dir = name, string(dir)
	if err := results.WriteJSON(dir.Spec(), spec, 0o600); err != nil {
		f.T.Fatal(err)
	}
	entry := results.LedgerEntry{At: time.Now().UTC(), Event: results.LedgerSubmitted, JobName: "hpcbench-" + name, JobID: id, Group: -1, Repeats: []int{1}, Array: "1"}
	if err := jobs.OpenLedger(dir).Add(entry); err != nil {
		f.T.Fatal(err)
	}
}
