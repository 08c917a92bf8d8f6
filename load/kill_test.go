package load

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"hpcbench/engine/stub"
	"hpcbench/results"
	"hpcbench/results/summary"
)

// TestKillLeavesARunThatCanBeRead kills a load in the middle of a step: the
// requests that had ended are there, and the summary made of them says that the
// step wasn't finished.
func TestKillLeavesARunThatCanBeRead(t *testing.T) {
	s := startStub(t, stub.Config{TTFTBaseMs: 20, ITLMs: 2})
	dir := results.AttemptDir(t.TempDir())
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperLoad$")
	cmd.Env = append(os.Environ(), "HPCBENCH_TEST_LOAD="+s.URL(), "HPCBENCH_TEST_DIR="+string(dir))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(30 * time.Second)
	for len(records(t, dir)) < 100 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	before := len(records(t, dir))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	a, err := results.ReadJSON[results.Attempt](dir.Attempt(), results.FormatAttempt)
	if err != nil {
		t.Fatal(err)
	}
	in, err := readBack(dir, a, ratePlan(60, 50))
	if err != nil {
		t.Fatal(err)
	}
	sum := summary.Compute(in)
	if before < 100 || len(in.Records) < before || sum.BadRecords != 0 || sum.TornRecords > 1 {
		t.Fatalf("%d records before, %d after, %d torn, %d broken", before, len(in.Records), sum.TornRecords, sum.BadRecords)
	}
	step := sum.Steps[0]
	if sum.State != results.StateRunning || step.Finished || step.Counts.Completed < 90 || step.Counts.Planned != 3000 {
		t.Errorf("%s, finished %v, %+v", sum.State, step.Finished, step.Counts)
	}
}

// TestHelperLoad is the child.
func TestHelperLoad(t *testing.T) {
	url := os.Getenv("HPCBENCH_TEST_LOAD")
	if url == "" {
		return
	}
	dir := results.AttemptDir(os.Getenv("HPCBENCH_TEST_DIR"))
	file, err := NewAttemptFile(dir, 0o600, Standalone("test", 1, 0, "digest", "test"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), Config{Endpoint: endpointOf(t, url), Plan: ratePlan(60, 50), Dir: dir, Attempt: file}); err != nil {
		t.Fatal(err)
	}
}
