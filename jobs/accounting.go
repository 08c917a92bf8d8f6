package jobs

import (
	"context"
	"fmt"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// Spent is what the accounting says of one job of a run.
type Spent struct {
	Name  string // of the job
	State slurm.State
	Ended bool
	// Elapsed is over all the times that the job ran.
	Elapsed time.Duration
	Line    string // of the last time
}

// Accounting asks once what became of a run's jobs, and answers by the number
// that a job knows itself by (SLURM_JOB_ID). Nothing is asked where nothing was
// submitted.
func Accounting(ctx context.Context, sched Scheduler, run results.RunDir) (map[string]Spent, error) {
	entries, err := OpenLedger(run).Read()
	if err != nil {
		return nil, err
	}
	var ids []slurm.JobID
	names := map[uint64]string{} // a number is used again after a controller's reset; our name isn't
	for _, s := range Submissions(entries) {
		if s.JobID == "" {
			continue
		}
		id, err := slurm.ParseJobID(s.JobID)
		if err != nil {
			return nil, fmt.Errorf("read the ledger %s: %w", run.Ledger(), err)
		}
		ids = append(ids, id)
		names[id.Job] = s.JobName
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := sched.Accounting(ctx, ids...)
	found := map[string]Spent{}
	for _, r := range rows {
		if r.ID.StepRef != "" || r.Name != names[r.ID.Job] {
			continue
		}
		key := fmt.Sprint(r.RawID)
		s := found[key]
		s.Elapsed += r.Elapsed
		s.Name = r.Name
		if r.Latest {
			s.State, s.Ended, s.Line = r.State, r.State.Class().Over(), r.Line()
		}
		found[key] = s
	}
	return found, err
}
