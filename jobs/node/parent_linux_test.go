package node

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary stand for a repeat whose batch shell is killed.
func TestMain(m *testing.M) {
	if os.Getenv("HPCBENCH_TEST_CHILD") == "repeat" {
		if err := endWithParent(); err != nil {
			os.Exit(1)
		}
		if err := os.WriteFile(os.Getenv("HPCBENCH_TEST_FILE"), nil, 0o600); err != nil {
			os.Exit(1)
		}
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestARepeatEndsWithItsShell(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for job, survives := range map[string]bool{"77": false, "": true} {
		ready := t.TempDir() + "/ready"
		shell := exec.Command("bash", "-c", `"$0" & echo $!; wait`, self)
		shell.Env = append(os.Environ(), "HPCBENCH_TEST_CHILD=repeat", "HPCBENCH_TEST_FILE="+ready, "SLURM_JOB_ID="+job)
		out, err := shell.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := shell.Start(); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 20)
		n, err := out.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		pid := strings.TrimSpace(string(b[:n]))
		alive := func() bool {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			return err == nil && !strings.Contains(string(stat), ") Z ")
		}
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(ready); err == nil {
				break
			}
		}
		if err := shell.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = shell.Wait() // it was killed
		deadline := 10 * time.Second
		if survives {
			deadline = 300 * time.Millisecond
		}
		for end := time.Now().Add(deadline); alive() && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		}
		if alive() != survives {
			t.Errorf("in job %q it lives: %v", job, alive())
		}
		_ = exec.Command("kill", "-9", pid).Run() // of the one that survives
	}
}
