//go:build engine

package enginetest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/results"
)

// What is learnt of the real vLLM holds the arguments of a run, and the server that
// then starts is the one that was learnt about.
func TestPrepareLearnsTheRealEngine(t *testing.T) {
	w, engine := onReal(t)
	out := w.Must("prepare", "--site", "karolina")
	if !strings.Contains(out, "has vLLM 0.32.0 with ") {
		t.Errorf("prepare says\n%s", out)
	}
	run := append([]string{"submit", "--site", "karolina", "--repeats", "1", "--name", "learnt"}, flags(engine)...)
	out, code := w.Hpcbench(append(run, "--server-arg=--max-num-seq-lens=4")...)
	if code != 2 || !strings.Contains(out, "vLLM 0.32.0 doesn't know --max-num-seq-lens") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	w.Measure(append(run, "--wait")...)
	spec, err := results.ReadJSON[results.Spec](w.Run("learnt").Spec(), results.FormatSpec)
	if err != nil || spec.Server.EngineVersion != "0.32.0" || len(spec.Server.ImageDigest) != 64 {
		t.Errorf("run.json has version %q, digest %q, %v", spec.Server.EngineVersion, spec.Server.ImageDigest, err)
	}
	a := w.Attempts("learnt")
	if len(a) != 1 || a[0].State != results.StateComplete || a[0].Server.ImageDigest != spec.Server.ImageDigest {
		t.Fatalf("attempts %+v\n%s", a, w.JobOutput())
	}
	w.NothingLeft("learnt")

	// The hub's client that comes with it has the options that prepare gives it.
	hf := filepath.Join(engine.Dir, "env", "bin", "hf")
	help, err := exec.CommandContext(t.Context(), hf, "download", "--help").CombinedOutput()
	for _, option := range []string{"--max-workers", "--exclude", "--revision"} {
		if err != nil || !strings.Contains(string(help), option) {
			t.Errorf("hf download has no %s: %v", option, err)
		}
	}
}
