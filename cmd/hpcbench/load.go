package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hpcbench/engine/vllm"
	"hpcbench/jobs"
	"hpcbench/jobs/resolve"
	"hpcbench/load"
	"hpcbench/load/endpoint"
	"hpcbench/load/plans"
	"hpcbench/load/telemetry"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
)

type loadCmd struct {
	URL        string        `name:"url" help:"Server: https://host, with a prefix or /v1 as you know it." placeholder:"URL"`
	Model      string        `help:"Served model; the only one if not given." placeholder:"NAME"`
	Plan       string        `required:"" help:"Load: a plan's name or a .yaml file." placeholder:"PLAN"`
	Repeats    int           `default:"1" help:"Repeats, one after the other."`
	Pause      time.Duration `help:"Pause between repeats."`
	APIKeyFile string        `name:"api-key-file" help:"File with the key, mode 0600; else HPCBENCH_API_KEY." placeholder:"FILE" type:"path"`
	Metrics    bool          `help:"Scrape the server's /metrics as well, where it is vLLM's own."`
	Service    string        `help:"What the service there is, in your words; kept with the run." placeholder:"TEXT"`
	Name       string        `help:"Name of the run." placeholder:"NAME"`
	RunsDir    string        `help:"Folder that holds the runs." placeholder:"DIR"`
	ShowURL    bool          `name:"show-url" help:"Print what would be called, and call nothing."`
	DryRun     bool          `help:"Print the schedule, and call nothing."`
}

// Run loads a server that is there, from here, into a run folder like a submitted run's.
func (c loadCmd) Run(a *app) error {
	options := sites.System(c.values()...)
	plan, err := loadPlan(c.Plan, "", options)
	if err != nil {
		return usage(err)
	}
	if c.DryRun {
		return a.schedule(plan)
	}
	if c.URL == "" {
		return usage(errors.New("no server: pass --url URL"))
	}
	target, err := c.endpoint()
	if err != nil {
		return usage(err)
	}
	if c.ShowURL {
		fmt.Fprintln(a.stdout, "POST", target.URL.Route(routeOf(plan)))
		return nil
	}
	e, err := c.measure(a, options, plan, target)
	if err != nil {
		return err
	}
	return a.collect(e)
}

// measure asks the server what it is, makes the run and runs its repeats.
func (c loadCmd) measure(a *app, options sites.Options, plan results.Plan, target endpoint.Endpoint) (jobs.Entry, error) {
	models, err := target.Models(a.ctx, target.Client())
	if err != nil {
		return jobs.Entry{}, failed(fmt.Errorf("ask %s what it serves: %w", target.URL, err))
	}
	model, err := endpoint.PickModel(models, c.Model)
	if err != nil {
		return jobs.Entry{}, usage(err)
	}
	target.Model = model.ID
	e, err := c.prepare(a, options, plan, target, model)
	if err != nil {
		return jobs.Entry{}, err
	}
	return e, c.repeats(a, e, target)
}

func (c loadCmd) values() []conf.Value {
	if c.RunsDir == "" {
		return nil
	}
	return []conf.Value{{Path: []string{"runs_dir"}, Text: c.RunsDir, Source: "--runs-dir"}}
}

func routeOf(p results.Plan) string {
	if p.Request.API == "completions" {
		return "/v1/completions"
	}
	return "/v1/chat/completions"
}

func (c loadCmd) endpoint() (endpoint.Endpoint, error) {
	base, err := endpoint.ParseURL(c.URL)
	if err != nil {
		return endpoint.Endpoint{}, err
	}
	key, err := apiKey(c.APIKeyFile)
	if err != nil {
		return endpoint.Endpoint{}, err
	}
	if key != "" && !base.Secure() && !base.Local() {
		return endpoint.Endpoint{}, fmt.Errorf("%s isn't https and not on this machine: the key would cross the network in the open", base)
	}
	return endpoint.Endpoint{URL: base, Key: key}, nil
}

// prepare makes the run folder, in the runs folder of the site local: this machine's own.
func (c loadCmd) prepare(a *app, options sites.Options, plan results.Plan, target endpoint.Endpoint, model endpoint.Model) (jobs.Entry, error) {
	site, _, err := sites.LoadSite("local", options)
	if err == nil {
		site, err = site.Expand(options.Who())
	}
	if err != nil {
		return jobs.Entry{}, usage(err)
	}
	name := c.Name
	if name == "" {
		name = resolve.RemoteName(target.URL.String(), model.ID)
	}
	store := jobs.Store{Dir: site.RunsDir, Group: -1}
	dir, name, err := store.Claim(name, c.Name == "")
	if err != nil {
		return jobs.Entry{}, usage(err)
	}
	spec, err := resolve.Remote(resolve.RemoteRequest{
		URL: target.URL.String(), Model: model.ID, Plan: plan, Simulated: model.OwnedBy == stubOwner, Repeats: c.Repeats, Service: c.Service,
		Name: name, Dir: string(dir), ToolVersion: version, Now: now(),
	})
	if err == nil {
		err = results.WriteJSON(dir.Spec(), spec, 0o600)
	}
	if err != nil {
		return jobs.Entry{}, usage(errors.Join(err, os.RemoveAll(string(dir))))
	}
	return jobs.Entry{Name: name, Dir: dir, Spec: spec}, nil
}

// repeats runs them one after the other.
func (c loadCmd) repeats(a *app, e jobs.Entry, target endpoint.Endpoint) error {
	fmt.Fprintf(a.stdout, "Run %s: %s at %s, plan %s, %d repeats\nFiles: %s\n", e.Name, target.Model, target.URL, e.Spec.Plan.Name, e.Spec.Repeats, e.Dir)
	abort := a.signals.hold()
	panel := newPanel(a.stderr, isTerminal(a.stderr))
	for i := 1; i <= e.Spec.Repeats; i++ {
		if i > 1 && c.Pause > 0 {
			select {
			case <-time.After(c.Pause):
			case <-a.ctx.Done():
			}
		}
		err := c.once(a, e, target, i, panel, abort)
		panel.close()
		if errors.Is(err, load.ErrInterrupted) || a.ctx.Err() != nil {
			return codeError{codeInterrupted, fmt.Errorf("repeat %d was interrupted; what was measured is in %s", i, e.Dir)}
		}
		if err != nil {
			return failed(fmt.Errorf("repeat %d: %w", i, err))
		}
	}
	return nil
}

func (c loadCmd) once(a *app, e jobs.Entry, target endpoint.Endpoint, index int, p *panel, abort <-chan struct{}) error {
	dir := e.Dir.Attempt(index, 0)
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return fmt.Errorf("make the folder of repeat %d: %w", index, err)
	}
	digest, err := e.Spec.Digest()
	if err != nil {
		return err
	}
	first := load.Standalone(e.Name, index, 0, digest, version)
	first.Simulated = e.Spec.Simulated
	file, err := load.NewAttemptFile(dir, 0o600, first)
	if err != nil {
		return err
	}
	cfg := load.Config{
		Endpoint: target, Plan: e.Spec.Plan, Dir: dir, StepsFile: e.Dir.Steps(), Attempt: file, Mode: 0o600,
		CacheDir: filepath.Join(filepath.Dir(string(e.Dir)), ".cache"),
		Progress: p.show, Warn: func(words string) { fmt.Fprintln(a.stderr, "hpcbench: note:", words) }, Abort: abort,
	}
	if c.Metrics {
		plain := engineEndpoint(target)
		cfg.Telemetry = telemetry.Options{Scrape: func(ctx context.Context) (results.ServerSample, error) { return vllm.Scrape(ctx, plain) }}
	}
	if cfg.Plan.Kind == results.KindMatrix && cfg.Plan.Matrix.KVTokens == 0 {
		if cfg.Facts, err = c.kvFacts(a.ctx, cfg.Telemetry.Scrape, file); err != nil {
			cfg.Warn(fmt.Sprintf("the size of the KV cache isn't known (%v): cells that don't fit it are run as well; state it as matrix.kv_tokens", err))
		}
	}
	if cfg.Plan.Kind == results.KindGateway {
		if cfg.Endpoint, cfg.Gateway, err = c.gateway(cfg.Plan, target); err != nil {
			return err
		}
	}
	_, err = load.Run(a.ctx, cfg)
	return errors.Join(err, file.Update(func(f *results.Attempt) { f.EndedAt = time.Now().UTC() }))
}

// kvFacts asks the metrics how large the KV cache is, so that cells of a matrix
// which can't fit aren't run, and writes down where that comes from.
func (c loadCmd) kvFacts(ctx context.Context, scrape func(context.Context) (results.ServerSample, error), file *load.AttemptFile) (plans.Facts, error) {
	if scrape == nil {
		return plans.Facts{}, errors.New("the server's metrics are read with --metrics only")
	}
	sample, err := scrape(ctx)
	if err != nil {
		return plans.Facts{}, err
	}
	if sample.KVTokens == nil {
		return plans.Facts{}, errors.New("the server's metrics don't say")
	}
	f := plans.Facts{KVTokens: int64(*sample.KVTokens), KVSource: "metrics"}
	return f, file.Update(func(a *results.Attempt) { a.Server.KVTokens, a.Server.KVSource = f.KVTokens, f.KVSource })
}

// gateway is the two ways of a gateway plan, with the same key and model.
func (c loadCmd) gateway(p results.Plan, target endpoint.Endpoint) (direct endpoint.Endpoint, through *endpoint.Endpoint, err error) {
	direct, second := target, target
	if direct.URL, err = endpoint.ParseURL(p.Gateway.DirectURL); err != nil {
		return direct, nil, fmt.Errorf("gateway.direct_url: %w", err)
	}
	if second.URL, err = endpoint.ParseURL(p.Gateway.GatewayURL); err != nil {
		return direct, nil, fmt.Errorf("gateway.gateway_url: %w", err)
	}
	return direct, &second, nil
}
