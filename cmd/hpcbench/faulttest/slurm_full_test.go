//go:build fault && full

package faulttest

import (
	"context"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
)

func TestControllerPausedForLong(t *testing.T) {
	f := put(t, "Slurm", "controller answers nothing for 75 s at `submit`", "stopped with SIGSTOP: sbatch gives up, and the controller then finds its request")
	f.row.full = true
	goOn, err := world.Cluster.PauseController()
	if err != nil {
		t.Fatal(err)
	}
	defer goOn()
	submit := f.Start(f.submitArgs("--repeats", "1")...)
	time.Sleep(75 * time.Second)
	goOn()
	if out, code := submit.Exit(); code != 0 && !strings.Contains(out, "hpcbench resume "+f.run) {
		t.Errorf("submit: exit code %d\n%s", code, out)
	}
	if _, code := f.Hpcbench("resume", f.run, "--wait"); code != 0 && code != 3 {
		f.Measure("wait", f.run) // its job was found, and is under way
	}
	f.completed()
	if n := f.jobsNamed(); n != 1 {
		t.Errorf("%d jobs", n)
	}
	f.saw("the answer is lost, the job is found by its name, and there is one")
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}

func TestControllerStoppedForAMinute(t *testing.T) {
	f := put(t, "Slurm", "controller stopped when jobs end", "for 60 s, in which the run's two jobs end")
	f.row.full = true
	f.slowPlan()
	f.submit("--repeats", "2", "--repeat-mode", "array")
	waiting := f.Start("wait", f.run)
	f.measuring(2, 0)
	if err := world.Cluster.StopController(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(60 * time.Second)
	if err := world.Cluster.StartController(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, code := waiting.Exit(); code != 0 {
		t.Errorf("wait: exit code %d\n%s", code, out)
	}
	f.saw("the jobs end without it, wait takes their files' word and ends well")
	f.completed()
	f.keeps()
	f.clean()
	f.end = "both repeats are complete"
}

func TestGoneWithoutADatabase(t *testing.T) {
	f := put(t, "Slurm", "slurmdbd stopped until the controller forgets the job", "70 s after a job that was cancelled by hand; MinJobAge is 60 s")
	f.row.full = true
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
	f.submit("--repeats", "1")
	f.measuring(1, 0)
	f.tool("scancel", uintText(f.job(1, 0)))
	f.over()
	f.Until("the controller has forgotten the job", func() bool {
		return strings.Contains(f.Status(f.run).Repeats[0].Words, "interrupted") && !strings.Contains(f.tool("squeue", "-h", "-t", "all", "-o", "%j"), f.run)
	})
	s := f.over()
	f.shows(s, 1, "interrupted", "interrupted")
	if err := world.Cluster.StartDatabase(t.Context()); err != nil {
		t.Fatal(err)
	}
	up = true
	f.saw("the repeat's own files say that it was interrupted; nobody waits for the database")
	f.keeps()
	f.clean()
	f.resumes()
}
