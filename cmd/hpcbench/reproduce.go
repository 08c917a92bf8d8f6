package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/renameio/v2"

	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/collect/report"
	"hpcbench/jobs"
	"hpcbench/results"
	"hpcbench/sites"
)

type reproduceCmd struct {
	Reference string `arg:"" optional:"" name:"reference" help:"The published table to measure again." predictor:"reference"`
	List      bool   `help:"List the published tables."`

	URL        string        `name:"url" help:"Measure the service at this URL, from here, instead of a server in a job." placeholder:"URL"`
	APIKeyFile string        `name:"api-key-file" help:"File with its key, mode 0600; else HPCBENCH_API_KEY." placeholder:"FILE" type:"path"`
	Pause      time.Duration `help:"Pause between the repeats of a URL."`
	Service    string        `help:"What the service there is, such as \"Go rewrite\"; kept with the run and said in the title." placeholder:"TEXT"`

	From           string `help:"Don't measure: take this run, which was." placeholder:"RUN" predictor:"run"`
	AllowSimulated bool   `help:"Let a simulated run be compared with the published figures."`
	Yes            bool   `short:"y" help:"Don't ask about the cost."`
	Out            string `short:"o" help:"Page to write; REFERENCE.html here if not given." placeholder:"FILE" predictor:"file"`
	JSON           bool   `name:"json" xor:"form" help:"Print JSON."`
	Markdown       bool   `xor:"form" help:"Print Markdown."`

	runFlags `embed:""`
}

// Run measures a published table's workload again and lays the figures side by side.
func (c reproduceCmd) Run(a *app) error {
	if c.List {
		return referencesCmd{JSON: c.JSON}.Run(a)
	}
	if c.Reference == "" {
		return usage(errors.New("name a published table; `hpcbench reproduce --list` has them"))
	}
	ref, err := results.LoadReference(c.Reference)
	if errors.Is(err, results.ErrOtherReference) {
		return usage(fmt.Errorf("%s is a published matrix: `hpcbench submit --plan matrix-parity`, then `hpcbench compare RUN --reference %s`", c.Reference, c.Reference))
	}
	if err != nil {
		return usage(err)
	}
	talk := *a
	if c.JSON || c.Markdown { // what is said on the way mustn't stand before it
		talk.stdout = a.stderr
	}
	e, err := c.measure(&talk, ref)
	if err != nil {
		return err
	}
	return c.show(a, ref, e)
}

// measure gives the run that stands beside the published table.
func (c reproduceCmd) measure(a *app, ref results.Reference) (jobs.Entry, error) {
	if c.From != "" {
		return a.find(c.From)
	}
	if c.Plan == "" {
		c.Plan = ref.Plan
	}
	if c.Repeats == 0 {
		c.Repeats = max(ref.Conditions.Runs, 5)
	}
	switch {
	case c.URL != "":
		return c.load(a)
	case c.Service != "":
		return jobs.Entry{}, usage(errors.New("--service says what is behind a --url, and none is given"))
	case ref.Conditions.Path == results.PathService && !c.Force:
		return jobs.Entry{}, usage(fmt.Errorf("%s was measured through the service: pass its --url (or --force to measure a bare server, which gives ratios without a verdict)", ref.Name))
	}
	return c.submit(a, ref)
}

// load measures a URL.
func (c reproduceCmd) load(a *app) (jobs.Entry, error) {
	l := loadCmd{URL: c.URL, Model: c.Model, Plan: c.Plan, Repeats: c.Repeats, Pause: c.Pause, APIKeyFile: c.APIKeyFile, Service: c.Service, Name: c.Name, RunsDir: c.RunsDir}
	options := sites.System(l.values()...)
	plan, err := loadPlan(l.Plan, "", options)
	if err != nil {
		return jobs.Entry{}, usage(err)
	}
	target, err := l.endpoint()
	if err != nil {
		return jobs.Entry{}, usage(err)
	}
	return l.measure(a, options, plan, target)
}

// submit runs the same workload in jobs and waits for them.
func (c reproduceCmd) submit(a *app, ref results.Reference) (jobs.Entry, error) {
	flags := c.runFlags
	published := ref.Conditions
	if flags.Site == "" {
		flags.Site = published.Site
	}
	if flags.Model == "" {
		flags.Model = published.Model
	}
	if flags.Site == published.Site && flags.Partition == "" {
		flags.Partition = published.Partition
	}
	if site, _, err := sites.LoadSite(flags.Site, sites.System()); err == nil && flags.GPUs == 0 && site.GPU.PerNode > 0 {
		flags.GPUs = published.GPUs
	}
	if flags.Name == "" {
		flags.Name = "reproduce-" + ref.Name + "-" + now().UTC().Format("20060102-150405")
	}
	e, err := submitCmd{runFlags: flags, Yes: c.Yes}.start(a)
	if err != nil {
		return e, err
	}
	waited := a.watch([]jobs.Entry{e})
	switch {
	case a.ctx.Err() != nil || errors.Is(waited, context.Canceled):
		return e, codeError{codeInterrupted, fmt.Errorf("stopped waiting; the jobs go on, and `hpcbench reproduce %s --from %s` writes the page when they are over", ref.Name, e.Name)}
	case errors.Is(waited, jobs.ErrNever):
		return e, waited
	case waited != nil: // what there is is shown all the same, and says what is missing
		fmt.Fprintln(a.stderr, "hpcbench: note:", waited)
	}
	return e, nil
}

// show prints the two tables, writes the page, and ends with the verdict's exit code.
func (c reproduceCmd) show(a *app, ref results.Reference, e jobs.Entry) error {
	run, err := a.openEntry(e, read.Options{Values: true, Timelines: true})
	if err != nil {
		return err
	}
	r := compare.Reproduce(ref, run, compare.Options{AllowSimulated: c.AllowSimulated})
	switch {
	case c.JSON:
		err = report.ReproduceJSON(a.stdout, r)
	case c.Markdown:
		err = report.ReproduceMarkdown(a.stdout, r)
	default:
		err = report.Reproduce(a.stdout, r, a.colour())
	}
	if err != nil {
		return failed(err)
	}
	out := c.Out
	if out == "" {
		out = ref.Name + ".html"
	}
	var page bytes.Buffer
	if err := report.ReproducePage(r, report.New(run), versionLine()).HTML(&page); err != nil {
		return failed(err)
	}
	if err := renameio.WriteFile(out, page.Bytes(), 0o644); err != nil {
		return failed(fmt.Errorf("write the page: %w", err))
	}
	fmt.Fprintf(a.stderr, "hpcbench: page %s, run %s\n", out, e.Dir)
	return verdictCode(r.Comparison)
}
