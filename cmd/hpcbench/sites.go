package main

import (
	"fmt"

	"hpcbench/sites"
	"hpcbench/sites/conf"
)

type sitesCmd struct {
	List  sitesListCmd  `cmd:"" default:"1" help:"List the sites."`
	Show  sitesShowCmd  `cmd:"" help:"Print every value of a site and where it comes from."`
	Check sitesCheckCmd `cmd:"" help:"Read a site file of your own and report everything that is wrong with it."`
}

type sitesListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

type siteLine struct {
	Name        string `json:"site"`
	Description string `json:"description"`
	Scheduler   string `json:"scheduler,omitempty"`
	Partition   string `json:"partition,omitempty"`
	GPU         string `json:"gpu,omitempty"`
	GPUsPerNode int    `json:"gpus_per_node,omitempty"`
	Error       string `json:"error,omitempty"`
}

func (c sitesListCmd) Run(a *app) error {
	options := sites.System()
	names, err := sites.Names(options)
	if err != nil {
		return usage(err)
	}
	var all []siteLine
	var broken []error
	var rows [][]string
	for _, name := range names {
		p, _, err := sites.LoadSite(name, options)
		l := siteLine{Name: name, Description: p.Description, Scheduler: p.Scheduler, Partition: p.Partition, GPU: p.GPU.Kind, GPUsPerNode: p.GPU.PerNode}
		if err != nil {
			l.Error = err.Error()
			broken = append(broken, err)
			rows = append(rows, []string{name, "", "", "can't be read: see below"})
		} else {
			rows = append(rows, []string{name, gpuWords(p.GPU), p.Partition, p.Description})
		}
		all = append(all, l)
	}
	if c.JSON {
		err = printJSON(a.stdout, all)
	} else {
		err = a.list([]string{"site", "GPUs of a node", "partition", "description"}, rows)
	}
	if err == nil && len(broken) > 0 {
		err = usage(conf.Join(broken...))
	}
	return err
}

func gpuWords(g sites.GPU) string {
	if g.PerNode == 0 {
		return "none"
	}
	return fmt.Sprintf("%d × %s", g.PerNode, g.Kind)
}

type sitesShowCmd struct {
	Name string `arg:"" help:"The site." predictor:"site"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c sitesShowCmd) Run(a *app) error {
	p, origins, err := sites.LoadSite(c.Name, sites.System())
	if err != nil {
		return usage(err)
	}
	rows := sites.Rows(p, origins)
	notReady := sites.Require(p, origins)
	if c.JSON {
		out := struct {
			Site     string     `json:"site"`
			Values   []conf.Row `json:"values"`
			NotReady string     `json:"not_ready,omitempty"`
		}{Site: c.Name, Values: rows}
		if notReady != nil {
			out.NotReady = notReady.Error()
		}
		return printJSON(a.stdout, out)
	}
	if err := a.values(rows); err != nil {
		return err
	}
	if notReady != nil {
		_, err = fmt.Fprintf(a.stdout, "\n%s\n", notReady)
	}
	return err
}

// values prints where each value comes from, its key and itself.
func (a *app) values(rows []conf.Row) error {
	var lines [][]string
	for _, r := range rows {
		lines = append(lines, []string{r.Origin, r.Key + " = " + r.Value})
	}
	return a.list([]string{"from", "value"}, lines)
}

type sitesCheckCmd struct {
	File string `arg:"" help:"A YAML file called NAME.yaml." predictor:"file"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c sitesCheckCmd) Run(a *app) error {
	return a.checked(c.File, c.JSON, sites.Check(c.File), "")
}

// checked prints what a check found. That something is wrong is an error in
// either form; more is added to the words where nothing is.
func (a *app) checked(file string, asJSON bool, found error, more string) error {
	switch {
	case asJSON:
		type problem struct {
			File string `json:"file"`
			Line int    `json:"line,omitempty"`
			Key  string `json:"key,omitempty"`
			Text string `json:"text"`
		}
		out := struct {
			File     string    `json:"file"`
			Fine     bool      `json:"fine"`
			Problems []problem `json:"problems"`
		}{file, found == nil, []problem{}}
		for _, p := range conf.Problems(found) {
			out.Problems = append(out.Problems, problem{p.Source, p.Line, p.Key, p.Text})
		}
		if found != nil && len(out.Problems) == 0 { // the file as a whole, such as one that isn't there
			out.Problems = append(out.Problems, problem{File: file, Text: found.Error()})
		}
		if err := printJSON(a.stdout, out); err != nil {
			return err
		}
		if found != nil {
			return codeError{codeUsage, nil}
		}
		return nil
	case found != nil:
		return usage(found)
	}
	_, err := fmt.Fprintf(a.stdout, "%s: nothing is wrong with it%s\n", file, more)
	return err
}
