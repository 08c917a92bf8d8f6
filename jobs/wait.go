package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sethvargo/go-retry"
)

// ErrNever says that a job can't start as it was submitted; the error has Slurm's
// reason and the remedy.
var ErrNever = errors.New("a job can never start")

// goneFor is how long a job that left the queue is waited for when its end is in
// neither its files nor the accounting. A database may be down for long; the job won't
// come back.
const goneFor = 10 * time.Minute

// errUnder keeps the poll going.
var errUnder = errors.New("not over yet")

// Wait asks for the runs again and again until none has a repeat under way, and
// calls seen with each answer. The first questions come soon, since a short job would
// else be waited for a whole interval; then one in every interval, with jitter, so that
// many waiters don't ask at one instant. A question that fails is put again.
func Wait(ctx context.Context, sched Scheduler, entries []Entry, every time.Duration, seen func([]RunStatus)) ([]RunStatus, error) {
	every = max(every, time.Second)
	backoff := retry.NewExponential(min(time.Second, every))
	backoff = retry.WithCappedDuration(every, backoff)
	backoff = retry.WithJitterPercent(10, backoff)
	var last []RunStatus
	gone := gone{}
	var doubt error
	err := retry.Do(ctx, backoff, func(ctx context.Context) error {
		last = Status(ctx, sched, entries)
		gone.settle(last, time.Now())
		seen(last)
		// Slurm writes a job's reason anew at each scheduling pass, so one look isn't believed.
		before := doubt
		if doubt = never(last); doubt != nil && before != nil && doubt.Error() == before.Error() {
			return doubt
		}
		for _, r := range last {
			if !r.Over() {
				return retry.RetryableError(errUnder)
			}
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // an interrupted wait leaves the jobs as they are
	}
	return last, err
}

// gone is since when a repeat's job has left the queue without a trace of its end.
type gone map[string]time.Time

// settle ends the repeats that were gone for long enough.
func (g gone) settle(runs []RunStatus, now time.Time) {
	for _, run := range runs {
		for i := range run.Repeats {
			r := &run.Repeats[i]
			key := fmt.Sprint(run.Dir, " ", r.Index, " ", r.JobID)
			if !r.Gone {
				delete(g, key)
				continue
			}
			if g[key].IsZero() {
				g[key] = now
			}
			if now.Sub(g[key]) >= goneFor {
				r.Phase = PhaseInterrupted
				r.Words = fmt.Sprintf("%s; nothing more was heard of it for %s", r.Words, goneFor)
			}
		}
	}
}

// never finds jobs that would be waited for in vain.
func never(runs []RunStatus) error {
	var words []string
	for _, run := range runs {
		for _, r := range run.Repeats {
			if r.Never {
				words = append(words, fmt.Sprintf("%s repeat %d (job %s): %s", run.Name, r.Index, r.JobID, r.Words))
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s; `hpcbench cancel` removes it", ErrNever, strings.Join(words, "; "))
}
