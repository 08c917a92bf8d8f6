//go:build fault

package faulttest

import (
	"context"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
)

// Tests of this file stop a daemon that all others need, so they run alone: they aren't parallel, and
// the parallel ones begin when they are over.

func TestControllerStopped(t *testing.T) {
	f := put(t, "Slurm", "controller stopped while a run is followed", "for 20 s in a step; meanwhile `status`, `submit` and `collect`")
	f.Plan("short", "rates_per_s: [5, 10]", "rates_per_s: [8]", "duration_s: 1.5", "duration_s: 30")
	f.submit("--repeats", "1")
	waiting := f.Start("wait", f.run)
	f.measuring(1, 0)
	if err := world.Cluster.StopController(); err != nil {
		t.Fatal(err)
	}
	stopped := time.Now()
	other := f.submitArgs("--repeats", "1")
	other[8] = "other" // --name
	submit := f.Start(other...)
	if out, code := f.Hpcbench("collect", f.run); code == 0 || !strings.Contains(out, "0 of 1 repeats") {
		t.Errorf("collect: exit code %d\n%s", code, out)
	}
	s := f.Status(f.run)
	if p := s.Repeats[0].Phase; p != "running" || !strings.Contains(s.Repeats[0].Words, "step 1/1") || !strings.Contains(s.Repeats[0].Words, "controller cannot be asked") {
		t.Errorf("status says %+v", s.Repeats[0])
	}
	if waiting.Over() && f.Status(f.run).Repeats[0].Phase != "complete" {
		out, code := waiting.Exit()
		t.Errorf("wait gave up: exit code %d\n%s", code, out)
	}
	if out, code := submit.Exit(); code != 4 || !strings.Contains(out, "cannot reach Slurm") {
		t.Errorf("submit: exit code %d\n%s", code, out)
	}
	time.Sleep(time.Until(stopped.Add(20 * time.Second)))
	if err := world.Cluster.StartController(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, code := waiting.Exit(); code != 0 {
		t.Errorf("wait: exit code %d\n%s", code, out)
	}
	f.saw("wait goes on, status says that the controller cannot be asked, submit sends nothing and leaves nothing, collect reads what there is")
	f.keeps()
	f.clean()
	f.completed()
	f.end = "the repeat is complete"
}

func TestControllerPausedAtSubmit(t *testing.T) {
	f := put(t, "Slurm", "controller answers nothing for a while at `submit`", "stopped with SIGSTOP for 12 s while sbatch waits")
	goOn, err := world.Cluster.PauseController()
	if err != nil {
		t.Fatal(err)
	}
	defer goOn()
	submit := f.Start(f.submitArgs("--repeats", "1", "--wait")...)
	time.Sleep(12 * time.Second)
	if submit.Over() {
		t.Error("submit gave up")
	}
	goOn()
	if out, code := submit.Exit(); code != 0 && code != 3 {
		t.Errorf("submit: exit code %d\n%s", code, out)
	}
	if n := f.jobsNamed(); n != 1 {
		t.Errorf("%d jobs", n)
	}
	f.saw("submit waits, one job is made and followed to its end")
	f.completed()
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}

func TestDatabaseStopped(t *testing.T) {
	f := put(t, "Slurm", "slurmdbd stopped", "before `submit`, until the run of two array elements is over and one of them cancelled by hand")
	f.slowPlan()
	if err := world.Cluster.StopDatabase(); err != nil {
		t.Fatal(err)
	}
	up := false
	defer func() {
		if !up {
			_ = world.Cluster.StartDatabase(context.Background()) // for the next test
		}
	}()
	f.submit("--repeats", "2", "--repeat-mode", "array")
	f.measuring(1, 0)
	id, _, _ := strings.Cut(f.Status(f.run).Repeats[1].JobID, "_")
	f.tool("scancel", id+"_2")
	s := f.over()
	f.shows(s, 1, "complete", "")
	f.shows(s, 2, "cancelled", "")
	out, code := f.Hpcbench("collect", f.run)
	if code != 0 && code != 3 || !strings.Contains(out, "1 of 2 repeats") {
		t.Errorf("collect: exit code %d\n%s", code, out)
	}
	if err := world.Cluster.StartDatabase(t.Context()); err != nil {
		t.Fatal(err)
	}
	up = true
	f.saw("the run goes its way, states come from the queue and from the files, and collect shows the table without what was spent")
	f.keeps()
	f.clean()
	f.resumes()
}
