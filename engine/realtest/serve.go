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

// Start is how to run a command line.
type Start struct {
	Args  []string
	Port  int               // for {port}; 0 = a free one
	Words map[string]string // further words in Args and what they become
	Key   string            // goes to VLLM_API_KEY
	Env   []string          // further variables
}

// Run starts a server in a process group of its own and ends the whole group
// after the test. {port} in its arguments becomes a port and {nonce} "nonce".
func (e Engine) Run(t testing.TB, s Start) *Process {
	t.Helper()
	dir := t.TempDir()
	if err := e.InstallCommand(dir, 1); err != nil {
		t.Fatal(err)
	}
	if s.Port == 0 {
		s.Port = FreePort(t)
	}
	p := &Process{Port: s.Port, LogPath: filepath.Join(dir, "server.log"), Dead: make(chan struct{})}
	log, err := os.Create(p.LogPath)
	if err != nil {
		t.Fatal(err)
	}
	pairs := []string{"{port}", strconv.Itoa(s.Port), "{nonce}", "nonce"}
	for word, value := range s.Words {
		pairs = append(pairs, word, value)
	}
	words := strings.NewReplacer(pairs...)
	filled := make([]string, len(s.Args))
	for i, a := range s.Args {
		filled[i] = words.Replace(a)
	}
	if filled[0] == "vllm" {
		filled[0] = filepath.Join(dir, "vllm")
	}
	p.cmd = exec.Command(filled[0], filled[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(append(os.Environ(), "VLLM_API_KEY="+s.Key), s.Env...)
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
		p.Kill()
		<-p.Dead
	})
	return p
}

// Kill ends the whole group, because the engine's processes outlive a killed server.
func (p *Process) Kill() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

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

// FreePort is a port of loopback that nobody has now.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
