package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"hpcbench/jobs/resolve"
	"hpcbench/load/plans"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
)

// runFlags say what is to be run; submit and render take the same ones. Flags
// that stand for a configuration key have no default here: one that is given beats
// every file, one that isn't leaves them their say.
type runFlags struct {
	Site   string   `help:"Machine: lumi, karolina, local, or one of your own." placeholder:"NAME" predictor:"site"`
	Models []string `name:"model" help:"Model: a short name of the catalogue, org/name, or a folder. submit takes several." placeholder:"MODEL" predictor:"model" sep:"none"`
	GPUs   int      `name:"gpus" help:"GPUs of the run, over all nodes (on LUMI a GCD is one)." placeholder:"N"`
	Nodes  int      `help:"Nodes; as few as the GPUs need if not given." placeholder:"N"`
	Plan   string   `help:"Load: a plan's name or a .yaml file; the site's own if not given." placeholder:"PLAN" predictor:"plan"`

	Repeats    int           `help:"Independent repeats (5 unless configured)." placeholder:"N"`
	RepeatMode string        `help:"How repeats share jobs: array, restart, chain or reuse; the site's limits decide if not given." placeholder:"MODE"`
	Name       string        `help:"Name of the run." placeholder:"NAME"`
	Time       time.Duration `help:"Walltime of a job instead of the computed one, such as 90m." placeholder:"DURATION"`

	Account     string `help:"Project that pays." placeholder:"ACCOUNT"`
	Partition   string `short:"p" help:"Partition (queue)." placeholder:"NAME"`
	QOS         string `name:"qos" help:"Quality of service." placeholder:"NAME"`
	Reservation string `help:"Reservation." placeholder:"NAME"`
	Image       string `help:"Container image, a .sif." placeholder:"PATH"`
	RunsDir     string `help:"Folder that holds the runs." placeholder:"DIR"`
	CacheDir    string `help:"Folder for caches." placeholder:"DIR"`

	TPs          []int    `name:"tp" help:"Tensor parallel size; the GPUs of a node if not given. submit takes several, such as 2,4." placeholder:"N"`
	PP           int      `name:"pp" help:"Pipeline parallel size; the nodes if not given." placeholder:"N"`
	MaxModelLen  int      `help:"Longest request in tokens; what the plan needs if not given." placeholder:"TOKENS"`
	MaxNumSeqs   int      `help:"Requests that the server runs at once; the server's own if not given." placeholder:"N"`
	DType        string   `name:"dtype" help:"Type of the weights; the model's own if not given." placeholder:"TYPE"`
	Revision     string   `help:"Revision of the model." placeholder:"REV"`
	ServerArg    []string `help:"Argument passed to the server as it stands; repeat the flag for more." placeholder:"ARG" sep:"none"`
	ServerScript string   `help:"Script of your own that starts any server with an OpenAI API." placeholder:"FILE" type:"path"`
	Force        bool     `help:"Go on where a check says that it may not work."`

	// What is run, once it is known to be one configuration.
	Model string `kong:"-"`
	TP    int    `kong:"-"`
}

// AfterApply takes the one model and the one size that were given. Several are several
// runs, which only submit makes.
func (f *runFlags) AfterApply(k *kong.Context) error {
	if err := atLeastOne(k); err != nil {
		return err
	}
	if len(f.Models) > 1 || len(f.TPs) > 1 {
		if k.Selected() == nil || k.Selected().Name != "submit" {
			return errors.New("several values of --model or --tp are several runs: that is for submit")
		}
		return nil
	}
	if len(f.Models) == 1 {
		f.Model = f.Models[0]
	}
	if len(f.TPs) == 1 {
		f.TP = f.TPs[0]
	}
	return nil
}

// atLeastOne refuses numbers that a user wrote and that mean nothing: left out they
// would silently stand for "as the site has it".
func atLeastOne(k *kong.Context) error {
	for _, flag := range k.Flags() {
		if kind := flag.Target.Kind(); flag.Set && (kind == reflect.Int || kind == reflect.Int64) && flag.Target.Int() < 1 {
			return fmt.Errorf("--%s %v: it must be above 0", flag.Name, flag.Target.Interface())
		}
	}
	return nil
}

// variants are the configurations that the flags ask for: every model with every size.
func (f runFlags) variants() []runFlags {
	if len(f.Models) <= 1 && len(f.TPs) <= 1 {
		return []runFlags{f}
	}
	models, sizes := f.Models, f.TPs
	if len(models) == 0 {
		models = []string{f.Model}
	}
	if len(sizes) == 0 {
		sizes = []int{f.TP}
	}
	var all []runFlags
	for _, m := range models {
		for _, n := range sizes {
			one := f
			one.Model, one.TP = m, n
			all = append(all, one)
		}
	}
	return all
}

// values are the flags that stand for configuration keys.
func (f runFlags) values() []conf.Value {
	var v []conf.Value
	add := func(key, flag, text string) {
		if text != "" {
			v = append(v, conf.Value{Path: []string{key}, Text: text, Source: "--" + flag})
		}
	}
	add("account", "account", f.Account)
	add("partition", "partition", f.Partition)
	add("qos", "qos", f.QOS)
	add("reservation", "reservation", f.Reservation)
	add("image", "image", f.Image)
	add("runs_dir", "runs-dir", f.RunsDir)
	add("cache_dir", "cache-dir", f.CacheDir)
	return v
}

// request is what the flags ask for.
func (f runFlags) request(here bool) resolve.Request {
	options := sites.System(f.values()...)
	return resolve.Request{
		Site: f.Site, Options: options, Model: f.Model, GPUs: f.GPUs, Nodes: f.Nodes, TP: f.TP, PP: f.PP,
		Plan: func(siteDefault string) (results.Plan, error) { return loadPlan(f.Plan, siteDefault, options) },
		Name: f.Name, Mode: f.RepeatMode, Repeats: f.Repeats, Walltime: f.Time,
		MaxModelLen: f.MaxModelLen, MaxNumSeqs: f.MaxNumSeqs, DType: f.DType, Revision: f.Revision,
		ServerArgs: f.ServerArg, ServerScript: f.ServerScript, Force: f.Force, Here: here,
		ToolVersion: version, Now: now(),
	}
}

// loadPlan takes the plan that was named, else the configured one.
func loadPlan(asked, siteDefault string, options sites.Options) (results.Plan, error) {
	name := asked
	if name == "" {
		name = siteDefault
	}
	if name == "" {
		return results.Plan{}, fmt.Errorf("no plan: pass --plan NAME; `hpcbench plans list` shows them")
	}
	plan, _, err := plans.Load(name, plansDir(options))
	if err != nil && strings.HasSuffix(name, ".yaml") {
		return plan, fmt.Errorf("--plan: %w", err)
	}
	return plan, err
}

// plansDir holds the user's own plans.
func plansDir(options sites.Options) string {
	if dir := options.ConfigDir(); dir != "" {
		return filepath.Join(dir, "plans")
	}
	return ""
}
