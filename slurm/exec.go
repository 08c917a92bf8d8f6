package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// Command is one call of a tool.
type Command struct {
	Name    string
	Args    []string
	Environ []string
}

// Result is what a tool answered.
type Result struct {
	Stdout string
	Stderr string
	Code   int // exit status
}

// Runner calls a tool and waits for it. It returns an error where there is no
// exit status: the tool isn't there, or was killed, or ctx ended. A non-zero
// exit status is no error.
type Runner func(ctx context.Context, cmd Command) (Result, error)

// maxOutput bounds what is kept of one answer, in bytes: 200,000 rows of squeue.
const maxOutput = 64 << 20

// Exec is the Runner that runs the real tool, in a process group of its own: a
// Ctrl-C at the terminal must not tear an sbatch in half.
func Exec(ctx context.Context, cmd Command) (Result, error) {
	var stdout, stderr capped
	c := exec.CommandContext(ctx, cmd.Name, cmd.Args...)
	c.Env = cmd.Environ
	c.Stdout, c.Stderr = &stdout, &stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = 2 * time.Second
	err := c.Run()
	res := Result{Stdout: stdout.String(), Stderr: stderr.String()}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return res, fmt.Errorf("%w: %w", ErrNotInstalled, err)
	case ctx.Err() != nil && err != nil:
		return res, fmt.Errorf("no answer within the time allowed: %w", context.Cause(ctx))
	case errors.As(err, &exit) && exit.Exited():
		res.Code = exit.ExitCode()
	case err != nil:
		return res, err
	}
	if stdout.cut {
		return res, fmt.Errorf("more than %d bytes of output", maxOutput)
	}
	return res, nil
}

// capped is a buffer that stops growing.
type capped struct {
	bytes.Buffer
	cut bool
}

func (b *capped) Write(p []byte) (int, error) {
	if room := maxOutput - b.Len(); len(p) > room {
		b.cut = true
		b.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return b.Buffer.Write(p)
}
