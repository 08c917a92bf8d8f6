package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hpcbench/slurm"
)

// Scheduler answers as slurm.Client does, from the processes of one state folder.
type Scheduler struct {
	// State is the folder of the jobs; it is made when the first one is submitted.
	State string
	// Supervise is the argv of a program that calls Supervise with the folder that is added as its last argument.
	Supervise []string
}

// Submit starts the script and returns at once.
func (s Scheduler) Submit(ctx context.Context, r slurm.SubmitRequest) (slurm.JobID, error) {
	if err := ctx.Err(); err != nil {
		return slurm.JobID{}, err
	}
	script, err := filepath.Abs(r.Script)
	if err != nil {
		return slurm.JobID{}, fmt.Errorf("submit: %w", err)
	}
	if _, err := os.Stat(script); err != nil {
		return slurm.JobID{}, fmt.Errorf("submit: %w", err)
	}
	if err := slurm.JobName(r.JobName); err != nil {
		return slurm.JobID{}, err
	}
	j := job{
		Name: r.JobName, Script: script, Args: r.Args, Dir: r.Chdir, Environ: r.Environ, Limit: r.Time,
		Account: r.Account, Part: r.Partition, SubmitAt: time.Now().UTC(), Array: r.Array != "",
		Elements: []element{{State: slurm.StatePending}},
	}
	if j.Dir == "" {
		j.Dir = filepath.Dir(script)
	}
	if r.Array != "" {
		tasks, err := slurm.ArrayTasks(r.Array)
		if err != nil {
			return slurm.JobID{}, err
		}
		j.Elements = nil
		for _, t := range tasks {
			j.Elements = append(j.Elements, element{Task: t, State: slurm.StatePending})
		}
	}
	if after, ok := strings.CutPrefix(r.Dependency, "afterany:"); ok {
		id, err := slurm.ParseJobID(after)
		if err != nil {
			return slurm.JobID{}, fmt.Errorf("submit: dependency: %w", err)
		}
		j.After = id.Job
	} else if r.Dependency != "" {
		return slurm.JobID{}, fmt.Errorf("submit: dependency %q: only afterany is known without Slurm", r.Dependency)
	}
	dir, err := s.claim(&j)
	if err != nil {
		return slurm.JobID{}, err
	}
	if err := s.launch(dir); err != nil {
		return slurm.JobID{}, fmt.Errorf("start the supervisor of local job %d: %w", j.ID, err)
	}
	return slurm.JobID{Job: j.ID}, nil
}

// claim makes the folder with the next free number; mkdir is the lock.
func (s Scheduler) claim(j *job) (string, error) {
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of local jobs: %w", err)
	}
	taken, err := ids(s.State)
	if err != nil {
		return "", err
	}
	j.ID = 1
	if len(taken) > 0 {
		j.ID = taken[len(taken)-1] + 1
	}
	for ; ; j.ID++ {
		dir := jobDir(s.State, j.ID)
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			return dir, j.write(dir)
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("make the folder of a local job: %w", err)
		}
	}
}

// launch starts the supervisor in a session of its own, with nothing of ours open.
func (s Scheduler) launch(dir string) error {
	log, err := os.OpenFile(filepath.Join(dir, "supervisor.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	argv := append(append([]string{}, s.Supervise...), dir)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = slurm.Scrub(os.Environ())
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// FindByName answers the jobs of exactly this name.
func (s Scheduler) FindByName(_ context.Context, name string, _ time.Time) ([]slurm.JobID, error) {
	all, err := ids(s.State)
	if err != nil {
		return nil, err
	}
	var found []slurm.JobID
	for _, id := range all {
		if j, err := readJob(jobDir(s.State, id)); err == nil && j.Name == name {
			found = append(found, slurm.JobID{Job: id})
		}
	}
	return found, nil
}

// Queue has a row for each element that isn't over.
func (s Scheduler) Queue(_ context.Context, wanted ...slurm.JobID) ([]slurm.QueueRow, error) {
	var rows []slurm.QueueRow
	err := s.each(wanted, func(j job) {
		for _, e := range j.Elements {
			if e.State.Class().Over() {
				continue
			}
			row := slurm.QueueRow{
				ID: j.elementID(e), RawID: j.ID, Name: j.Name, User: userName(), Account: j.Account, Partition: j.Part,
				State: e.State, TimeLimit: j.Limit, Submit: j.SubmitAt, Start: e.StartAt, Nodes: 1,
			}
			if e.State == slurm.StatePending {
				row.Reason = "Resources" // one after the other
			} else {
				row.Elapsed, row.NodeList = time.Since(e.StartAt), hostname()
			}
			rows = append(rows, row)
		}
	})
	return rows, err
}

// Accounting has a row for each element.
func (s Scheduler) Accounting(_ context.Context, wanted ...slurm.JobID) ([]slurm.AcctRow, error) {
	var rows []slurm.AcctRow
	err := s.each(wanted, func(j job) {
		for _, e := range j.Elements {
			row := slurm.AcctRow{
				ID: j.elementID(e), RawID: j.ID, Name: j.Name, User: userName(), Account: j.Account, Partition: j.Part,
				State: e.State, Exit: e.Exit, Submit: j.SubmitAt, Start: e.StartAt, End: e.EndAt, TimeLimit: j.Limit,
				NodeList: hostname(), Latest: true,
			}
			if !e.StartAt.IsZero() && !e.EndAt.IsZero() {
				row.Elapsed = e.EndAt.Sub(e.StartAt)
			}
			rows = append(rows, row)
		}
	})
	return rows, err
}

func (s Scheduler) each(wanted []slurm.JobID, visit func(job)) error {
	var errs []error
	seen := map[uint64]bool{}
	for _, id := range wanted {
		if seen[id.Job] {
			continue
		}
		seen[id.Job] = true
		j, err := readJob(jobDir(s.State, id.Job))
		if errors.Is(err, os.ErrNotExist) {
			continue // as Slurm: an unknown job has no row
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		visit(j.settled())
	}
	return errors.Join(errs...)
}

// Cancel asks the supervisors to end their jobs.
func (s Scheduler) Cancel(_ context.Context, wanted ...slurm.JobID) error {
	var errs []error
	for _, id := range wanted {
		dir := jobDir(s.State, id.Job)
		j, err := readJob(dir)
		if err != nil {
			errs = append(errs, fmt.Errorf("cancel local job %s: %w", id, err))
			continue
		}
		if err := os.WriteFile(cancelFile(dir), nil, 0o600); err != nil {
			errs = append(errs, fmt.Errorf("cancel local job %s: %w", id, err))
			continue
		}
		if j.Supervisor.alive() {
			_ = syscall.Kill(j.Supervisor.PID, syscall.SIGTERM) // it may just have ended
		}
	}
	return errors.Join(errs...)
}

func hostname() string {
	name, _ := os.Hostname()
	return name
}

// userName is for display only.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint(os.Getuid())
}
