package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"hpcbench/jobs"
	"hpcbench/results"
)

type logsCmd struct {
	Ref    string `arg:"" name:"run" help:"Run: its name, a unique beginning of it, or last." predictor:"run"`
	Repeat int    `help:"Only this repeat; with --server the last one that has a log if not given." placeholder:"N"`
	Server bool   `help:"The server's own log instead of the job's output."`
}

// Run prints the jobs' output, or that of one repeat's job, or the server's log of a
// repeat's newest attempt.
func (c logsCmd) Run(a *app) error {
	e, err := a.find(c.Ref)
	if err != nil {
		return err
	}
	if c.Repeat < 0 || c.Repeat > e.Spec.Repeats {
		return usage(fmt.Errorf("--repeat %d: run %s has repeats 1 to %d", c.Repeat, e.Name, e.Spec.Repeats))
	}
	if !c.Server && c.Repeat == 0 {
		return a.jobLogs(e)
	}
	from, to := e.Spec.Repeats, 1
	if c.Repeat > 0 {
		from, to = c.Repeat, c.Repeat
	}
	for r := from; r >= to; r-- {
		attempts, err := e.Dir.Attempts(r)
		if err != nil {
			return failed(err)
		}
		if len(attempts) == 0 {
			continue
		}
		dir := e.Dir.Attempt(r, attempts[len(attempts)-1])
		if c.Server {
			return a.printFile(dir.ServerLog())
		}
		return a.jobLogOf(e, dir)
	}
	return usage(fmt.Errorf("run %s has no such log yet; `hpcbench status %s` says what it does", e.Name, e.Name))
}

// jobLogOf prints the output of the job that made an attempt. Repeats of one job share it.
func (a *app) jobLogOf(e jobs.Entry, dir results.AttemptDir) error {
	attempt, err := results.ReadJSON[results.Attempt](dir.Attempt(), results.FormatAttempt)
	if err != nil {
		return failed(err)
	}
	if attempt.Slurm == nil {
		return usage(fmt.Errorf("%s was not made by a job", dir))
	}
	name := attempt.Slurm.JobID
	if attempt.Slurm.ArrayTaskID != "" {
		name = attempt.Slurm.ArrayJobID + "_" + attempt.Slurm.ArrayTaskID
	}
	return a.printFile(filepath.Join(e.Dir.Logs(), name+".log"))
}

func (a *app) jobLogs(e jobs.Entry) error {
	found, err := filepath.Glob(filepath.Join(e.Dir.Logs(), "*"))
	if err != nil {
		return failed(err)
	}
	if len(found) == 0 {
		return usage(fmt.Errorf("run %s has no job output yet; `hpcbench status %s` says what it does", e.Name, e.Name))
	}
	sort.Strings(found)
	for _, path := range found {
		if len(found) > 1 {
			fmt.Fprintf(a.stdout, "==> %s <==\n", path)
		}
		if err := a.printFile(path); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printFile(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return usage(fmt.Errorf("there is no %s yet", path))
	}
	if err != nil {
		return failed(err)
	}
	defer f.Close()
	_, err = io.Copy(a.stdout, f)
	return err
}
