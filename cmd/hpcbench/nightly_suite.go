package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hpcbench/collect/gate"
	"hpcbench/jobs"
	"hpcbench/jobs/suite"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
)

// nightly is one suite with its place on the disk.
type nightly struct {
	suite gate.Suite
	file  string // absolute
	sites map[string]sites.Profile
	store jobs.Store // of the first entry's site: the suite's state lies beside its runs
	dir   string     // of the suite's state
	night string
	poll  time.Duration
}

// openSuite loads a suite and finds where its state is.
func (a *app) openSuite(ref string) (*nightly, error) {
	n := &nightly{sites: map[string]sites.Profile{}, poll: time.Second}
	var err error
	if n.file, err = suiteFile(ref, sites.System()); err != nil {
		return nil, usage(err)
	}
	if n.suite, err = gate.LoadSuite(n.file); err != nil {
		return nil, usage(err)
	}
	for i := range n.suite.Entries {
		if plan := &n.suite.Entries[i].Plan; strings.HasSuffix(*plan, ".yaml") && !filepath.IsAbs(*plan) {
			*plan = filepath.Join(filepath.Dir(n.file), *plan) // wherever it is called from
		}
	}
	for i, e := range n.suite.Entries {
		options := sites.System(entryFlags(e).values()...)
		site, _, err := sites.LoadSite(e.Site, options)
		if err == nil {
			site, err = site.Expand(options.Who())
		}
		if err != nil {
			return nil, usage(fmt.Errorf("suite %s, entry %s: %w", n.suite.Name, e.Name, err))
		}
		if long := n.runName(e.Name, suite.Part{Entry: e.Name, Look: 9}, true); jobs.CheckName(long) != nil {
			return nil, usage(fmt.Errorf("suite %s, entry %s: the names are too long together: %w", n.suite.Name, e.Name, jobs.CheckName(long)))
		}
		n.sites[e.Name] = site
		n.poll = max(n.poll, site.PollInterval)
		if i > 0 {
			continue
		}
		if site.RunsDir == "" {
			return nil, usage(fmt.Errorf("suite %s: site %s has no runs_dir: set one that all login nodes see", n.suite.Name, site.Name))
		}
		if n.store, err = storeOf(site); err != nil {
			return nil, err
		}
		n.dir = filepath.Join(n.store.Dir, results.NightlyDir, n.suite.Name)
	}
	return n, nil
}

// storeOf is where the runs of a site lie.
func storeOf(site sites.Profile) (jobs.Store, error) {
	group := ""
	if site.GroupReadable {
		group = site.Group
	}
	id, err := groupID(group)
	return jobs.Store{Dir: site.RunsDir, Group: id}, err
}

// suiteFile finds a suite: a path, a file in the working folder, or one of the configuration's.
func suiteFile(ref string, options sites.Options) (string, error) {
	if strings.ContainsRune(ref, filepath.Separator) || strings.HasSuffix(ref, ".yaml") {
		return filepath.Abs(ref)
	}
	var tried []string
	for _, dir := range suiteDirs(options) {
		file, err := filepath.Abs(filepath.Join(dir, ref+".yaml"))
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
		tried = append(tried, file)
	}
	return "", fmt.Errorf("there is no suite %q (%s)%s", ref, strings.Join(tried, ", "), conf.DidYouMean(ref, suiteNames()))
}

// suiteDirs are where suites are looked for by their name.
func suiteDirs(options sites.Options) []string {
	dirs := []string{"."}
	if dir := options.ConfigDir(); dir != "" {
		dirs = append(dirs, filepath.Join(dir, "suites"))
	}
	return dirs
}

// suiteNames are the configuration's suites, for completion.
func suiteNames() []string {
	dir := sites.System().ConfigDir()
	files, err := filepath.Glob(filepath.Join(dir, "suites", "*.yaml"))
	if dir == "" || err != nil {
		return nil
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".yaml"))
	}
	return names
}

// entryFlags are an entry as the flags of submit.
func entryFlags(e gate.Entry) runFlags {
	return runFlags{Site: e.Site, Model: e.Model, GPUs: e.GPUs, Plan: e.Plan, Partition: e.Partition, Image: e.Image, ServerArg: e.ServerArgs, Repeats: e.Repeats}
}

func (n *nightly) entry(name string) gate.Entry {
	i := slices.IndexFunc(n.suite.Entries, func(e gate.Entry) bool { return e.Name == name })
	return n.suite.Entries[i]
}

// checkPlaces refuses partitions that are for tries: a nightly there can get an account suspended.
func (n *nightly) checkPlaces(force bool) error {
	if force {
		return nil
	}
	var errs []error
	for _, e := range n.suite.Entries {
		if err := production(n.sites[e.Name]); err != nil {
			errs = append(errs, fmt.Errorf("suite %s, entry %s: %w", n.suite.Name, e.Name, err))
		}
	}
	return errors.Join(errs...)
}

// production says that a site's partition is for production.
func production(site sites.Profile) error {
	part, err := site.FindPartition(site.Partition)
	if err != nil {
		return err
	}
	if site.Scheduler != sites.Slurm || part.Production {
		return nil
	}
	var others []string
	for name, p := range site.Partitions {
		if p.Production {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return fmt.Errorf("partition %s of %s is %w (%s); take one of %s, or --force", site.Partition, site.Name, errNotProduction, part.Use, strings.Join(others, ", "))
}

// choose says which night this call is about: the one that was asked for, else one before
// that still has something under way, else this one.
func (n *nightly) choose(a *app, asked string) error {
	if asked != "" {
		if err := suite.CheckNight(asked); err != nil {
			return usage(fmt.Errorf("--night: %w", err))
		}
		n.night = asked
	} else {
		n.night = suite.NightOf(now())
		before, err := suite.Unfinished(n.dir, n.night)
		if err != nil {
			return failed(err)
		}
		if before != "" {
			fmt.Fprintf(a.stderr, "hpcbench: note: the night of %s is still under way and comes first (--night %s begins this one all the same)\n", before, n.night)
			n.night = before
		}
	}
	_, err := n.store.Beside(results.NightlyDir, n.suite.Name, n.night)
	if err != nil {
		return failed(err)
	}
	return nil
}

func (n *nightly) nightDir() string   { return filepath.Join(n.dir, n.night) }
func (n *nightly) nightsFile() string { return filepath.Join(n.dir, "nights.jsonl") }
func (n *nightly) aaFile() string     { return filepath.Join(n.dir, "aa.jsonl") }

// runName is what a part's run is called: always the same, so that it is found again.
func (n *nightly) runName(entry string, p suite.Part, base bool) string {
	night := n.night
	if night == "" {
		night = time.DateOnly
	}
	name := n.suite.Name + "-" + entry + "-" + night
	switch {
	case p.Look == 0:
		return name
	case base:
		return fmt.Sprintf("%s-p%d-base", name, p.Look)
	}
	return fmt.Sprintf("%s-p%d-new", name, p.Look)
}
