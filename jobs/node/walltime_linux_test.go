package node

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"hpcbench/results"
)

func TestBeforeTheEnd(t *testing.T) {
	// The batch shell's part is played by the test's parent, which may be of any age:
	// `go test` of everything is minutes old when it comes here.
	age, err := processAge(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	lived := int(age.Seconds())
	spec := results.Spec{}
	spec.Job.SignalS, spec.Job.WalltimeS = 120, lived+3600
	r := &runner{spec: spec}
	t.Setenv("SLURM_JOB_ID", "7")
	if got := r.beforeTheEnd(); got != "" {
		t.Errorf("an hour before the end it says %q", got)
	}
	t.Setenv("HPCBENCH_JOB_WALLTIME_S", strconv.Itoa(lived+200)) // resumed with another walltime
	if got := r.beforeTheEnd(); !strings.HasSuffix(got, " before the end of the walltime") {
		t.Errorf("within the last minutes of another walltime it says %q", got)
	}
	t.Setenv("SLURM_JOB_END_TIME", strconv.FormatInt(time.Now().Add(100*time.Second).Unix(), 10))
	if got := r.beforeTheEnd(); got != " 1m40s before the end of the walltime" && got != " 1m39s before the end of the walltime" {
		t.Errorf("got %q", got)
	}
	t.Setenv("SLURM_JOB_END_TIME", strconv.FormatInt(time.Now().Add(-10*time.Second).Unix(), 10))
	if got := r.beforeTheEnd(); got != "" {
		t.Errorf("after the end it says %q", got)
	}
}

func TestProcessAge(t *testing.T) {
	cmd := exec.Command("sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	time.Sleep(300 * time.Millisecond)
	age, err := processAge(cmd.Process.Pid)
	if err != nil || age < 250*time.Millisecond || age > 20*time.Second {
		t.Errorf("got %s, %v", age, err)
	}
	if _, err := processAge(os.Getpid() + 1<<22); err == nil {
		t.Error("a process that isn't there has an age")
	}
}
