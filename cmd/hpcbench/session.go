package main

import (
	"crypto/rand"
	"encoding/hex"
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
	"hpcbench/sites"
	"hpcbench/slurm"
)

// sessionPlan is several runs that are submitted together.
type sessionPlan struct {
	name       string
	entries    []jobs.Entry
	grouping   results.Grouping
	walltimeS  int // of a shared job
	arithmetic []string
	oneJob     bool
	dir        string // of the shared job's script
}

// session submits several configurations whose repeats alternate: each is a run of its
// own, with a common word in its spec.
func (c submitCmd) session(a *app, variants []runFlags) error {
	p, err := c.plan(a, variants)
	if err != nil {
		return err
	}
	session, err := a.sender(p)
	if err != nil {
		return failed(errors.Join(err, p.remove()))
	}
	first := session.Runs[0]
	first.Script, first.Walltime = session.Script, session.Walltime
	expected := a.forecastOf(first)
	ids, err := session.Submit(a.ctx)
	if err != nil {
		if len(ids) == 0 && !errors.Is(err, slurm.ErrLost) {
			err = errors.Join(err, p.remove())
		}
		return failed(err)
	}
	a.sessionSubmitted(p, ids)
	fmt.Fprint(a.stdout, expected)
	if !c.Wait {
		fmt.Fprintf(a.stdout, "Next:  hpcbench status   hpcbench wait %s   hpcbench compare %s %s\n", strings.Join(p.names(), " "), p.entries[0].Name, p.entries[1].Name)
		return nil
	}
	return a.followSession(p)
}

// plan resolves all configurations, puts their repeats into jobs, and makes the run folders.
func (c submitCmd) plan(a *app, variants []runFlags) (sessionPlan, error) {
	var p sessionPlan
	requests, specs, err := c.resolveAll(a, variants, func(r *resolve.Request) { r.Name, r.Walltime = "", 0 })
	if err != nil {
		return p, usage(err)
	}
	site, _, err := sites.LoadSite(c.Site, sites.System(c.values()...))
	if err != nil {
		return p, usage(err)
	}
	if p.grouping, p.walltimeS, p.arithmetic, err = resolve.Together(site, specs, c.RepeatMode); err != nil {
		return p, usage(fmt.Errorf("%w; take fewer --repeats, a shorter plan, another --partition, or submit them one by one", err))
	}
	p.oneJob = p.grouping.Mode != results.ModeArray
	if err := p.takeWalltime(c, site); err != nil {
		return p, usage(err)
	}
	if p.name, err = sessionName(c.Name); err != nil {
		return p, failed(err)
	}
	shares := p.price(specs)
	if err := c.before(a, p.asJobs(specs)...); err != nil {
		return p, err
	}
	return p, c.folders(a, &p, requests, resolve.SessionNames(c.Name, specs), shares)
}

// resolveAll resolves every configuration; the error has what is wrong with each.
func (c submitCmd) resolveAll(a *app, variants []runFlags, change func(*resolve.Request)) ([]resolve.Request, []results.Spec, error) {
	var requests []resolve.Request
	var specs []results.Spec
	var errs []error
	for _, v := range variants {
		req := v.request(true)
		change(&req)
		spec, err := resolve.Spec(a.ctx, req)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", variantWords(v), err))
		}
		requests, specs = append(requests, req), append(specs, spec)
	}
	return requests, specs, errors.Join(errs...)
}

func variantWords(v runFlags) string {
	var words []string
	if v.Model != "" {
		words = append(words, "--model "+v.Model)
	}
	if v.TP > 0 {
		words = append(words, fmt.Sprintf("--tp %d", v.TP))
	}
	return strings.Join(words, " ")
}

// takeWalltime lets --time stand for a shared job's walltime.
func (p *sessionPlan) takeWalltime(c submitCmd, site sites.Profile) error {
	asked := int(c.Time.Seconds())
	if asked == 0 || !p.oneJob {
		return nil
	}
	if limit := resolve.LimitsOf(site).WalltimeS; limit > 0 && asked > limit {
		return fmt.Errorf("--time %s: partition %s allows at most %s", fit.Clock(asked), site.Partition, fit.Clock(limit))
	}
	if asked < p.walltimeS && !c.Force {
		return fmt.Errorf("--time %s is shorter than what a job of the session may take, %s [%s]; --force takes it all the same", fit.Clock(asked), fit.Clock(p.walltimeS), strings.Join(p.arithmetic, " "))
	}
	p.arithmetic = append(p.arithmetic, "asked for with --time: "+fit.Clock(asked))
	p.walltimeS = asked
	return nil
}

// price gives each run its part of a shared job: what it costs at worst is that part of the jobs' walltimes.
func (p *sessionPlan) price(specs []results.Spec) []float64 {
	total := 0.0
	for _, s := range specs {
		total += resolve.TimesOf(s).Repeat()
	}
	var shares []float64
	for i := range specs {
		share := resolve.TimesOf(specs[i]).Repeat() / total
		shares = append(shares, share)
		p.worst(&specs[i], share)
	}
	return shares
}

func (p *sessionPlan) worst(s *results.Spec, share float64) {
	if p.oneJob {
		s.Site.Cost.WorstHours = share * float64(len(p.grouping.Jobs)) * float64(p.walltimeS) / 3600
	}
}

// asJobs are the specs as their jobs will be, for the controller's word on them.
func (p *sessionPlan) asJobs(specs []results.Spec) []results.Spec {
	all := append([]results.Spec{}, specs...)
	for i := range all {
		all[i].Grouping = p.grouping
		if p.oneJob {
			all[i].Job.WalltimeS = p.walltimeS
		}
	}
	return all
}

// sessionName is the common word: the name that was asked for, or one of the time.
func sessionName(asked string) (string, error) {
	if asked != "" {
		return asked, nil
	}
	b := make([]byte, 2)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("name the session: %w", err)
	}
	return "session-" + now().UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b), nil
}

// folders claims the run folders and fills them. Where one fails nothing is kept.
func (c submitCmd) folders(a *app, p *sessionPlan, requests []resolve.Request, names []string, shares []float64) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, p.remove())
		}
	}()
	var store jobs.Store
	for i := range requests {
		requests[i].Name, requests[i].Grouping, requests[i].Mode = names[i], &p.grouping, ""
		if !p.oneJob {
			requests[i].Walltime = c.Time
		}
		spec, err := resolve.Spec(a.ctx, requests[i])
		if err != nil {
			return usage(err)
		}
		group, err := groupID(spec.Site.ProjectGroup)
		if err != nil {
			return err
		}
		store = jobs.Store{Dir: filepath.Dir(spec.Job.Dir), Group: group}
		dir, name, err := store.Claim(names[i], c.Name == "")
		if err != nil {
			return usage(err)
		}
		p.entries = append(p.entries, jobs.Entry{Name: name, Dir: dir})
	}
	for i := range p.entries {
		e := &p.entries[i]
		requests[i].Name = e.Name
		requests[i].Session = &results.SessionSpec{Name: p.name, Runs: p.names(), OneJob: p.oneJob}
		if p.oneJob {
			requests[i].Session.Share = shares[i]
		}
		if e.Spec, err = resolve.Spec(a.ctx, requests[i]); err != nil {
			return usage(err)
		}
		p.worst(&e.Spec, shares[i])
		if i == 0 {
			a.warnings(e.Spec)
		}
		if err := writeRun(store, e.Dir, e.Spec); err != nil {
			return failed(err)
		}
	}
	if p.oneJob {
		return p.writeScript(store)
	}
	return nil
}

// writeScript makes the shared job's script, in a folder beside the runs.
func (p *sessionPlan) writeScript(store jobs.Store) error {
	dir := filepath.Join(store.Dir, ".sessions", p.name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return failed(fmt.Errorf("make the folder of sessions: %w", err))
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return usage(fmt.Errorf("a session of that name exists: %w; take another --name", err))
	}
	p.dir = dir
	var specs []results.Spec
	for _, e := range p.entries {
		specs = append(specs, e.Spec)
	}
	text, err := resolve.SessionScript(resolve.SessionRequest{Name: p.name, Dir: dir, Runs: specs, WalltimeS: p.walltimeS, Arithmetic: p.arithmetic})
	if err != nil {
		return usage(err)
	}
	if err := os.WriteFile(results.RunDir(dir).Script(), text, 0o700); err != nil {
		return failed(fmt.Errorf("write the session's script: %w", err))
	}
	return nil
}

// remove takes away what was made, for nothing was sent.
func (p *sessionPlan) remove() error {
	var errs []error
	for _, e := range p.entries {
		errs = append(errs, os.RemoveAll(string(e.Dir)))
	}
	if p.dir != "" {
		errs = append(errs, os.RemoveAll(p.dir))
	}
	return errors.Join(errs...)
}

func (p *sessionPlan) names() []string {
	var names []string
	for _, e := range p.entries {
		names = append(names, e.Name)
	}
	return names
}

// sender sends the session's jobs.
func (a *app) sender(p sessionPlan) (jobs.Session, error) {
	var s jobs.Session
	sched, err := scheduler(p.entries[0])
	if err != nil {
		return s, err
	}
	for _, e := range p.entries {
		s.Runs = append(s.Runs, a.submitter(sched, e))
	}
	if p.oneJob {
		s.Script, s.Walltime = results.RunDir(p.dir).Script(), time.Duration(p.walltimeS)*time.Second
	}
	return s, nil
}

// sessionSubmitted says what was sent.
func (a *app) sessionSubmitted(p sessionPlan, ids []slurm.JobID) {
	first := p.entries[0].Spec
	where := "site " + first.Site.Name
	if first.Job.Partition != "" {
		where += fmt.Sprintf(", partition %s, account %s", first.Job.Partition, first.Job.Account)
	}
	fmt.Fprintf(a.stdout, "Session %s: %d runs by turns, plan %s, on %s\n", p.name, len(p.entries), first.Plan.Name, where)
	var expected, worst float64
	for _, e := range p.entries {
		fmt.Fprintf(a.stdout, "  %s: %s, tensor parallel %d, in %s\n", e.Name, e.Spec.Model.Name, e.Spec.Server.TensorParallel, e.Dir)
		c := e.Spec.Site.Cost
		expected, worst = expected+c.PerHour*c.ExpectedHours, worst+c.PerHour*c.WorstHours
	}
	if first.Simulated {
		fmt.Fprintln(a.stdout, "The engine is the stub: every number of these runs is SIMULATED.")
	}
	fmt.Fprintf(a.stdout, "%d repeats of each as %s (%s)\n", first.Repeats, p.grouping.Mode, p.grouping.Why)
	fmt.Fprintf(a.stdout, "Walltime of a job %s:\n", fit.Clock(p.walltimeS))
	for _, line := range p.arithmetic {
		fmt.Fprintf(a.stdout, "  %s\n", line)
	}
	if unit := first.Site.Cost.Unit; unit != "" {
		fmt.Fprintf(a.stdout, "Cost: expected %.2f %s, at most %.2f\n", expected, unit, worst)
	}
	var names []string
	for _, id := range ids {
		names = append(names, id.String())
	}
	fmt.Fprintf(a.stdout, "Submitted %s %s\n", map[bool]string{true: "job", false: "jobs"}[len(ids) == 1], strings.Join(names, ", "))
}

// followSession waits for all runs and shows their tables.
func (a *app) followSession(p sessionPlan) error {
	waited := a.watch(p.entries)
	if waited != nil && (a.ctx.Err() != nil || errors.Is(waited, jobs.ErrNever)) {
		return waited
	}
	err := waited
	for _, e := range p.entries {
		if collected := a.collect(e); err == nil {
			err = collected
		}
		fmt.Fprintln(a.stdout)
	}
	fmt.Fprintf(a.stdout, "Next:  hpcbench compare %s %s\n", p.entries[0].Name, p.entries[1].Name)
	return err
}
