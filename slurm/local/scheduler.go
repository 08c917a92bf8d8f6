package local

import (
	"fmt"
	"path/filepath"
	"time"
)

// Scheduler is a queue of local jobs, with the methods of slurm.Client that a
// submitter needs. It holds nothing but where things are, so any process can
// make one and ask.
type Scheduler struct {
	// State is the folder of the jobs; it is made when the first one is
	// submitted. The jobs of one folder run one at a time.
	State string
	// Supervise is the argv of a program that calls Supervise with the folder
	// that is added as its last argument: the caller's own binary and a hidden verb.
	Supervise []string
	// KillWait is the time between TERM and KILL. 0 means Slurm's 30 s.
	KillWait time.Duration
}

const defaultKillWait = 30 * time.Second

// at is the scheduler with its folder spelled out, since supervisors and marks
// name it from elsewhere.
func (c Scheduler) at() (Scheduler, error) {
	state, err := filepath.Abs(c.State)
	if err != nil || c.State == "" {
		return c, fmt.Errorf("local jobs: folder %q: not a path", c.State)
	}
	c.State = state
	if c.KillWait == 0 {
		c.KillWait = defaultKillWait
	}
	return c, nil
}
