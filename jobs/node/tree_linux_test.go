package node

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestReadProcessWithBracketsInTheName(t *testing.T) {
	p, err := readProcess([]byte("4711 (VLLM::Engine (x) S) Z 12 4711 4711 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 9 0 987654 1 2 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := process{pid: 4711, parent: 12, state: 'Z', started: 987654, name: "VLLM::Engine (x) S"}
	if p != want {
		t.Errorf("got %+v", p)
	}
}

func TestBelowLeavesOut(t *testing.T) {
	all := []process{{pid: 1}, {pid: 2, parent: 1}, {pid: 3, parent: 2}, {pid: 4, parent: 1}, {pid: 5, parent: 4}, {pid: 6, parent: 9}}
	var got []int
	for _, p := range below(all, 1, map[int]bool{4: true}) {
		got = append(got, p.pid)
	}
	if len(got) != 2 || got[0] != 2 || got[1] != 3 {
		t.Errorf("got %v", got)
	}
}

func FuzzReadProcess(f *testing.F) {
	f.Add([]byte("1 (a) S 0 1 1 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 9 0 77"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, stat []byte) {
		if p, err := readProcess(stat); err == nil && p.state == 0 {
			t.Errorf("no state in %+v", p)
		}
	})
}

// A server whose child outlives it: the case of vLLM's engine after kill -9 of
// the API server.
func TestStopEndsOrphans(t *testing.T) {
	if err := adopt(); err != nil {
		t.Fatal(err)
	}
	log := t.TempDir() + "/server.log"
	s, err := startServer([]string{"bash", "-c", "setsid sleep 1000 & echo $!; trap '' TERM; while :; do sleep 0.1; done"}, os.Environ(), log)
	if err != nil {
		t.Fatal(err)
	}
	orphan := readPid(t, log)
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.done
	if unix.Kill(orphan, 0) != nil {
		t.Fatal("the orphan should still live")
	}
	how, err := s.stop(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(how, "killed by signal 9") || !strings.Contains(how, "it left were killed") {
		t.Errorf("it says %q", how)
	}
	if unix.Kill(orphan, 0) == nil {
		t.Errorf("%d still lives", orphan)
	}
}

func TestStopAfterGrace(t *testing.T) {
	if err := adopt(); err != nil {
		t.Fatal(err)
	}
	log := t.TempDir() + "/server.log"
	s, err := startServer([]string{"bash", "-c", "trap '' TERM; echo $$; while :; do sleep 0.05; done"}, os.Environ(), log)
	if err != nil {
		t.Fatal(err)
	}
	readPid(t, log)
	how, err := s.stop(200 * time.Millisecond)
	if err != nil || !strings.Contains(how, "TERM was not heeded") {
		t.Errorf("%q, %v", how, err)
	}
}

func TestSweepFindsByMarker(t *testing.T) {
	cmd := exec.Command("setsid", "sleep", "1000")
	cmd.Env = append(os.Environ(), marker+"=run-a/7")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	if swept, err := sweep("run-a/77", time.Second); err != nil || swept != "" {
		t.Errorf("another run's server was swept: %q, %v", swept, err)
	}
	for end := time.Now().Add(5 * time.Second); ; { // setsid has the marker at once, sleep after its exec
		swept, err := sweep("run-a/7", 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if swept != "" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it was not found")
		}
	}
}

// readPid waits until the log's first line is there.
func readPid(t *testing.T, log string) int {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		b, _ := os.ReadFile(log)
		if line, _, ok := strings.Cut(string(b), "\n"); ok {
			pid := 0
			for _, c := range line {
				pid = pid*10 + int(c-'0')
			}
			return pid
		}
	}
	t.Fatal("the server wrote nothing")
	return 0
}
