package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// Cancel ends a run's jobs: those in its ledger, by their recorded ids, and only
// where the queue says that the job of that id still has the name we gave it (ids are
// used again after a controller's reset). It answers what it cancelled.
func Cancel(ctx context.Context, sched Scheduler, e Entry, now time.Time) ([]slurm.JobID, error) {
	ledger := OpenLedger(e.Dir)
	entries, err := ledgerOf(e)
	if err != nil {
		return nil, err
	}
	var ids []slurm.JobID
	names := map[uint64]Submission{}
	for _, sub := range Submissions(entries) {
		if sub.JobID == "" {
			continue
		}
		id, err := slurm.ParseJobID(sub.JobID)
		if err != nil {
			return nil, fmt.Errorf("cancel %s: the ledger's %w", e.Name, err)
		}
		ids = append(ids, id)
		names[id.Job] = sub
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := sched.Queue(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("cancel %s: nothing was cancelled, since the queue can't say whose the jobs are: %w", e.Name, err)
	}
	var ours []slurm.JobID
	var foreign []string
	asked := map[uint64]bool{}
	for _, r := range rows {
		sub, known := names[r.ID.Job]
		switch {
		case !known || asked[r.ID.Job] || r.State.Class().Over():
			continue
		case r.Name != sub.JobName:
			foreign = append(foreign, fmt.Sprintf("%s is now %q", r.ID, r.Name))
			continue
		}
		asked[r.ID.Job] = true
		ours = append(ours, r.ID.Base())
	}
	if len(ours) > 0 {
		// Written first: a job that ends by our hand is then never taken for a failure.
		for _, id := range ours {
			entry := names[id.Job].LedgerEntry
			entry.At, entry.Event = now.UTC(), results.LedgerCancelled
			if err := ledger.Add(entry); err != nil {
				return nil, err
			}
			for _, other := range siblings(e) {
				if err := MirrorSession(e.Dir, other, *e.Spec.Session); err != nil {
					return nil, err
				}
			}
		}
		if err := sched.Cancel(ctx, ours...); err != nil {
			return nil, fmt.Errorf("cancel %s: %w", e.Name, err)
		}
	}
	if len(foreign) > 0 {
		return ours, fmt.Errorf("cancel %s: not touched, since they aren't ours any more: %s", e.Name, strings.Join(foreign, "; "))
	}
	return ours, nil
}
