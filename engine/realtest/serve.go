package realtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Process is a running vllm command with its log.
type Process struct {
	Port    int
	LogPath string
	Dead    chan struct{} // closed when the process has ended

	cmd   *exec.Cmd
	ended time.Time // valid once Dead is closed
}

// Run starts a command line whose {port} is filled with a free port (or the
// one given), in a process group of its own, and ends the whole group after the
// test. key goes to VLLM_API_KEY.
func (e Engine) Run(t testing.TB, args []string, port int, key string) *Process {
	t.Helper()
	dir := t.TempDir()
	if err := e.InstallCommand(dir, 1); err != nil {
		t.Fatal(err)
	}
	if port == 0 {
		port = freePort(t)
	}
	p := &Process{Port: port, LogPath: filepath.Join(dir, "server.log"), Dead: make(chan struct{})}
	log, err := os.Create(p.LogPath)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.NewReplacer("{port}", strconv.Itoa(port), "{nonce}", "nonce")
	filled := make([]string, len(args))
	for i, a := range args {
		filled[i] = words.Replace(a)
	}
	if filled[0] == "vllm" {
		filled[0] = filepath.Join(dir, "vllm")
	}
	p.cmd = exec.Command(filled[0], filled[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(os.Environ(), "VLLM_API_KEY="+key)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the exit code is asked for by Exit
		p.ended = time.Now()
		log.Close()
		close(p.Dead)
	}()
	t.Cleanup(func() {
		// The engine's processes outlive a killed server, so the group goes as a whole.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		<-p.Dead
	})
	return p
}

// Signal sends one to the server's first process, as a job's end does.
func (p *Process) Signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// Exit waits for the end and returns the exit code.
func (p *Process) Exit(limit time.Duration) (int, error) {
	select {
	case <-p.Dead:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(limit):
		return -1, fmt.Errorf("the server still runs after %v", limit)
	}
}

// Ended is when the process ended; Dead must be closed.
func (p *Process) Ended() time.Time { return p.ended }

// Group says whether any process of the server's group is alive.
func (p *Process) Group() bool { return syscall.Kill(-p.cmd.Process.Pid, 0) == nil }

// Log is what the server has written so far.
func (p *Process) Log(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(p.LogPath)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
