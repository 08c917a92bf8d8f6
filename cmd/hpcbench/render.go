package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hpcbench/jobs"
	"hpcbench/jobs/resolve"
	"hpcbench/results"
)

type renderCmd struct {
	runFlags `embed:""`
	Out      string `help:"Write the whole run folder, ready for sbatch by hand." placeholder:"DIR" type:"path"`
}

// Run prints the script, or writes the run folder; it submits nothing.
func (c renderCmd) Run(a *app) error {
	req := c.request(c.Out != "")
	if c.Out != "" {
		dir, err := filepath.Abs(c.Out)
		if err != nil {
			return usage(err)
		}
		req.Dir = dir
		if req.Name == "" {
			req.Name = filepath.Base(dir)
		}
	}
	spec, err := resolve.Spec(a.ctx, req)
	if err != nil {
		return usage(err)
	}
	text, err := resolve.Script(spec)
	if err != nil {
		return usage(err)
	}
	a.warnings(spec)
	if c.Out == "" {
		_, err = a.stdout.Write(text)
		return err
	}
	parent := filepath.Dir(req.Dir)
	if filepath.Base(req.Dir) != spec.Name {
		return usage(fmt.Errorf("--out %s: the folder's name is the run's; leave --name out or make them equal", c.Out))
	}
	group, err := groupID(spec.Site.ProjectGroup)
	if err != nil {
		return err
	}
	store := jobs.Store{Dir: parent, Group: group}
	dir, _, err := store.Claim(spec.Name, false)
	if err != nil {
		return usage(err)
	}
	if err := writeRun(store, dir, spec); err != nil {
		return failed(errors.Join(err, os.RemoveAll(string(dir))))
	}
	start := "Submit it:  sbatch"
	if spec.Site.Scheduler == results.SchedulerLocal {
		start = "Run it:     bash"
	}
	fmt.Fprintf(a.stdout, "Run folder: %s\n%s %s\n", dir, start, dir.Script())
	return nil
}

// warnings go to stderr, so that a rendered script can be piped.
func (a *app) warnings(spec results.Spec) {
	for _, w := range spec.Warnings {
		fmt.Fprintln(a.stderr, "hpcbench: note:", w)
	}
}

// writeRun fills a claimed run folder: spec, script, program, log folder.
func writeRun(store jobs.Store, dir results.RunDir, spec results.Spec) error {
	if string(dir) != spec.Job.Dir {
		return fmt.Errorf("the run folder %s isn't the one that the script names, %s", dir, spec.Job.Dir)
	}
	return fillRun(store, dir, spec)
}

// fillRun is writeRun for a folder that gets its name later.
func fillRun(store jobs.Store, dir results.RunDir, spec results.Spec) error {
	text, err := resolve.Script(spec)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program itself: %w", err)
	}
	if _, err := store.KeepBinary(dir, program); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if store.Group >= 0 {
		mode = 0o640
	}
	if err := os.Mkdir(dir.Logs(), mode|0o100|(mode&0o040)>>2); err != nil {
		return fmt.Errorf("make the folder of logs: %w", err)
	}
	if err := os.WriteFile(dir.Script(), text, mode|0o100); err != nil {
		return fmt.Errorf("write the script: %w", err)
	}
	// Last: a folder with run.json is a run.
	return results.WriteJSON(dir.Spec(), spec, mode)
}
