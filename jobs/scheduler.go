package jobs

import (
	"context"
	"time"

	"hpcbench/slurm"
)

// Scheduler is what jobs needs of Slurm; slurm.Client is one, and slurm/local
// gives the same answers from local processes.
type Scheduler interface {
	Submit(ctx context.Context, r slurm.SubmitRequest) (slurm.JobID, error)
	FindByName(ctx context.Context, name string, since time.Time) ([]slurm.JobID, error)
	Queue(ctx context.Context, ids ...slurm.JobID) ([]slurm.QueueRow, error)
	Accounting(ctx context.Context, ids ...slurm.JobID) ([]slurm.AcctRow, error)
	Job(ctx context.Context, id slurm.JobID) ([]slurm.Job, error)
	Cancel(ctx context.Context, ids ...slurm.JobID) error
}
