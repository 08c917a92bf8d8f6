package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hpcbench/collect/convert"
	"hpcbench/jobs"
	"hpcbench/sites"
	"hpcbench/sites/conf"
)

type importCmd struct {
	Files   []string `arg:"" name:"file" help:"JSON of inference-benchmarker or of vllm bench serve; each file of the former is a repeat, of the latter a step." predictor:"file"`
	Name    string   `help:"Name of the run; that of the first file if not given." placeholder:"NAME"`
	RunsDir string   `help:"Folder that holds the runs; that of the site local if not given." placeholder:"DIR" type:"path"`
}

// Run reads files of other tools as a run of the usual kind.
func (c importCmd) Run(a *app) error {
	var parts []convert.Part
	var errs []error
	for _, file := range c.Files {
		data, err := os.ReadFile(file)
		if err == nil {
			var p convert.Part
			p, err = convert.Parse(file, data)
			parts = append(parts, p)
		}
		errs = append(errs, err)
	}
	name := c.Name
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(c.Files[0]), ".json")
	}
	errs = append(errs, jobs.CheckName(name))
	if err := conf.Join(errs...); err != nil {
		return usage(err)
	}
	folder, err := c.folder()
	if err != nil {
		return usage(err)
	}
	dir, err := convert.WriteRun(folder, name, parts)
	switch {
	case errors.Is(err, os.ErrExist), errors.Is(err, convert.ErrMixed):
		return usage(err)
	case err != nil:
		return failed(err)
	}
	set := "" // vllm bench serve counts tokens as the corrected set does, and has none of compat
	if parts[0].Tool == convert.ToolHuggingFace {
		set = " --set compat"
	}
	_, err = fmt.Fprintf(a.stdout, "Run folder: %s\nNext:       hpcbench collect %s%s\n", dir, dir, set)
	return err
}

// folder is where imported runs go.
func (c importCmd) folder() (string, error) {
	if c.RunsDir != "" {
		return c.RunsDir, nil
	}
	options := sites.System()
	site, _, err := sites.LoadSite(sites.Local, options)
	if err != nil {
		return "", err
	}
	full, err := site.Expand(options.Who())
	return full.RunsDir, err
}
