//go:build cluster || fault || engine

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Hpcbench runs the program and answers what it printed and its exit code.
func (w *World) Hpcbench(args ...string) (string, int) {
	w.T.Helper()
	return w.Command(Program, args...)
}

// Command runs any program as the user.
func (w *World) Command(name string, args ...string) (string, int) {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(w.T.Context(), 12*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Dir = w.Env, w.Dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.T.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// Must runs the program and fails the test where it fails.
func (w *World) Must(args ...string) string {
	w.T.Helper()
	out, code := w.Hpcbench(args...)
	if code != 0 {
		w.T.Fatalf("hpcbench %s: exit code %d\n%s\n%s", strings.Join(args, " "), code, out, w.JobOutput())
	}
	return out
}

// Measure runs the program to the end of a run. What it says of the numbers is not
// this level's business: beside other jobs on two cores, requests may well be sent late,
// and then it says INVALID (exit code 3) as it should.
func (w *World) Measure(args ...string) string {
	w.T.Helper()
	out, code := w.Hpcbench(args...)
	if code != 0 && code != 3 {
		w.T.Fatalf("hpcbench %s: exit code %d\n%s\n%s", strings.Join(args, " "), code, out, w.JobOutput())
	}
	return out
}

// Process is a program that runs beside the test.
type Process struct {
	w    *World
	cmd  *exec.Cmd
	out  bytes.Buffer
	done chan struct{}
}

// Start runs the program beside the test, in a process group of its own.
func (w *World) Start(args ...string) *Process {
	w.T.Helper()
	return w.StartCommand(Program, args...)
}

// StartCommand runs any program beside the test. What is left of it at the test's end is killed.
func (w *World) StartCommand(name string, args ...string) *Process {
	w.T.Helper()
	p := &Process{w: w, cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir = w.Env, w.Dir
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Second // a child that outlives it keeps the pipe open
	if err := p.cmd.Start(); err != nil {
		w.T.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // Exit has the code
		close(p.done)
	}()
	w.T.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

// PID is its process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill is kill -9 of this process alone.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// Over says whether it has ended.
func (p *Process) Over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Exit waits for its end and answers what it printed and its exit code, −1 where a signal ended it.
func (p *Process) Exit() (string, int) {
	p.w.T.Helper()
	select {
	case <-p.done:
	case <-time.After(4 * time.Minute):
		p.w.T.Fatalf("%v doesn't end", p.cmd.Args)
	}
	return p.out.String(), p.cmd.ProcessState.ExitCode()
}

// JobOutput is what the jobs printed, for a failing test.
func (w *World) JobOutput() string {
	found, _ := filepath.Glob(filepath.Join(w.Dir, "runs", "*", "logs", "*"))
	var b strings.Builder
	for _, path := range found {
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "==> %s\n%s\n", path, text)
	}
	return b.String()
}
