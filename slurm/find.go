package slurm

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"
)

// FindByName looks for the jobs with exactly this name, in the queue and in the
// records of everything submitted since then. It is what to do after ErrLost, a
// few seconds later, before another sbatch: the controller may still have
// been at work when the answer was lost.
//
// No id and no error means that there is no such job. Where the queue has none
// and the database can't be asked, that is an error, since the job may have
// run and gone; a cluster without accounting is asked for its queue only.
func (c *Client) FindByName(ctx context.Context, name string, since time.Time) ([]JobID, error) {
	if err := JobName(name); err != nil {
		return nil, err
	}
	found := map[JobID]bool{}
	queued, err := c.squeue(ctx, "--name="+name)
	if err != nil {
		return nil, fmt.Errorf("look for job %s in the queue: %w", name, err)
	}
	for _, r := range queued {
		if r.Name == name {
			found[r.ID.Base()] = true
		}
	}
	if len(found) == 0 {
		// A minute of slack: the controller's clock need not be ours.
		start := since.UTC().Add(-time.Minute).Format("2006-01-02T15:04:05")
		past, err := c.sacct(ctx, "--name="+name, "--allocations", "--starttime="+start)
		if err != nil && !errors.Is(err, ErrNoAccounting) {
			return nil, fmt.Errorf("look for job %s in the accounting records: %w", name, err)
		}
		for _, r := range past {
			if r.Name == name {
				found[r.ID.Base()] = true
			}
		}
	}
	ids := make([]JobID, 0, len(found))
	for id := range found {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i].Job < ids[j].Job })
	return ids, nil
}
