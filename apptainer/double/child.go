package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// start runs the command, passes every signal on to it alone, as the real starter does
// outside a terminal, and mirrors how it ended: with its exit status, or by the same
// signal, which a shell shows as 128 and the signal. A runtime that is killed takes its
// command with it.
func (d *double) start(path string, argv, env []string, dir string) (int, error) {
	cmd := command(path, argv, env, dir)
	cmd.SysProcAttr = dieWithParent()
	signals := make(chan os.Signal, 64)
	signal.Notify(signals)
	if err := cmd.Start(); err != nil {
		return 0, fatalf("exec %s failed: %v", path, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			// Children's ends and Go's own preemption are not the caller's signals.
			if s != syscall.SIGCHLD && s != syscall.SIGURG {
				_ = cmd.Process.Signal(s) // an error means that it has just ended
			}
		case err := <-ended:
			return status(err)
		}
	}
}

func status(err error) (int, error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, nil
	case !errors.As(err, &exit):
		return 0, fmt.Errorf("wait for the command: %w", err)
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		signal.Reset()
		if err := syscall.Kill(os.Getpid(), ws.Signal()); err != nil {
			return 0, fmt.Errorf("end by signal %v: %w", ws.Signal(), err)
		}
		time.Sleep(time.Second)
		return 128 + int(ws.Signal()), nil // a signal that doesn't end a process
	}
	return exit.ExitCode(), nil
}
