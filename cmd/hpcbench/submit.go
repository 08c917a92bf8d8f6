package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hpcbench/jobs"
	"hpcbench/jobs/fit"
	"hpcbench/jobs/resolve"
	"hpcbench/results"
	"hpcbench/slurm"
)

type submitCmd struct {
	runFlags `embed:""`
	Wait     bool `help:"Follow the run to its end and show its table."`
	Yes      bool `short:"y" help:"Don't ask about the cost."`
}

// Run resolves, writes the run folder, submits and returns; with --wait it follows.
func (c submitCmd) Run(a *app) error {
	if v := c.variants(); len(v) > 1 {
		return c.session(a, v)
	}
	e, err := c.start(a)
	if err != nil {
		return err
	}
	if c.Wait {
		return a.followAndCollect(e)
	}
	a.next(e)
	return nil
}

// start makes the run and submits all its repeats.
func (c submitCmd) start(a *app) (jobs.Entry, error) {
	e, err := c.prepare(a)
	if err != nil {
		return e, err
	}
	expected := a.forecast(e)
	ids, err := a.send(e, all(e.Spec.Repeats))
	if err != nil {
		if len(ids) == 0 && !errors.Is(err, slurm.ErrLost) {
			// Nothing was sent, so nothing is kept: the same command may be given again.
			err = errors.Join(err, os.RemoveAll(string(e.Dir)))
		}
		return e, failed(err)
	}
	a.submitted(e, ids)
	fmt.Fprint(a.stdout, expected)
	return e, nil
}

// prepare makes the run folder.
func (c submitCmd) prepare(a *app) (jobs.Entry, error) {
	req := c.request(true)
	spec, err := resolve.Spec(a.ctx, req)
	if err != nil {
		return jobs.Entry{}, usage(err)
	}
	if err := c.before(a, spec); err != nil {
		return jobs.Entry{}, err
	}
	group, err := groupID(spec.Site.ProjectGroup)
	if err != nil {
		return jobs.Entry{}, err
	}
	store := jobs.Store{Dir: filepath.Dir(spec.Job.Dir), Group: group}
	dir, name, err := store.Claim(spec.Name, c.Name == "")
	if err != nil {
		return jobs.Entry{}, usage(err)
	}
	if name != spec.Name { // the name stands in the script
		req.Name = name
		if spec, err = resolve.Spec(a.ctx, req); err != nil {
			return jobs.Entry{}, usage(errors.Join(err, os.Remove(string(dir))))
		}
	}
	a.warnings(spec)
	if err := writeRun(store, dir, spec); err != nil {
		return jobs.Entry{}, failed(errors.Join(err, os.RemoveAll(string(dir))))
	}
	return jobs.Entry{Name: name, Dir: dir, Spec: spec}, nil
}

// send submits the wanted repeats of a run.
func (a *app) send(e jobs.Entry, wanted []int) ([]slurm.JobID, error) {
	sched, err := scheduler(e)
	if err != nil {
		return nil, err
	}
	return a.submitter(sched, e).Submit(a.ctx, wanted)
}

func (a *app) submitter(sched jobs.Scheduler, e jobs.Entry) jobs.Submitter {
	return jobs.Submitter{Scheduler: sched, Dir: e.Dir, Spec: e.Spec, Now: now,
		Say: func(words string) { fmt.Fprintln(a.stderr, "hpcbench:", words) }}
}

func all(n int) []int {
	var s []int
	for i := 1; i <= n; i++ {
		s = append(s, i)
	}
	return s
}

// submitted says what was sent, in the words of a Slurm user.
func (a *app) submitted(e jobs.Entry, ids []slurm.JobID) {
	s := e.Spec
	var names []string
	for _, id := range ids {
		names = append(names, id.String())
	}
	where := "site " + s.Site.Name
	if s.Job.Partition != "" {
		where += fmt.Sprintf(", partition %s, account %s", s.Job.Partition, s.Job.Account)
	}
	fmt.Fprintf(a.stdout, "Run %s: %s, plan %s, on %s\n", e.Name, s.Model.Name, s.Plan.Name, where)
	if s.Simulated {
		fmt.Fprintln(a.stdout, "The engine is the stub: every number of this run is SIMULATED.")
	}
	fmt.Fprintf(a.stdout, "%d repeats as %s (%s)\n", s.Repeats, s.Grouping.Mode, s.Grouping.Why)
	fmt.Fprintf(a.stdout, "Walltime of a job %s:\n", fit.Clock(s.Job.WalltimeS))
	for _, line := range s.Job.Arithmetic {
		fmt.Fprintf(a.stdout, "  %s\n", line)
	}
	if c := s.Site.Cost; c.Unit != "" {
		fmt.Fprintf(a.stdout, "Cost: expected %.2f %s, at most %.2f\n", c.PerHour*c.ExpectedHours, c.Unit, c.PerHour*c.WorstHours)
	}
	fmt.Fprintf(a.stdout, "Submitted job %s\nFiles: %s\n", strings.Join(names, ", "), e.Dir)
}

// next names the commands to type now.
func (a *app) next(e jobs.Entry) {
	fmt.Fprintf(a.stdout, "Next:  hpcbench status %s   hpcbench wait %s   hpcbench collect %s\n", e.Name, e.Name, e.Name)
}

type resumeCmd struct {
	Ref     string        `arg:"" name:"run" help:"Run: its name, a unique beginning of it, or last." predictor:"run"`
	Time    time.Duration `help:"Walltime of a job instead of the first time's, where that was too short." placeholder:"DURATION"`
	Exclude string        `help:"Nodes that it must not run on again, as Slurm writes a list." placeholder:"NODES"`
	Wait    bool          `help:"Follow the run to its end and show its table."`
}

// Run submits what is missing, with the spec and the program of the first time.
func (c resumeCmd) Run(a *app) error {
	e, err := a.find(c.Ref)
	if err != nil {
		return err
	}
	sched, err := scheduler(e)
	if err != nil {
		return failed(err)
	}
	sub := a.submitter(sched, e)
	sub.Walltime, sub.Exclude = c.Time, c.Exclude
	if err := sub.Settle(a.ctx); err != nil {
		return failed(err)
	}
	wanted, err := jobs.Redo(jobs.Status(a.ctx, sched, []jobs.Entry{e})[0])
	if err != nil {
		return usage(err)
	}
	if len(wanted) == 0 {
		fmt.Fprintf(a.stdout, "Run %s: all %d repeats are complete\n", e.Name, e.Spec.Repeats)
		return nil
	}
	if err := a.checkUnchanged(e); err != nil {
		return usage(err)
	}
	ids, err := sub.Submit(a.ctx, wanted)
	if err != nil {
		return failed(err)
	}
	fmt.Fprintf(a.stdout, "Run %s: %s %s again\n", e.Name, repeatsWord(wanted), jobs.Ranges(wanted))
	if c.Time > 0 { // for the words below; the run's own spec stays as it is
		e.Spec.Job.WalltimeS, e.Spec.Job.Arithmetic = int(c.Time.Seconds()), []string{"asked for with --time"}
	}
	a.submitted(e, ids)
	if c.Wait {
		return a.followAndCollect(e)
	}
	a.next(e)
	return nil
}

// checkUnchanged refuses to mix repeats of two images in one run.
func (a *app) checkUnchanged(e jobs.Entry) error {
	s := e.Spec.Server
	if s.Image == "" {
		return nil
	}
	info, err := os.Stat(s.Image)
	if err != nil {
		return fmt.Errorf("resume %s: the image is gone (%w); with another image it is another run: submit it anew", e.Name, err)
	}
	if info.Size() != s.ImageSize {
		return fmt.Errorf("resume %s: the image %s changed since (%d bytes, then %d); that makes it another run: submit it anew", e.Name, s.Image, info.Size(), s.ImageSize)
	}
	return nil
}

// errRemote is the answer where a verb needs a run's jobs.
var errRemote = errors.New("this run was measured against a URL, there are no jobs of it")

func remote(s results.Spec) bool { return s.Grouping.Mode == results.ModeRemote }
