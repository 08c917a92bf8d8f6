//go:build fault

package faulttest

import (
	"fmt"
	"testing"

	"hpcbench/results"
)

// The time limit is shortened to two minutes when the repeat is where it is to be hit: that is
// all before the signal, so Slurm sends it at its next look at the limits, within half a minute.
func TestWalltimeInWarmUp(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "walltime reached in the warm-up", "Slurm's own signal, 2 min before the end; the walltime was too short")
	f.Plan("short", "warmup: {duration_s: 0.3}", "warmup: {duration_s: 40}")
	f.walltime(func(p results.Progress) bool { return p.Phase == "warmup" && p.Completed >= 5 })
	f.saw("the attempt ends as interrupted, with the words that it was before the end of the walltime; resume is given a longer one")
}

func TestWalltimeInAStep(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "walltime reached in a step", "Slurm's own signal, 2 min before the end; the walltime was too short")
	f.Plan("short", "rates_per_s: [5, 10]", "rates_per_s: [8]", "duration_s: 1.5", "duration_s: 40")
	f.walltime(func(p results.Progress) bool { return p.Phase == "step" && p.Completed >= 5 })
	f.saw("the attempt ends as interrupted, with the words that it was before the end of the walltime; resume is given a longer one")
}

func (f *fault) walltime(there func(results.Progress) bool) {
	f.T.Helper()
	f.submit("--repeats", "1", "--time", "3m", "--force")
	f.Until("the repeat is there", func() bool {
		p, err := results.ReadJSON[results.Progress](f.dir(1, 0).Progress(), results.FormatProgress)
		return err == nil && there(p)
	})
	f.tool("scontrol", "update", fmt.Sprintf("JobId=%d", f.job(1, 0)), "TimeLimit=2")
	s := f.over()
	f.shows(s, 1, "interrupted", "before the end of the walltime: what was measured until then is saved")
	if a := f.attempt(1, 0); a.State != results.StateInterrupted {
		f.T.Errorf("the attempt is %s", a.State)
	}
	f.keeps()
	f.clean()
	f.Measure("resume", f.run, "--time", "10m", "--wait")
	f.completed()
	f.end = "resume --time completed the run"
}
