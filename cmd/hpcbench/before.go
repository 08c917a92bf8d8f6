package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"hpcbench/jobs"
	"hpcbench/jobs/check"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/slurm"
)

// before is what happens between a run that is resolved and one that is made: the
// controller's word on the partition, and the question about the cost.
func (c submitCmd) before(a *app, specs ...results.Spec) error {
	site, origins, err := sites.LoadSite(c.Site, sites.System(c.values()...))
	if err != nil {
		return usage(err)
	}
	if err := c.quick(a, site, specs); err != nil {
		return err
	}
	limit := site.ConfirmCostAbove
	expected, worst := costOf(specs)
	if limit <= 0 || worst <= limit || c.Yes {
		return nil
	}
	unit := specs[0].Site.Cost.Unit
	words := fmt.Sprintf("this may cost up to %.2f %s (expected %.2f), and confirm_cost_above is %g (from %s)", worst, unit, expected, limit, origins.Of("confirm_cost_above"))
	if !isTerminal(os.Stdin) {
		return usage(fmt.Errorf("%s; pass --yes to submit it all the same", words))
	}
	return confirm(a.ctx, words, os.Stdin, a.stderr)
}

// costOf adds up what runs cost.
func costOf(specs []results.Spec) (expected, worst float64) {
	for _, s := range specs {
		expected += s.Site.Cost.PerHour * s.Site.Cost.ExpectedHours
		worst += s.Site.Cost.PerHour * s.Site.Cost.WorstHours
	}
	return expected, worst
}

// confirm asks on a terminal. Anything but yes is no.
func confirm(ctx context.Context, words string, in io.Reader, out io.Writer) error {
	fmt.Fprintf(out, "hpcbench: %s.\nSubmit it? [y/N] ", words)
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n')
		said <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return ctx.Err()
	case line := <-said:
		if word := strings.ToLower(strings.TrimSpace(line)); word == "y" || word == "yes" {
			return nil
		}
	}
	return usage(errors.New("not submitted"))
}

// quick asks the controller about the partition of runs that are to be submitted.
func (c submitCmd) quick(a *app, site sites.Profile, specs []results.Spec) error {
	if site.Scheduler != sites.Slurm {
		return nil
	}
	s := check.Subject{Site: site, Now: now(), Run: slurm.Exec, Look: exec.LookPath}
	if part, err := site.FindPartition(site.Partition); err == nil {
		s.Part = part
	}
	client := slurm.New(slurm.Options{RetryFor: -1}) // sbatch itself says that nobody answers
	seen := map[string]bool{}
	var found []check.Finding
	for i := range specs {
		s.Spec = &specs[i]
		for _, f := range check.Quick(a.ctx, client, s) {
			if !seen[f.String()] {
				seen[f.String()] = true
				found = append(found, f)
			}
		}
	}
	bad := check.Errors(found)
	for _, f := range found {
		if f.Level != check.Error || c.Force {
			fmt.Fprintln(a.stderr, "hpcbench: note:", f)
		}
	}
	if bad != nil && !c.Force {
		return usage(fmt.Errorf("%w (--force submits it all the same)", bad))
	}
	return nil
}

// forecast says when a run's first job is expected to start, in a line for people,
// or nothing. A refusal says nothing either: sbatch --test-only refuses what can't start
// with the nodes of this moment, such as in a maintenance, and sbatch itself takes it.
func (a *app) forecast(e jobs.Entry) string {
	return a.forecastOf(jobs.Submitter{Dir: e.Dir, Spec: e.Spec})
}

func (a *app) forecastOf(s jobs.Submitter) string {
	if s.Spec.Site.Scheduler != results.SchedulerSlurm {
		return ""
	}
	f, err := check.Forecast(a.ctx, slurm.New(slurm.Options{RetryFor: -1}), s, all(s.Spec.Repeats))
	if err != nil {
		return ""
	}
	return startWords(f.Start, now())
}

func startWords(start, now time.Time) string {
	left := start.Sub(now).Round(time.Minute)
	when := "at once"
	if left >= time.Minute {
		when = fmt.Sprintf("in %s, at %s UTC", strings.TrimSuffix(left.String(), "0s"), start.UTC().Format("2006-01-02 15:04"))
	}
	return fmt.Sprintf("Slurm expects it to start %s, as the queue stands.\n", when)
}
