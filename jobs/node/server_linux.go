package node

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// server is a started server process with a log of its own.
type server struct {
	cmd  *exec.Cmd
	log  *os.File
	done chan struct{} // closed when the direct child has ended
	at   time.Time
	how  string // how it ended, after done
}

// startServer starts argv with env, its output appended to the log. The direct
// child gets a process group of its own, so that a TERM meant for us doesn't
// reach it before the load has stopped, and is killed by the kernel when we die
// (unless it is setuid, as some container starters are: sweep is for those).
func startServer(argv, env []string, logPath string) (*server, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, fileMode)
	if err != nil {
		return nil, fmt.Errorf("open the server's log: %w", err)
	}
	s := &server{log: log, done: make(chan struct{}), at: time.Now()}
	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Env = env
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		// The kernel sends Pdeathsig when the thread that forked ends, so that thread must live as long as the server.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := s.cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		s.how = words(s.cmd.Wait())
		_ = s.log.Close()
		close(s.done)
	}()
	if err := <-started; err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("start the server (%s): %w", argv[0], err)
	}
	return s, nil
}

// words says how a process ended. vLLM's exit code is 0 also when its engine
// died under it, so this is told, never judged.
func words(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "exit code 0"
	case errors.As(err, &exit):
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return fmt.Sprintf("killed by signal %d (%s)", status.Signal(), status.Signal())
		}
		return fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	return err.Error()
}

// alive says whether the direct child still runs.
func (s *server) alive() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// stop sends TERM, waits the grace, and then kills the whole tree below this
// process: vLLM loses a TERM that comes while it starts, and its engine
// processes outlive a killed API server.
func (s *server) stop(grace time.Duration) (string, error) {
	asked := s.alive()
	if asked {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may end at this instant
		select {
		case <-s.done:
		case <-time.After(grace):
		}
	}
	late := s.alive()
	if late {
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	killed, err := endTree(nil, 30*time.Second)
	how := s.how
	switch {
	case late:
		how += fmt.Sprintf(", after TERM was not heeded for %s", grace)
	case asked:
		how += " on TERM"
	default:
		how += " by itself"
	}
	if killed > 0 {
		how += fmt.Sprintf("; %d processes it left were killed", killed)
	}
	return how, err
}
