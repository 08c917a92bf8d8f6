package main

import (
	"fmt"
	"os/exec"
	"strings"

	"hpcbench/jobs/check"
	"hpcbench/jobs/resolve"
	"hpcbench/sites"
	"hpcbench/slurm"
)

type doctorCmd struct {
	runFlags `embed:""`
	Probe    bool `help:"Also look at a compute node, with a job of one GPU that needs a minute (5 at most)."`
	JSON     bool `name:"json" help:"Print JSON."`
}

// Run puts every check and shows all findings; an error among them is exit code 2.
func (c doctorCmd) Run(a *app) error {
	s, early, err := c.subject(a)
	if err != nil {
		return usage(err)
	}
	client := slurm.New(slurm.Options{})
	found := append(early, check.Doctor(a.ctx, client, s)...)
	if c.Probe {
		seen, err := a.probe(client, s, found)
		if err != nil {
			return err
		}
		found = append(found, seen...)
	}
	found = append(found, check.Claims(s, found)...)
	if a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	return a.findings(s, found, c.JSON)
}

// subject loads what is checked. A run that can't be resolved is a finding; only a
// site that can't be read at all is an error.
func (c runFlags) subject(a *app) (check.Subject, []check.Finding, error) {
	options := sites.System(c.values()...)
	site, origins, err := sites.LoadSite(c.Site, options)
	if err != nil {
		return check.Subject{}, nil, err
	}
	s := check.Subject{Site: site, Origins: origins, Who: options.Who(), Now: now(), Revision: c.Revision, Run: slurm.Exec, Look: exec.LookPath}
	ready := sites.Require(site, origins)
	if ready == nil {
		if s.Site, err = site.Expand(s.Who); err != nil {
			return check.Subject{}, nil, err
		}
	}
	if part, err := site.FindPartition(site.Partition); err == nil {
		s.Part = part
	}
	name := c.Model
	if name == "" {
		name = site.Model
	}
	var found []check.Finding
	if name != "" && site.Engine != sites.Stub {
		catalogue, _, err := sites.LoadModels(options)
		if err != nil {
			return check.Subject{}, nil, err
		}
		if m, err := catalogue.Find(name); err != nil {
			found = append(found, check.Request(err, nil)...)
		} else {
			s.Model, s.Named = m, true
		}
	}
	if ready != nil || len(found) > 0 || !s.Named && site.Engine != sites.Stub {
		return s, found, nil // a run can't be resolved, and the settings' own check says why
	}
	req := c.request(false)
	req.Unchecked = true
	spec, err := resolve.Spec(a.ctx, req)
	if err == nil {
		s.Spec = &spec
	}
	return s, append(found, check.Request(err, spec.Warnings)...), nil
}

// findings prints them, the worst last, where the eye ends.
func (a *app) findings(s check.Subject, found []check.Finding, asJSON bool) error {
	bad := check.Count(found, check.Error)
	if asJSON {
		out := struct {
			Site      string          `json:"site"`
			Partition string          `json:"partition,omitempty"`
			Account   string          `json:"account,omitempty"`
			Fine      bool            `json:"fine"`
			Findings  []check.Finding `json:"findings"`
		}{s.Site.Name, s.Site.Partition, s.Site.Account, bad == 0, found}
		if err := printJSON(a.stdout, out); err != nil {
			return err
		}
	} else {
		var rows [][]string
		for _, level := range []check.Level{check.OK, check.Claim, check.Warning, check.Error} {
			for _, f := range found {
				if f.Level != level {
					continue
				}
				words := f.Words
				if f.Remedy != "" {
					words += "; " + f.Remedy
				}
				rows = append(rows, []string{string(f.Level), f.Name, words})
			}
		}
		if err := a.list([]string{"level", "check", "finding"}, rows); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s\n", doctorWords(found))
	}
	if bad > 0 {
		return codeError{codeUsage, nil}
	}
	return nil
}

func doctorWords(found []check.Finding) string {
	var parts []string
	for _, c := range []struct {
		level      check.Level
		one, other string
	}{{check.Error, "error", "errors"}, {check.Warning, "warning", "warnings"}, {check.Claim, "unconfirmed claim", "unconfirmed claims"}} {
		switch n := check.Count(found, c.level); n {
		case 0:
		case 1:
			parts = append(parts, "1 "+c.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, c.other))
		}
	}
	if len(parts) == 0 {
		return "Nothing is wrong."
	}
	return strings.Join(parts, ", ") + "."
}
