package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"hpcbench/slurm"
)

// Queue tells the state of these jobs, each array element as a row of its own.
// Unlike Slurm's controller it never forgets a job.
func (c Scheduler) Queue(ctx context.Context, ids ...slurm.JobID) ([]slurm.QueueRow, error) {
	var out []slurm.QueueRow
	err := c.each(ctx, ids, func(j job, e element, st state) {
		row := slurm.QueueRow{
			ID: j.id(e), RawID: e.Raw, Name: j.Name, User: j.User, Account: j.Account, Partition: j.Partition, QOS: j.QOS,
			State: st.State, TimeLimit: limitOf(j), Elapsed: elapsed(st), Submit: j.Submit, Start: st.Start.Truncate(time.Second),
			End: st.End.Truncate(time.Second), Nodes: 1,
		}
		if !st.Start.IsZero() {
			row.NodeList = j.Host
		}
		if st.State == slurm.StatePending {
			row.Reason = st.Reason
		}
		out = append(out, row)
	})
	return out, err
}

// Accounting tells what became of these jobs: a record for each element, and one
// for its batch step once it has run.
func (c Scheduler) Accounting(ctx context.Context, ids ...slurm.JobID) ([]slurm.AcctRow, error) {
	var out []slurm.AcctRow
	err := c.each(ctx, ids, func(j job, e element, st state) {
		row := slurm.AcctRow{
			ID: j.id(e), RawID: e.Raw, Name: j.Name, User: j.User, Account: j.Account, Partition: j.Partition, QOS: j.QOS,
			State: st.State, CancelledBy: st.CancelledBy, Exit: st.Exit, Submit: j.Submit, Start: st.Start.Truncate(time.Second),
			End: st.End.Truncate(time.Second), Elapsed: elapsed(st), TimeLimit: limitOf(j), Reason: st.Reason, Latest: true,
			AllocTRES: slurm.TRES{}, ReqTRES: slurm.TRES{},
		}
		if st.Start.IsZero() {
			out = append(out, row)
			return
		}
		row.NodeList = j.Host
		row.AllocTRES = slurm.TRES{"cpu": strconv.Itoa(cpus()), "node": "1"}
		step := row
		step.ID.StepRef, step.Name, step.Exit, step.MaxRSSBytes, step.TimeLimit = "batch", "batch", st.BatchExit, st.MaxRSSBytes, 0
		out = append(out, row, step)
	})
	return out, err
}

// FindByName looks for the jobs with exactly this name that were submitted since
// then (with a minute of slack).
func (c Scheduler) FindByName(ctx context.Context, name string, since time.Time) ([]slurm.JobID, error) {
	if err := slurm.JobName(name); err != nil {
		return nil, err
	}
	ids, err := c.ids()
	if err != nil {
		return nil, err
	}
	found := []slurm.JobID{}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if j, err := c.readJob(id); err == nil && j.Name == name && !j.Submit.Before(since.Add(-time.Minute)) {
			found = append(found, slurm.JobID{Job: id})
		}
	}
	return found, nil
}

// Job tells one job or element in detail; for an array's id each element.
func (c Scheduler) Job(ctx context.Context, id slurm.JobID) ([]slurm.Job, error) {
	var out []slurm.Job
	err := c.each(ctx, []slurm.JobID{id.Parent()}, func(j job, e element, st state) {
		if id.Array && id.Tasks == "" && id.Task != e.Task {
			return
		}
		out = append(out, slurm.Job{
			ID: j.id(e), RawID: e.Raw, Name: j.Name, User: fmt.Sprintf("%s(%d)", j.User, j.UID), Account: j.Account, Partition: j.Partition,
			QOS: j.QOS, State: st.State, Reason: st.Reason, TimeLimit: limitOf(j), Exit: st.Exit, Submit: j.Submit,
			Start: st.Start.Truncate(time.Second), End: st.End.Truncate(time.Second), NodeList: j.Host, BatchHost: j.Host,
			TRES: slurm.TRES{"cpu": strconv.Itoa(cpus()), "node": "1"}, WorkDir: j.WorkDir, Command: j.Script, StdOut: stdOut(j, e, st),
		})
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("show job %s: %w", id, slurm.ErrNoJob)
	}
	return out, err
}

// each hands over every element of the jobs that these ids are of, each job
// once; ids that are no job's are left out.
func (c Scheduler) each(ctx context.Context, ids []slurm.JobID, do func(job, element, state)) error {
	seen := map[uint64]bool{}
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		if id.Job == 0 || seen[id.Job] {
			continue
		}
		seen[id.Job] = true
		j, err := c.readJob(id.Job)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look at job %s: %w", id, err)
		}
		for _, e := range j.Elements {
			do(j, e, c.current(j, e))
		}
	}
	return nil
}

func limitOf(j job) time.Duration {
	if j.TimeLimit == 0 {
		return slurm.Unlimited
	}
	return j.TimeLimit
}

func elapsed(st state) time.Duration {
	switch {
	case st.Start.IsZero():
		return 0
	case st.End.IsZero():
		return max(0, time.Since(st.Start)).Truncate(time.Second)
	}
	return max(0, st.End.Sub(st.Start)).Truncate(time.Second)
}

func stdOut(j job, e element, st state) string {
	if st.StdOut != "" {
		return st.StdOut
	}
	path := outputPath(j.Output, j, e)
	if !filepath.IsAbs(path) {
		path = filepath.Join(j.WorkDir, path)
	}
	return path
}
