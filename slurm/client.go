package slurm

import (
	"context"
	"os"
	"time"
)

// Options changes how a Client calls the tools. The zero value is what a
// program wants.
type Options struct {
	// Run calls a tool. nil means the real one, found on PATH.
	Run Runner
	// Environ is the environment that the tools are called with, before
	// scrubbing. nil means this process's.
	Environ []string
	// Timeout ends one call that hangs. 0 means a minute: squeue and sbatch
	// give up by themselves after about ten seconds for each controller.
	Timeout time.Duration
	// RetryFor is how long a question is asked again while the controller or
	// the database cannot be reached. 0 means 45 s; negative means never.
	// sbatch is never called again, whatever it says.
	RetryFor time.Duration
}

// Client asks one cluster, the one that the tools' configuration names. It has
// no state of its own and may be used by many goroutines.
type Client struct {
	run      Runner
	question []string // environment of everything that reads or cancels
	submit   []string // environment of sbatch, which the job inherits
	timeout  time.Duration
	retryFor time.Duration
}

// New returns a client. It calls nothing yet: use Version to see whether the
// tools are there.
func New(o Options) *Client {
	if o.Run == nil {
		o.Run = Exec
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.RetryFor == 0 {
		o.RetryFor = 45 * time.Second
	}
	return &Client{
		run:      o.Run,
		question: questionEnviron(o.Environ),
		submit:   Scrub(o.Environ),
		timeout:  o.Timeout,
		retryFor: o.RetryFor,
	}
}

// ask runs a tool whose call has no effect, or the same effect twice, and asks
// again while nobody answers.
func (c *Client) ask(ctx context.Context, name string, args ...string) (Result, error) {
	return retryTransient(ctx, c.retryFor, func(ctx context.Context) (Result, error) {
		return c.call(ctx, Command{Name: name, Args: args, Environ: c.question})
	})
}

// call runs a tool once, within the client's time limit.
func (c *Client) call(ctx context.Context, cmd Command) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	res, err := c.run(ctx, cmd)
	if err != nil {
		return res, &CommandError{Command: cmd, Result: res, Cause: err}
	}
	if res.Code != 0 {
		return res, &CommandError{Command: cmd, Result: res, Cause: classify(res)}
	}
	return res, nil
}
