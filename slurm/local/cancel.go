package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"hpcbench/slurm"
)

// Cancel ends exactly these jobs or array elements and everything they started. It
// returns at once; TERM, the grace and KILL are the supervisor's to do. A job that has
// ended, or that never was, is no error. Where the supervisor itself is gone,
// what it left running is killed here.
func (c Scheduler) Cancel(ctx context.Context, ids ...slurm.JobID) error {
	var errs []error
	for _, id := range ids {
		if id.Job == 0 {
			return errors.New("cancel: no job id")
		}
		err := c.each(ctx, []slurm.JobID{id}, func(j job, e element, st state) {
			if (id.Array && !id.Covers(j.id(e))) || st.State.Class().Over() && !c.orphaned(j, e) {
				return
			}
			if err := c.cancelElement(j, e); err != nil {
				errs = append(errs, fmt.Errorf("cancel %s: %w", j.id(e), err))
			}
		})
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (c Scheduler) cancelElement(j job, e element) error {
	by := strconv.Itoa(os.Getuid())
	mark := filepath.Join(c.jobDir(j.ID), "cancel-"+strconv.FormatUint(e.Task, 10))
	if err := os.WriteFile(mark, []byte(by), 0o600); err != nil {
		return err
	}
	if c.supervised(j) {
		return nil
	}
	st, err := c.readState(e)
	if err != nil {
		return err
	}
	if st.State.Class().Over() {
		return nil
	}
	for range 50 {
		left := strays(st.Shell, c.mark(e))
		if len(left) == 0 {
			st.State, st.CancelledBy, st.End = slurm.StateCancelled, by, time.Now().UTC()
			return c.writeState(e, st)
		}
		for _, p := range left {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		time.Sleep(100 * time.Millisecond)
	}
	return errors.New("some of its processes cannot be killed")
}

func (c Scheduler) supervised(j job) bool {
	var sup process
	return readJSON(filepath.Join(c.jobDir(j.ID), "supervisor.json"), &sup) == nil && sup.alive()
}

// orphaned says whether an element counts as lost only because its supervisor
// is gone: nobody has written its end.
func (c Scheduler) orphaned(j job, e element) bool {
	st, err := c.readState(e)
	return err == nil && !st.State.Class().Over() && !c.supervised(j)
}
