//go:build engine

package enginetest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"hpcbench/results"
)

// One engine on two nodes, without Ray. The first repeat completes; in the second the
// second node's launcher gets TERM, after which the head would answer /health for
// long, and fail every request.
func TestTwoNodes(t *testing.T) {
	w, engine := onReal(t)
	// Here the nodes have no addresses of their own.
	w.File("bin/getent", "#!/bin/bash\n[ \"$1\" = ahostsv4 ] && echo \"127.0.0.1 STREAM $2\"\n")
	path := w.Conf + "/sites/lumi.yaml"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w.File("config/sites/lumi.yaml", string(text)+"environment:\n  VLLM_HOST_IP: {value: 127.0.0.1, where: container, reason: the test's nodes are one machine}\n")
	plan, err := os.ReadFile(w.Conf + "/plans/real.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// Long enough for a launcher's end, which takes 11 s, to come in the middle of it.
	w.File("config/plans/real.yaml", strings.NewReplacer("rates_per_s: [2, 4]", "rates_per_s: [2]", "duration_s: 4", "duration_s: 25").Replace(string(plan)))
	args := []string{"submit", "--site", "lumi", "--partition", "small-g", "--name", "two", "--repeats", "2", "--repeat-mode", "restart",
		"--nodes", "2", "--tp", "2", "--pp", "1"}
	args = append(args, strings.Split(strings.Replace(strings.Join(flags(engine), "\n"), "--gpus\n1", "--gpus\n2", 1), "\n")...)
	w.Must(args...)
	second := w.Run("two").Attempt(2, 0)
	w.Until("the second repeat is in a step", func() bool {
		n := 0
		_, err := results.ReadLinesFile(second.Records(), func(r results.Record) {
			if r.Phase == results.PhaseWindow {
				n++
			}
		})
		return err == nil && n >= 2
	})
	struck := time.Now()
	for _, pid := range w.Marked("two") {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !bytes.Contains(env, []byte("\x00SLURM_PROCID=1\x00")) || !bytes.Contains(env, []byte("\x00SLURM_STEP_ID=")) {
			continue
		}
		if line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && bytes.Contains(line, []byte("--headless")) {
			_ = syscall.Kill(pid, syscall.SIGTERM) // it may just have ended
		}
	}
	w.Until("the second repeat has ended", func() bool {
		a, err := results.ReadJSON[results.Attempt](second.Attempt(), results.FormatAttempt)
		return err == nil && !a.EndedAt.IsZero()
	})
	took := time.Since(struck)
	attempts := w.Attempts("two")
	one, two := attempts[0], attempts[1]
	if one.State != results.StateComplete || one.Simulated || one.Server.Version != "0.32.0" || !strings.Contains(one.Slurm.NodeList, "[") {
		t.Errorf("the first repeat is %s on %s, server %+v\n%s", one.State, one.Slurm.NodeList, one.Server, w.JobOutput())
	}
	// vLLM's launcher takes 11 s to end, srun then waits for 5, and the server's grace is 20.
	if two.State != results.StateFailed || took > time.Minute {
		t.Errorf("the second repeat is %s after %s: %+v\n%s", two.State, took, two.Failure, w.JobOutput())
	}
	t.Logf("a second node that left was noticed, and all was ended, after %s: %s", took, two.Server.ExitWords)
	w.NothingLeft("two")
}
