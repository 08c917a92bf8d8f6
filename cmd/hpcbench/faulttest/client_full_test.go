//go:build fault && full

package faulttest

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// submit is killed at instants all over its way. Whatever it left, either the name can be taken by
// the same command, or resume completes the run, and Slurm never has two jobs for one repeat.
func TestSubmitKilledAnywhere(t *testing.T) {
	t.Parallel()
	f := put(t, "The command line", "`submit` killed -9 at any instant", "at twelve instants from its start on, 15 ms apart")
	f.row.full = true
	base := f.run
	runs := 0
	for i := range 12 {
		f.run = fmt.Sprintf("%s-%d", base, i)
		p := f.Start(f.submitArgs("--repeats", "1")...)
		time.Sleep(time.Duration(15*i+5) * time.Millisecond)
		p.Kill()
		if _, err := os.Stat(f.Run(f.run).Spec()); err != nil {
			out, code := f.Hpcbench(f.submitArgs("--repeats", "1", "--wait")...)
			if code == 2 && strings.Contains(out, "holds no run yet") {
				continue // says what to do, and nothing was sent
			}
			if code != 0 && code != 3 {
				t.Errorf("submit again: exit code %d\n%s", code, out)
			}
			continue
		}
		runs++
		if _, code := f.Hpcbench("resume", f.run, "--wait"); code != 0 && code != 3 {
			f.Measure("wait", f.run)
		}
		f.completed()
		if n := f.jobsNamed(); n != 1 {
			t.Errorf("killed after %d ms: %d jobs", 15*i+5, n)
		}
		f.clean()
	}
	if runs == 0 {
		t.Error("no submit came as far as a run")
	}
	f.saw("before there is a run nothing is sent; afterwards resume, or wait, completes it, with one job")
	f.end = "resume completed every run"
	f.left = "no process left"
}
