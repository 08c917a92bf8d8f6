//go:build fault

package faulttest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/results"
)

func TestNodeKilled(t *testing.T) {
	t.Parallel()
	f := put(t, "Slurm", "node killed", "with everything on it, in a step, on a partition that doesn't requeue")
	node := f.reserve("nid005001")
	f.slowPlan()
	f.Must("submit", "--site", "lumi", "--partition", "small-g", "--model", "Qwen3-8B", "--gpus", "1", "--repeats", "1",
		"--name", f.run, "--server-arg="+f.truth(), "--reservation", node)
	f.measuring(1, 0)
	if err := world.Cluster.KillNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
	s := f.over()
	f.shows(s, 1, "interrupted", "a node was lost")
	if err := world.Cluster.StartNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
	f.saw("the repeat is shown as interrupted, with the words that a node was lost under it")
	f.keeps()
	f.clean()
	f.resumes()
}

func TestNodeKilledAndRequeued(t *testing.T) {
	t.Parallel()
	f := put(t, "Slurm", "node killed, job requeued", "as above, on a partition where Slurm may start the job again; two repeats in one job, killed in the second")
	node := f.reserve("nid005001")
	f.File("config/sites/lumi.yaml", string(f.read("config/sites/lumi.yaml"))+"partitions:\n  small-g: {requeue: true}\n")
	f.slowPlan()
	f.Must("submit", "--site", "lumi", "--partition", "small-g", "--model", "Qwen3-8B", "--gpus", "1", "--repeats", "2", "--repeat-mode", "restart",
		"--name", f.run, "--server-arg="+f.truth(), "--reservation", node)
	f.measuring(2, 0)
	job := f.job(2, 0)
	if err := world.Cluster.KillNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
	f.Until("the job waits again", func() bool { return f.Status(f.run).Repeats[1].Phase == "pending" })
	if err := world.Cluster.StartNode(t.Context(), "nid005001"); err != nil {
		t.Fatal(err)
	}
	f.again(job)
	f.saw("the job is shown as pending and runs again under its number; the complete repeat is kept, the other has a second attempt")
}

func TestPreempted(t *testing.T) {
	t.Parallel()
	f := put(t, "The job", "preempted and requeued", "on qgpu_preempt, by a job of qgpu that takes the node; two repeats in one job, preempted in the second")
	node := f.reserve("acn02")
	f.slowPlan()
	f.submit("--partition", "qgpu_preempt", "--repeats", "2", "--repeat-mode", "restart", "--reservation", node)
	f.measuring(2, 0)
	job := f.job(2, 0)
	f.tool("sbatch", "-A", "open-00-00", "-p", "qgpu", "--reservation="+node, "-w", "acn02", "--gpus=8", "-t", "5", "-o", "/dev/null", "--wrap", "sleep 2")
	f.Until("the job waits again", func() bool { return f.Status(f.run).Repeats[1].Phase == "pending" })
	f.again(job)
	f.saw("the job is shown as pending and runs again under its number; the complete repeat is kept, the other has a second attempt")
}

// again waits until a requeued job has run once more, and checks what became of its two repeats.
func (f *fault) again(job uint64) {
	f.T.Helper()
	s := f.over()
	f.shows(s, 1, "complete", "")
	f.shows(s, 2, "complete", "")
	one, two := s.Repeats[0], s.Repeats[1]
	if one.Attempts != 1 && f.attempt(1, 0).Invalid == "" || two.Attempts != 2 {
		f.T.Errorf("%d and %d attempts\n%s", one.Attempts, two.Attempts, f.JobOutput())
	}
	first, second := f.attempt(2, 0), f.attempt(2, 1)
	if first.State == results.StateComplete || second.Slurm.RestartCount != 1 || second.Slurm.JobID != fmt.Sprint(job) {
		f.T.Errorf("the first attempt is %s, the second has %+v", first.State, second.Slurm)
	}
	if f.attempt(1, 0).Invalid == "" && !strings.Contains(f.JobOutput(), "repeat 1 is complete already and is kept") {
		f.T.Errorf("the job says\n%s", f.JobOutput())
	}
	f.keeps()
	f.clean()
	f.completed()
	f.end = "both repeats are complete"
}

func (f *fault) read(name string) []byte {
	f.T.Helper()
	b, err := os.ReadFile(f.Dir + "/" + name)
	if err != nil {
		f.T.Fatal(err)
	}
	return b
}
