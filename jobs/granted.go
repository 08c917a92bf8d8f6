package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// checkGranted compares what the controller holds of a job with what was asked
// for: a site's submit plugin or a variable may have changed it, and the money then
// comes from elsewhere. A controller that can't be asked now says nothing.
func (s Submitter) checkGranted(ctx context.Context, id slurm.JobID) {
	if s.Say == nil {
		return
	}
	held, err := s.Scheduler.Job(ctx, id)
	if err != nil || len(held) == 0 {
		return
	}
	limit := time.Duration(s.Spec.Job.WalltimeS) * time.Second
	if s.Walltime > 0 {
		limit = s.Walltime
	}
	if words := granted(held[0], s.Spec.Job, limit); words != "" {
		s.Say(fmt.Sprintf("job %s is not what was asked for: %s", id, words))
	}
}

// granted says what differs; accounts are the same in any case, as Slurm stores them in small letters.
func granted(held slurm.Job, asked results.JobSpec, limit time.Duration) string {
	var differ []string
	if asked.Account != "" && !strings.EqualFold(held.Account, asked.Account) {
		differ = append(differ, fmt.Sprintf("account %s instead of %s", held.Account, asked.Account))
	}
	if asked.Partition != "" && held.Partition != asked.Partition {
		differ = append(differ, fmt.Sprintf("partition %s instead of %s", held.Partition, asked.Partition))
	}
	if limit > 0 && held.TimeLimit != limit.Round(time.Minute) && held.TimeLimit != limit {
		differ = append(differ, fmt.Sprintf("time limit %s instead of %s", held.TimeLimit, limit))
	}
	return strings.Join(differ, ", ")
}
