package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/posener/complete"
	"github.com/willabides/kongplete"
	"mvdan.cc/sh/v3/syntax"

	"hpcbench/collect/history"
	"hpcbench/load/plans"
	"hpcbench/results"
	"hpcbench/sites"
)

type completionCmd struct {
	Shell string `arg:"" optional:"" enum:",bash,zsh,fish" default:"" help:"bash, zsh or fish; that of $$SHELL if not given."`
}

// Run prints what makes a shell ask this program for completions.
func (c completionCmd) Run(a *app) error {
	shell := c.Shell
	if shell == "" {
		shell = filepath.Base(os.Getenv("SHELL"))
	}
	program, err := os.Executable()
	if err != nil {
		return failed(fmt.Errorf("find the program itself: %w", err))
	}
	quoted, err := syntax.Quote(program, syntax.LangBash)
	if err != nil {
		return failed(fmt.Errorf("quote %s: %w", program, err))
	}
	var lines string
	switch shell {
	case "bash":
		lines = "complete -C " + quoted + " hpcbench\n"
	case "zsh":
		lines = "autoload -U +X bashcompinit && bashcompinit\ncomplete -C " + quoted + " hpcbench\n"
	case "fish":
		lines = `function __hpcbench_complete
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct); and set COMP_LINE "$COMP_LINE "
    ` + quoted + `
end
complete -f -c hpcbench -a "(__hpcbench_complete)"
`
	default:
		return usage(fmt.Errorf("completion for the shell %q isn't known; bash, zsh and fish are: hpcbench completion bash", shell))
	}
	_, err = fmt.Fprint(a.stdout, lines)
	return err
}

// completions are the names that flags and arguments refer to by predictor:"…".
// They come from folders alone, never from Slurm: a shell asks at every press of the key.
func completions() []kongplete.Option {
	names := func(list func() []string) complete.Predictor {
		return complete.PredictFunc(func(complete.Args) []string { return list() })
	}
	return []kongplete.Option{
		kongplete.WithPredictor("run", names(runNames)),
		kongplete.WithPredictor("site", names(siteNames)),
		kongplete.WithPredictor("model", names(modelNames)),
		kongplete.WithPredictor("plan", names(planNames)),
		kongplete.WithPredictor("reference", names(results.ReferenceNames)),
		kongplete.WithPredictor("baseline", names(baselineNames)),
		kongplete.WithPredictor("suite", names(suiteNames)),
		kongplete.WithPredictor("headline", complete.PredictSet(history.Headlines...)),
		kongplete.WithPredictor("file", complete.PredictFiles("*")),
	}
}

// Whatever is broken offers no names; the verb itself will say what is wrong.

func runNames() []string {
	stores, err := new(app).stores()
	if err != nil {
		return nil
	}
	var all []string
	for _, s := range stores {
		if names, err := s.Names(); err == nil {
			all = append(all, names...)
		}
	}
	if len(all) > 0 {
		all = append(all, "last")
	}
	return all
}

func siteNames() []string {
	names, err := sites.Names(sites.System())
	if err != nil {
		return nil
	}
	return names
}

func planNames() []string {
	names, err := plans.Names(plansDir(sites.System()))
	if err != nil {
		return nil
	}
	return names
}

func modelNames() []string {
	catalogue, _, err := sites.LoadModels(sites.System())
	if err != nil {
		return nil
	}
	all := catalogue.IDs()
	for _, m := range catalogue.Models {
		all = append(all, m.Aliases...)
	}
	slices.Sort(all)
	return all
}
