package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"hpcbench/slurm"
)

// pollEvery is how often a supervisor looks for its turn, for a cancel and at
// the clock.
const pollEvery = 100 * time.Millisecond

// Supervise runs the job of a folder that Submit prepared: it waits for the
// job's turn, runs the elements one after the other and leaves no process
// behind. It is what the program in Scheduler.Supervise must call, in a process
// of its own that does nothing else, since every child of that process counts as
// the job's. When ctx ends, which the program should let a TERM do, the job is
// cancelled: the script gets TERM and then has KillWait.
func Supervise(ctx context.Context, dir string) error {
	id, err := strconv.ParseUint(filepath.Base(dir), 10, 64)
	if err != nil {
		return fmt.Errorf("supervise %s: not a job's directory", dir)
	}
	c, err := Scheduler{State: filepath.Dir(dir)}.at()
	if err != nil {
		return err
	}
	j, err := c.readJob(id)
	if err != nil {
		return fmt.Errorf("supervise job %d: %w", id, err)
	}
	// Whatever loses its parent becomes our child, so nothing gets away.
	if err := adoptOrphans(); err != nil {
		return fmt.Errorf("supervise job %d: adopt orphans: %w", id, err)
	}
	self, err := identify(os.Getpid())
	if err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, "supervisor.json"), self); err != nil {
		return err
	}
	s := &supervisor{c: c, j: j, dir: dir, ctx: ctx, environ: exportEnviron(j.Export, os.Environ())}
	if !s.waitForTurn() {
		return nil
	}
	var errs []error
	for _, e := range j.Elements {
		if err := s.runElement(e); err != nil {
			errs = append(errs, fmt.Errorf("element %s: %w", j.id(e), err))
		}
	}
	return errors.Join(errs...)
}

type supervisor struct {
	c       Scheduler
	j       job
	dir     string
	environ []string
	ctx     context.Context
}

// waitForTurn waits until every earlier job is over. It returns false where the
// whole job was cancelled meanwhile.
func (s *supervisor) waitForTurn() bool {
	for waited := false; ; waited = true {
		if !s.c.busyBefore(s.j.ID) {
			return true
		}
		open := 0
		for _, e := range s.j.Elements {
			st, err := s.c.readState(e)
			switch {
			case err == nil && st.State != slurm.StatePending:
			case s.cancelled(e):
				s.note(s.end(e, state{State: slurm.StateCancelled, CancelledBy: s.cancelledBy(e)}))
			default:
				open++
				if !waited {
					s.note(s.c.writeState(e, state{State: slurm.StatePending, Reason: "Resources"}))
				}
			}
		}
		if open == 0 {
			return false
		}
		time.Sleep(pollEvery)
	}
}

// busyBefore says whether an earlier job still has something to run.
func (c Scheduler) busyBefore(id uint64) bool {
	ids, err := c.ids()
	if err != nil {
		return true
	}
	for _, other := range ids {
		if other >= id {
			return false
		}
		j, err := c.readJob(other)
		if err != nil {
			continue
		}
		for _, e := range j.Elements {
			if !c.current(j, e).State.Class().Over() {
				return true
			}
		}
	}
	return false
}

func (s *supervisor) cancelMark(e element) string {
	return filepath.Join(s.dir, "cancel-"+strconv.FormatUint(e.Task, 10))
}

func (s *supervisor) cancelled(e element) bool {
	if s.ctx.Err() != nil {
		return true
	}
	_, err := os.Stat(s.cancelMark(e))
	return err == nil
}

func (s *supervisor) cancelledBy(e element) string {
	by, err := os.ReadFile(s.cancelMark(e))
	if err != nil {
		return strconv.Itoa(os.Getuid())
	}
	return string(by)
}

// end writes an element's last state.
func (s *supervisor) end(e element, st state) error {
	st.End = time.Now().UTC()
	return s.c.writeState(e, st)
}

// note keeps in the supervisor's log what went wrong without stopping the job.
func (s *supervisor) note(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, time.Now().UTC().Format(time.RFC3339), err)
	}
}

// current is an element's state as far as anybody can tell: what its file says,
// unless its supervisor is gone.
func (c Scheduler) current(j job, e element) state {
	st, err := c.readState(e)
	if err != nil {
		st = state{State: slurm.StatePending, Reason: "None"}
	}
	if st.State.Class().Over() {
		return st
	}
	var sup process
	err = readJSON(filepath.Join(c.jobDir(j.ID), "supervisor.json"), &sup)
	switch {
	case err == nil && sup.alive():
		return st
	case errors.Is(err, fs.ErrNotExist) && time.Since(j.Submit) < 2*submitLimit:
		return st // being submitted
	}
	// The supervisor may have ended between our two looks, having written.
	if again, err := c.readState(e); err == nil && again.State.Class().Over() {
		return again
	}
	if len(strays(st.Shell, c.mark(e))) > 0 {
		st.State = slurm.StateRunning
		return st
	}
	st.State, st.Reason = slurm.StateNodeFail, "SystemFailure"
	return st
}

// mark is set in the environment of everything that an element starts.
func (c Scheduler) mark(e element) string {
	return "HPCBENCH_LOCAL_JOB=" + c.jobDir(e.Raw)
}
