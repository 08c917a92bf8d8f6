package slurmtest

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

func TestProcessesAndTheirDescendants(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 100 & wait")
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HB_MARK=here"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	var shell process
	var tree []process
	ok := waitFor(10*time.Second, func() bool {
		all := processes()
		i := slices.IndexFunc(all, func(p process) bool { return p.pid == cmd.Process.Pid && p.has("HB_MARK=here") })
		if i < 0 {
			return false
		}
		shell = all[i]
		tree = withDescendants(all, all[i:i+1])
		return len(tree) == 2
	})
	if !ok {
		t.Fatalf("the shell and its child: %+v", tree)
	}
	if shell.ppid != os.Getpid() || shell.hasName("HB_MAR") || !shell.hasName("HB_MARK") {
		t.Errorf("shell %+v", shell)
	}
	end(tree, 0)
	for _, p := range tree {
		if alive(p.pid) {
			t.Errorf("process %d (%s) is alive", p.pid, p.name)
		}
	}
	if alive(0) || alive(-1) {
		t.Error("no process is alive")
	}
}

func TestProcessHoldsAFile(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	self := process{pid: os.Getpid()}
	if !self.holds(f.Name()[:len(f.Name())-1]) || self.holds(f.Name()+"-other") {
		t.Error("open files are not seen")
	}
}
