//go:build fault

package faulttest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
)

// twoNodes submits a run on both of LUMI's nodes. Its server is a script that plays
// a head, which serves once its worker has come, and a worker, which does what the
// words say when it has reached the head. The nodes have no addresses of their own here,
// so a double of getent gives them one.
func (f *fault) twoNodes(worker string, flags ...string) {
	f.T.Helper()
	f.File("bin/getent", "#!/bin/bash\n[ \"$1\" = ahostsv4 ] && echo \"127.0.0.1 STREAM $2\"\n")
	server := f.script(`joined=$ONCE.joined.$MASTER_PORT
if [ "$SLURM_PROCID" != 0 ]; then
  until exec 3<>"/dev/tcp/$MASTER_ADDR/$MASTER_PORT"; do sleep 0.2; done 2>/dev/null
  : >"$joined"
` + worker + `
fi
"$STUB" stub --host 0.0.0.0 --port "$MASTER_PORT" --served-model-name meeting &
until [ -e "$joined" ]; do sleep 0.1; done
exec "$STUB" stub --port "$1" --served-model-name "$2" --truth "$TRUTH"`)
	f.Must(append([]string{"submit", "--site", "lumi", "--partition", "small-g", "--model", "Qwen3-8B", "--nodes", "2", "--gpus", "16",
		"--repeats", "1", "--name", f.run, "--server-script", server}, flags...)...)
}

// holdsOn is a worker that stays until it is told to go.
const holdsOn = "  exec sleep 600"

// rank are the processes of a task of the run's server.
func (f *fault) rank(n int) []int {
	var pids []int
	for _, pid := range f.Marked(f.run) {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(env, []byte(fmt.Sprintf("\x00SLURM_PROCID=%d\x00", n))) && bytes.Contains(env, []byte("\x00SLURM_STEP_ID=0\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestTwoNodes(t *testing.T) {
	t.Parallel()
	f := put(t, "Several nodes", "none: a server on two nodes", "one srun task a node, which meet at the first node's address and a free port")
	f.twoNodes(holdsOn)
	s := f.over()
	f.shows(s, 1, "complete", "")
	a := f.attempt(1, 0)
	if !strings.Contains(a.Slurm.NodeList, "[") {
		t.Errorf("nodes %s", a.Slurm.NodeList)
	}
	f.saw("the repeat completes, and the tasks of both nodes end with the server")
	f.keeps()
	f.clean()
	f.end = "the repeat is complete"
}

// secondNode puts a fault into the second node's task and says how long it took until the load was stopped.
func (f *fault) secondNode(strike func()) time.Duration {
	f.T.Helper()
	f.measuring(1, 0)
	if len(f.rank(1)) == 0 || len(f.rank(0)) == 0 {
		f.T.Fatalf("tasks: %v and %v", f.rank(0), f.rank(1))
	}
	begun := time.Now()
	strike()
	f.over()
	return time.Since(begun)
}

func TestSecondNodesTaskKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "Several nodes", "the second node's task killed -9", "in a step; the head goes on answering")
	f.Plan("short", "rates_per_s: [5, 10]", "rates_per_s: [8]", "duration_s: 1.5", "duration_s: 14")
	f.twoNodes(holdsOn)
	took := f.secondNode(func() {
		for _, pid := range f.rank(1) {
			kill9(pid)
		}
	})
	if took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	f.shows(f.Status(f.run), 1, "failed", "the server ended while it was loaded")
	f.saw("srun ends the other task, and the repeat is shown as failed after %.0f s", took.Seconds())
	f.keeps()
	f.clean()
	f.resumes()
}

func TestSecondNodesTaskLeaves(t *testing.T) {
	t.Parallel()
	f := put(t, "Several nodes", "the second node's task ends with exit code 0", "in a step, as vLLM's headless node does on TERM; the head goes on answering")
	f.Plan("short", "rates_per_s: [5, 10]", "rates_per_s: [8]", "duration_s: 1.5", "duration_s: 14")
	f.twoNodes("  trap 'exit 0' TERM\n  sleep 600 & wait")
	took := f.secondNode(func() {
		for _, pid := range f.rank(1) {
			term(pid)
		}
	})
	if took > 25*time.Second {
		t.Errorf("it took %s", took)
	}
	f.shows(f.Status(f.run), 1, "failed", "the server ended while it was loaded")
	f.saw("srun waits 5 s, ends the other task, and the repeat is shown as failed after %.0f s", took.Seconds())
	f.keeps()
	f.clean()
	f.resumes()
}

func TestSecondNodeDies(t *testing.T) {
	t.Parallel()
	f := put(t, "Several nodes", "the second node dies", "in a step, with everything on it; the controller says that it is down")
	f.Plan("short", "rates_per_s: [5, 10]", "rates_per_s: [8]", "duration_s: 1.5", "duration_s: 14")
	f.twoNodes(holdsOn)
	took := f.secondNode(func() {
		if err := world.Cluster.KillNode(t.Context(), "nid005001"); err != nil {
			t.Fatal(err)
		}
	})
	s := f.Status(f.run)
	if p := s.Repeats[0].Phase; p != "interrupted" && p != "failed" {
		t.Errorf("the repeat is %s: %s", p, s.Repeats[0].Words)
	}
	if s.Repeats[0].State != "NODE_FAIL" {
		t.Errorf("Slurm's state is shown as %q", s.Repeats[0].State)
	}
	if err := world.Cluster.StartNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
	f.saw("Slurm ends the job, which is shown with its state NODE_FAIL after %.0f s", took.Seconds())
	f.keeps()
	f.clean()
	f.resumes()
}

func TestSrunKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "Several nodes", "`hpcbench repeat` and its srun killed -9", "in a step of the first of two repeats in one job; srun's tasks go on without it")
	f.slowPlan()
	f.twoNodes(holdsOn, "--repeats", "2", "--repeat-mode", "restart")
	f.measuring(1, 0)
	kill9(f.repeatProcess())
	s := f.over()
	f.shows(s, 1, "interrupted", "")
	f.shows(s, 2, "complete", "")
	f.saw("the tasks of both nodes are ended before the next repeat starts its own")
	f.keeps()
	f.clean()
	f.resumes()
}
