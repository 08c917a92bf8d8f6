package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sethvargo/go-retry"

	"hpcbench/results"
	"hpcbench/slurm"
)

// orphanAge is how long after it was sent a job may still appear: an sbatch whose
// hpcbench was killed goes on alone, and waits for a slow controller as long as Slurm's
// MessageTimeout says, which is at most 100 s.
const orphanAge = 2 * time.Minute

// errNotFound says that no job has the name.
var errNotFound = errors.New("no job of that name")

// Settle looks for the submits whose answer was never written down, since the
// hpcbench that sent them was killed or Slurm didn't answer. A job that is found
// by its name goes into the ledger. That there is none is certain only some time
// after the submit, so a young one is waited for; say is told so.
func (s Submitter) Settle(ctx context.Context) error {
	ledger := OpenLedger(s.Dir)
	entries, err := ledger.Read()
	if err != nil {
		return err
	}
	for _, sub := range Submissions(entries) {
		if !sub.Open {
			continue
		}
		if err := s.settle(ctx, ledger, sub.LedgerEntry); err != nil {
			return err
		}
	}
	return nil
}

// settle brings one submit to an end: answered meanwhile, found, or certainly not there.
func (s Submitter) settle(ctx context.Context, ledger Ledger, e results.LedgerEntry) error {
	age := s.OrphanAge
	if age == 0 {
		age = orphanAge
	}
	if left := age - s.Now().Sub(e.At); left > 0 && s.Say != nil {
		s.Say(fmt.Sprintf("the submit of job %s got no answer: looking for it for up to %s", e.JobName, left.Round(time.Second)))
	}
	backoff := retry.WithJitterPercent(20, retry.WithCappedDuration(5*time.Second, retry.NewExponential(500*time.Millisecond)))
	return retry.Do(ctx, backoff, func(ctx context.Context) error {
		// Whoever sent it may be alive and have written the answer.
		entries, err := ledger.Read()
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(Submissions(entries), func(o Submission) bool { return o.JobName == e.JobName && o.Open }) {
			return nil
		}
		certain := s.Now().Sub(e.At) >= age
		ids, err := s.Scheduler.FindByName(ctx, e.JobName, e.At)
		if err != nil {
			return fmt.Errorf("look for job %s, whose submit got no answer: %w", e.JobName, err)
		}
		entry := e
		entry.At = s.Now().UTC()
		switch {
		case len(ids) > 0:
			entry.Event, entry.JobID = results.LedgerFound, ids[0].String()
		case certain:
			entry.Event, entry.Words = results.LedgerRefused, "the answer was lost and no job of that name exists"
		default:
			return retry.RetryableError(errNotFound)
		}
		return ledger.Add(entry)
	})
}

// ErrUnderway says that somebody else is submitting the same repeats now.
var ErrUnderway = errors.New("another hpcbench is submitting these repeats")

// first says whether an intent of ours is the first that is open for its repeats. Two
// submits write their intents before they read, so that at least one sees the other, and
// the order of the lines decides between them. With ever set an earlier one that was
// answered with a job counts as well.
func first(ledger Ledger, mine results.LedgerEntry, ever bool) error {
	entries, err := ledger.Read()
	if err != nil {
		return err
	}
	for _, sub := range Submissions(entries) {
		if sub.JobName == mine.JobName {
			return nil
		}
		if !sub.Open && !(ever && sub.JobID != "") {
			continue
		}
		for _, r := range sub.Repeats {
			if slices.Contains(mine.Repeats, r) {
				return fmt.Errorf("%w (job %s, repeat %d)", ErrUnderway, sub.JobName, r)
			}
		}
	}
	return fmt.Errorf("the ledger lost the intent of job %s", mine.JobName)
}

// recover looks for a job whose answer was lost, for a while: the controller may
// still be at work on it.
func (s Submitter) recover(ctx context.Context, ledger Ledger, entry results.LedgerEntry, lost error) (slurm.JobID, error) {
	limit := s.FindFor
	if limit == 0 {
		limit = 30 * time.Second
	}
	var ids []slurm.JobID
	backoff := retry.WithMaxDuration(limit, retry.WithJitterPercent(20, retry.WithCappedDuration(5*time.Second, retry.NewExponential(time.Second))))
	err := retry.Do(ctx, backoff, func(ctx context.Context) error {
		found, err := s.Scheduler.FindByName(ctx, entry.JobName, entry.At)
		if err != nil {
			return retry.RetryableError(err)
		}
		if len(found) == 0 {
			return retry.RetryableError(errNotFound)
		}
		ids = found
		return nil
	})
	if err != nil {
		// The intent stays open: the next resume looks again before it sends anything.
		return slurm.JobID{}, fmt.Errorf("submit %s: %w; no job named %s was found in %s (%w). Nothing more was sent: `hpcbench resume %s` looks again first", s.Spec.Name, lost, entry.JobName, limit, err, s.Spec.Name)
	}
	entry.At, entry.Event, entry.JobID = s.Now().UTC(), results.LedgerFound, ids[0].String()
	return ids[0], ledger.Add(entry)
}
