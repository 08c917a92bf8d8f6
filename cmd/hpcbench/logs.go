package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"hpcbench/jobs"
)

type logsCmd struct {
	Ref    string `arg:"" name:"run" help:"Run: its name, a unique beginning of it, or last." predictor:"run"`
	Repeat int    `help:"Repeat; the last one that has a log if not given." placeholder:"N"`
	Server bool   `help:"The server's own log instead of the job's output."`
}

// Run prints the job's output, or the server's log of a repeat's newest attempt.
func (c logsCmd) Run(a *app) error {
	e, err := a.find(c.Ref)
	if err != nil {
		return err
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
		path := e.Dir.Attempt(r, attempts[len(attempts)-1]).ServerLog()
		return a.printFile(path)
	}
	return usage(fmt.Errorf("run %s has no server log yet; `hpcbench status %s` says what it does", e.Name, e.Name))
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
