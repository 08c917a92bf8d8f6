package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// each runs a test for every target.
func each(t *testing.T, f func(*testing.T, target)) {
	for _, target := range targets {
		label := target.name
		if target.real {
			label = "real " + label
		}
		t.Run(label, func(t *testing.T) { f(t, target) })
	}
}

// started runs a probe in a session of its own, as a batch job does, and waits until it
// listens. It returns the process, its later lines and its pid.
func started(t *testing.T, target target, args ...string) (*os.Process, func() []string, func() int) {
	t.Helper()
	cmd := target.cmd(append([]string{"exec", "IMAGE", "probe"}, args...))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for range strings.Count(args[0], "family") + 1 { // the child is ready too
		if !lines.Scan() || !strings.Contains(lines.Text(), "ready") {
			t.Fatalf("not ready: %q", lines.Text())
		}
	}
	rest := func() []string {
		var all []string
		for lines.Scan() {
			all = append(all, lines.Text())
		}
		return all
	}
	end := func() int {
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		return shellStatus(cmd)
	}
	return cmd.Process, rest, end
}

func TestSignalsReachTheCommand(t *testing.T) {
	each(t, func(t *testing.T, target target) {
		process, rest, end := started(t, target, "wait")
		for _, s := range []os.Signal{syscall.SIGUSR1, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
			if err := process.Signal(s); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Millisecond) // signals have no order among themselves
		}
		got := strings.Join(rest(), ", ")
		if want := "got user defined signal 1, got hangup, got interrupt, got terminated"; got != want {
			t.Errorf("the command said %q, want %q", got, want)
		}
		if exit := end(); exit != 5 {
			t.Errorf("exit %d, want the command's 5", exit)
		}
	})
}

// This is why the engine has to be the direct child of the runtime.
func TestSignalsReachTheDirectChildOnly(t *testing.T) {
	each(t, func(t *testing.T, target target) {
		process, rest, end := started(t, target, "family")
		if err := process.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		if err := process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		for _, line := range rest() {
			if strings.HasPrefix(line, "child got") {
				t.Errorf("a grandchild was told too: %s", line)
			}
		}
		if exit := end(); exit != 5 {
			t.Errorf("exit %d, want the command's 5", exit)
		}
	})
}

func TestKilledRuntimeTakesTheCommandAlong(t *testing.T) {
	each(t, func(t *testing.T, target target) {
		cmd := target.cmd([]string{"exec", "IMAGE", "probe", "wait"})
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var pid int
		if _, err := fmt.Fscanf(out, "ready %d\n", &pid); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// The pipe closes when the last process that holds it is gone.
		if _, err := io.Copy(io.Discard, out); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if exit := shellStatus(cmd); exit != 137 {
			t.Errorf("exit %d, want 137", exit)
		}
		for range 100 {
			if !running(pid) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("process %d outlived the runtime", pid)
	})
}

// running is false for a process that is gone or only waits to be reaped.
func running(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}
