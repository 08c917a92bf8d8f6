package slurm

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Cancel ends exactly these jobs or array elements, and no other. A job that
// has ended, or that the controller no longer knows, is no error.
func (c *Client) Cancel(ctx context.Context, ids ...JobID) error {
	if err := c.scancel(ctx, nil, ids); err != nil {
		return fmt.Errorf("cancel %s: %w", join(ids), err)
	}
	return nil
}

// SignalTarget is who gets a signal.
type SignalTarget string

const (
	SignalSteps SignalTarget = ""        // the steps that srun started
	SignalBatch SignalTarget = "--batch" // the batch shell alone
	SignalFull  SignalTarget = "--full"  // the batch shell and its children
)

// Signal sends a signal by name (TERM, USR1) to exactly these jobs. With
// proctrack/cgroup, as on most machines, a signal other than KILL reaches only
// the direct children of slurmstepd.
func (c *Client) Signal(ctx context.Context, signal string, target SignalTarget, ids ...JobID) error {
	if err := DirectiveValue(signal); err != nil {
		return err
	}
	args := []string{"--signal=" + signal}
	if target != SignalSteps {
		args = append(args, string(target))
	}
	if err := c.scancel(ctx, args, ids); err != nil {
		return fmt.Errorf("send %s to %s: %w", signal, join(ids), err)
	}
	return nil
}

func (c *Client) scancel(ctx context.Context, args []string, ids []JobID) error {
	for _, id := range ids {
		if id.Job == 0 {
			return errors.New("no job id")
		}
		args = append(args, id.String())
	}
	if len(ids) == 0 {
		return nil // scancel without an id, but with options, would look for jobs itself
	}
	_, err := c.ask(ctx, "scancel", args...)
	var failed *CommandError
	if errors.As(err, &failed) && gone(failed.Result.Stderr) {
		return nil
	}
	return err
}

// gone says whether every complaint of scancel's is that there is nothing left
// to end.
func gone(stderr string) bool {
	any := false
	for _, line := range strings.Split(strings.ToLower(stderr), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !containsAny(line, noJob) && !strings.Contains(line, "already completing or completed") {
			return false
		}
		any = true
	}
	return any
}

func join(ids []JobID) string {
	s := make([]string, len(ids))
	for i, id := range ids {
		s[i] = id.String()
	}
	return strings.Join(s, ",")
}
