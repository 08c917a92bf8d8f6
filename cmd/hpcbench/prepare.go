package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"hpcbench/jobs/check"
	"hpcbench/sites"
	"hpcbench/sites/conf"
	"hpcbench/slurm"
)

type prepareCmd struct {
	Site      string `help:"Machine: lumi, karolina, or one of your own." placeholder:"NAME" predictor:"site"`
	Model     string `help:"Model: a short name of the catalogue, org/name, or a folder." placeholder:"MODEL" predictor:"model"`
	Revision  string `help:"Revision of the model; what the cache has, else the newest, if not given." placeholder:"REV"`
	ImageFrom string `help:"Where to pull the image from if it isn't there, such as docker://vllm/vllm-openai:v0.14.0." placeholder:"URI"`
	AsJob     bool   `help:"Do it in a job without a GPU (on sites where memory follows the GPUs, with one) instead of here."`

	Account   string `help:"Project that pays." placeholder:"ACCOUNT"`
	Partition string `short:"p" help:"Partition (queue) of the job." placeholder:"NAME"`
	Image     string `help:"Container image, a .sif." placeholder:"PATH"`
	RunsDir   string `help:"Folder that holds the runs." placeholder:"DIR"`
	CacheDir  string `help:"Folder for caches." placeholder:"DIR"`
}

// prepareWalltime is what the job asks for: pulling and packing a large image takes most of an hour.
const prepareWalltime = 2 * time.Hour

func (c prepareCmd) values() []conf.Value {
	return runFlags{Account: c.Account, Partition: c.Partition, Image: c.Image, RunsDir: c.RunsDir, CacheDir: c.CacheDir}.values()
}

// Run brings image and weights into the caches, and learns about the image.
func (c prepareCmd) Run(a *app) error {
	p, err := c.preparation(a)
	if err != nil {
		return usage(err)
	}
	if c.AsJob {
		return c.inJob(a, p)
	}
	if err := p.Run(a.ctx); err != nil {
		if a.ctx.Err() != nil {
			return codeError{codeInterrupted, fmt.Errorf("%w; the same command goes on where it stopped", a.ctx.Err())}
		}
		return failed(err)
	}
	return nil
}

func (c prepareCmd) preparation(a *app) (check.Preparation, error) {
	options := sites.System(c.values()...)
	site, origins, err := sites.LoadSite(c.Site, options)
	if err != nil {
		return check.Preparation{}, err
	}
	// The image may be what is missing, and is then asked for where it is needed.
	var errs []error
	for _, m := range sites.Missing(site) {
		if m.Key != "image" {
			errs = append(errs, m)
		}
	}
	if err := conf.Join(errs...); err != nil {
		return check.Preparation{}, fmt.Errorf("site %s is not ready:\n%w", site.Name, err)
	}
	who := options.Who()
	if site, err = site.Expand(who); err != nil {
		return check.Preparation{}, err
	}
	p := check.Preparation{
		Subject:   check.Subject{Site: site, Origins: origins, Who: who, Now: now(), Revision: c.Revision, Run: slurm.Exec, Look: exec.LookPath},
		ImageFrom: c.ImageFrom, Out: a.stderr, Progress: isTerminal(a.stderr), Getenv: os.Getenv,
		Say: func(format string, args ...any) { fmt.Fprintf(a.stdout, format+"\n", args...) },
	}
	name := c.Model
	if name == "" {
		name = site.Model
	}
	if name == "" || site.Engine == sites.Stub {
		return p, nil
	}
	catalogue, _, err := sites.LoadModels(options)
	if err != nil {
		return p, err
	}
	p.Model, err = catalogue.Find(name)
	p.Named = err == nil
	return p, err
}

// inJob does the same in a job, and shows what it printed.
func (c prepareCmd) inJob(a *app, p check.Preparation) error {
	site := p.Site
	switch {
	case site.Scheduler != sites.Slurm:
		return usage(fmt.Errorf("--as-job: site %s has no Slurm; leave it out", site.Name))
	case site.Offline && p.Downloads():
		return usage(fmt.Errorf("--as-job: compute nodes of %s can't reach the internet, and something has to be fetched: run it here, on a login node, without --as-job", site.Name))
	case site.Account == "" || site.Partition == "":
		return usage(errors.New("--as-job: a job needs an account and a partition"))
	}
	t, err := a.task()
	if err != nil {
		return failed(err)
	}
	t.Scheduler, t.Site, t.Kind, t.What = slurm.New(slurm.Options{}), site, "prepare", "image and weights"
	t.Walltime, t.Leave, t.Keep = prepareWalltime, true, []string{"HPCBENCH_CONFIG_DIR"}
	if limit := site.Partitions[site.Partition].MaxWalltime; limit > 0 && limit < t.Walltime {
		t.Walltime = limit
	}
	if site.Request.MemoryFlag != sites.Mem {
		t.GPUs = min(1, site.GPU.PerNode) // its cores and memory come with it
	}
	t.Args = func(string) []string { return c.again(p) }
	done, err := t.Run(a.ctx)
	if err != nil {
		return failed(fmt.Errorf("%w (its folder: %s)", err, done.Dir))
	}
	fmt.Fprint(a.stdout, done.Output())
	if done.View.State != slurm.StateCompleted {
		return failed(fmt.Errorf("job %s: %s; its folder is kept: %s", done.ID, done.View.Words, done.Dir))
	}
	return os.RemoveAll(done.Dir)
}

// again is this command for the job: what was resolved here is said, since the job has
// another working folder and a clean environment.
func (c prepareCmd) again(p check.Preparation) []string {
	args := []string{"prepare", "--site", p.Site.Name}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, "--"+flag+"="+value)
		}
	}
	add("model", p.Model.ID)
	add("revision", c.Revision)
	add("image-from", c.ImageFrom)
	add("account", p.Site.Account)
	add("image", p.Site.Image)
	add("runs-dir", p.Site.RunsDir)
	add("cache-dir", p.Site.CacheDir)
	return args
}
