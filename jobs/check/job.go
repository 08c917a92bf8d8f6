package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sethvargo/go-retry"

	"hpcbench/jobs"
	"hpcbench/jobs/resolve"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/slurm"
)

// Task is a small job of our own: it is submitted, followed to its end, and what it
// leaves is read from its folder.
type Task struct {
	Scheduler jobs.Scheduler
	Site      sites.Profile // with its templates filled in
	Kind      string        // doctor or prepare, for its names
	What      string
	GPUs      int
	Walltime  time.Duration
	// Args are the program's, given the task's folder.
	Args func(dir string) []string
	// Fill writes what the task needs into its folder before it is sent.
	Fill func(dir string) error
	Keep []string
	// Patience is how long it may wait in the queue; then it is cancelled. 0 = as long as it takes.
	Patience time.Duration
	// Leave lets the job go on when the caller is interrupted; else it is cancelled.
	Leave       bool
	Program     string // the file of this program
	ToolVersion string
	Now         func() time.Time
	Say         func(format string, args ...any)
}

// Done is a task that has ended.
type Done struct {
	Dir  string
	ID   slurm.JobID
	View slurm.View
}

// Output is what the task printed.
func (d Done) Output() string {
	b, err := os.ReadFile(filepath.Join(d.Dir, "output.log"))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// errWaiting keeps the poll going.
var errWaiting = errors.New("the job isn't over")

// Run makes the folder of the task, submits it and waits for its end. The folder
// is the caller's to remove.
func (t Task) Run(ctx context.Context) (Done, error) {
	dir, err := t.folder()
	if err != nil {
		return Done{Dir: dir}, err
	}
	done := Done{Dir: dir}
	name, err := jobs.UniqueName(t.Kind)
	if err != nil {
		return done, err
	}
	text, job, err := resolve.Task(resolve.TaskRequest{Site: t.Site, Name: name, What: t.What, GPUs: t.GPUs, Walltime: t.Walltime, Dir: dir,
		Command: append([]string{results.RunDir(dir).Binary()}, t.Args(dir)...), Keep: t.Keep, ToolVersion: t.ToolVersion})
	if err != nil {
		return done, err
	}
	script := results.RunDir(dir).Script()
	if err := os.WriteFile(script, text, 0o700); err != nil {
		return done, fmt.Errorf("write the script of the job: %w", err)
	}
	sent := t.Now()
	done.ID, err = t.Scheduler.Submit(ctx, slurm.SubmitRequest{Script: script, JobName: name, Account: job.Account, Partition: job.Partition,
		QOS: job.QOS, Reservation: job.Reservation, Time: t.Walltime, Chdir: dir})
	if errors.Is(err, slurm.ErrLost) {
		done.ID, err = t.find(ctx, name, sent, err)
	}
	if err != nil {
		return done, fmt.Errorf("submit the job: %w", err)
	}
	t.Say("submitted job %s (%s), at most %s in partition %s", done.ID, t.What, t.Walltime, t.Site.Partition)
	done.View, err = t.follow(ctx, done.ID)
	return done, err
}

// folder makes the task's folder below runs_dir, which compute nodes see, with this program in it.
func (t Task) folder() (string, error) {
	if err := os.MkdirAll(t.Site.RunsDir, 0o700); err != nil {
		return "", fmt.Errorf("make the runs folder: %w", err)
	}
	dir, err := os.MkdirTemp(t.Site.RunsDir, "."+t.Kind+"-")
	if err != nil {
		return "", fmt.Errorf("make the folder of the job: %w", err)
	}
	if _, err := (jobs.Store{Dir: t.Site.RunsDir, Group: -1}).KeepBinary(results.RunDir(dir), t.Program); err != nil {
		return dir, err
	}
	if t.Fill != nil {
		return dir, t.Fill(dir)
	}
	return dir, nil
}

// find looks for a job whose submit got no answer.
func (t Task) find(ctx context.Context, name string, since time.Time, lost error) (slurm.JobID, error) {
	var found slurm.JobID
	err := retry.Do(ctx, retry.WithMaxDuration(time.Minute, retry.NewConstant(3*time.Second)), func(ctx context.Context) error {
		ids, err := t.Scheduler.FindByName(ctx, name, since)
		if err != nil {
			return retry.RetryableError(err)
		}
		if len(ids) == 0 {
			return retry.RetryableError(lost)
		}
		found = ids[0]
		return nil
	})
	return found, err
}

// follow asks for the job until it is over. One that can never start, or has waited
// for too long, is cancelled.
func (t Task) follow(ctx context.Context, id slurm.JobID) (slurm.View, error) {
	var view slurm.View
	begun, said := t.Now(), ""
	every := max(t.Site.PollInterval, time.Second)
	backoff := retry.WithJitterPercent(10, retry.WithCappedDuration(every, retry.NewExponential(min(time.Second, every))))
	err := retry.Do(ctx, backoff, func(ctx context.Context) error {
		view = slurm.Resolve(id, jobs.Ask(ctx, t.Scheduler, []slurm.JobID{id}))
		if view.Words != said && view.Words != "" {
			said = view.Words
			t.Say("job %s: %s", id, said)
		}
		switch {
		case view.Final:
			return nil
		case view.Gone && t.Now().Sub(begun) > time.Minute:
			return nil // its files say how it ended
		case view.Never():
			return fmt.Errorf("job %s can never start: %s", id, view.Words)
		case view.Class == slurm.ClassPending && t.Patience > 0 && t.Now().Sub(begun) > t.Patience:
			return fmt.Errorf("job %s hasn't started within %s: %s", id, t.Patience, view.Words)
		}
		return retry.RetryableError(errWaiting)
	})
	if err == nil {
		return view, nil
	}
	if ctx.Err() != nil {
		if t.Leave {
			return view, fmt.Errorf("stopped waiting; job %s goes on: %w", id, ctx.Err())
		}
		err = ctx.Err()
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	return view, errors.Join(err, t.Scheduler.Cancel(stop, id))
}
