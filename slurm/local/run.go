package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"hpcbench/slurm"
)

// noOutput is the signal that Slurm reports where a job's output file can't be
// opened or its directory does not exist.
const noOutput = 53

// runElement runs the script once, to its end or its limit.
func (s *supervisor) runElement(e element) error {
	st, err := s.c.readState(e)
	if err == nil && st.State.Class().Over() {
		return nil // cancelled while it waited
	}
	if s.cancelled(e) {
		return s.end(e, state{State: slurm.StateCancelled, CancelledBy: s.cancelledBy(e)})
	}
	st = state{State: slurm.StateRunning, Start: time.Now().UTC()}
	cmd, err := s.command(e, &st)
	if err == nil {
		s.note(s.c.writeState(e, st)) // before the script can do anything
		err = cmd.Start()
	}
	if err != nil {
		st.State, st.Reason = slurm.StateFailed, "JobLaunchFailure"
		st.Exit.Signal, st.BatchExit.Signal = noOutput, noOutput
		return errors.Join(err, s.end(e, st))
	}
	if st.Shell, err = identify(cmd.Process.Pid); err != nil {
		s.note(err) // it may have ended already
	}
	s.note(s.c.writeState(e, st))
	done := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its status is in ProcessState
		close(done)
	}()
	st = s.watch(e, st, cmd.Process.Pid, done)
	s.killAll(cmd.Process.Pid)
	<-done
	if ps := cmd.ProcessState; ps != nil {
		if ws, ok := ps.Sys().(syscall.WaitStatus); ok {
			st.BatchExit = exitOf(ws)
		}
		if ru, ok := ps.SysUsage().(*syscall.Rusage); ok {
			st.MaxRSSBytes = ru.Maxrss << 10
		}
	}
	switch {
	case st.State != slurm.StateRunning: // timed out or cancelled
	case st.BatchExit == slurm.Exit{}:
		st.State = slurm.StateCompleted
	default:
		st.State, st.Exit = slurm.StateFailed, st.BatchExit
	}
	return s.end(e, st)
}

// command is the script's process, with its output opened.
func (s *supervisor) command(e element, st *state) (*exec.Cmd, error) {
	cmd := exec.Command(filepath.Join(s.dir, "script"), s.j.Args...)
	cmd.Dir = s.j.WorkDir
	cmd.Env = append(append([]string{}, s.environ...), slurmEnviron(s.j, e, cpus())...)
	cmd.Env = append(cmd.Env, s.c.mark(e))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := s.open(s.j.Output, e)
	if err != nil {
		return nil, err
	}
	st.StdOut = out.Name()
	cmd.Stdout, cmd.Stderr = out, out
	if s.j.Error != "" && s.j.Error != s.j.Output {
		if cmd.Stderr, err = s.open(s.j.Error, e); err != nil {
			return nil, err
		}
	}
	return cmd, nil
}

func (s *supervisor) open(pattern string, e element) (*os.File, error) {
	path := outputPath(pattern, s.j, e)
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.j.WorkDir, path)
	}
	mode := os.O_TRUNC
	if s.j.Append {
		mode = os.O_APPEND
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the job's output: %w", err)
	}
	return f, nil
}

// watch waits for the script's end. At the time limit, and when it is
// cancelled, the batch shell gets TERM; what is left after KillWait is the
// caller's to kill.
func (s *supervisor) watch(e element, st state, shell int, done <-chan struct{}) state {
	began := time.Now()
	warned := s.j.Warn.Signal == 0 || s.j.TimeLimit == 0
	var killAt time.Time
	for {
		select {
		case <-done:
			return st
		default:
		}
		time.Sleep(pollEvery)
		reap(shell)
		ran := time.Since(began)
		if !warned && ran >= s.j.TimeLimit-s.j.Warn.Before {
			warned = true
			s.note(syscall.Kill(shell, syscall.Signal(s.j.Warn.Signal)))
		}
		switch {
		case !killAt.IsZero():
			if time.Now().After(killAt) {
				return st
			}
			continue
		case s.cancelled(e):
			st.State, st.CancelledBy = slurm.StateCancelled, s.cancelledBy(e)
		case s.j.TimeLimit > 0 && ran >= s.j.TimeLimit:
			st.State = slurm.StateTimeout
		default:
			continue
		}
		killAt = time.Now().Add(s.j.KillWait)
		_ = syscall.Kill(shell, syscall.SIGCONT)
		_ = syscall.Kill(shell, syscall.SIGTERM)
	}
}

// killAll kills everything below this process, again until nothing is left, for at most
// ten seconds: a process that the kernel holds can't be waited for.
func (s *supervisor) killAll(shell int) {
	if !hasProc() {
		_ = syscall.Kill(-shell, syscall.SIGKILL) // its group is all that can be reached
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := 0
		for _, p := range below(allProcesses(), os.Getpid()) {
			if p.state != 'Z' && p.state != 'X' {
				left++
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
		reap(shell)
		if left == 0 {
			return
		}
		if time.Now().After(deadline) {
			s.note(fmt.Errorf("%d processes of the job cannot be killed", left))
			return
		}
	}
}

// reap takes the zombies that were adopted, but not the batch shell, whose
// status somebody waits for.
func reap(shell int) {
	self := os.Getpid()
	for _, p := range allProcesses() {
		if p.ppid == self && p.state == 'Z' && p.pid != shell {
			var ws syscall.WaitStatus
			_, _ = syscall.Wait4(p.pid, &ws, syscall.WNOHANG, nil)
		}
	}
}

// exitOf is a wait status in Slurm's form.
func exitOf(ws syscall.WaitStatus) slurm.Exit {
	if ws.Signaled() {
		return slurm.Exit{Signal: int(ws.Signal())}
	}
	return slurm.Exit{Code: ws.ExitStatus()}
}
