package main

import (
	"errors"
	"fmt"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hpcbench/jobs"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
	"hpcbench/slurm"
	"hpcbench/slurm/local"
)

// stores are the runs folders of all sites that are configured far enough to
// have one, each once. A run is found whatever its site.
func (a *app) stores(flags ...conf.Value) ([]jobs.Store, error) {
	options := sites.System(flags...)
	names, err := sites.Names(options)
	if err != nil {
		return nil, usage(err)
	}
	var all []jobs.Store
	var broken error
	seen := map[string]bool{}
	for _, name := range names {
		site, _, err := sites.LoadSite(name, options)
		if err != nil {
			broken = errors.Join(broken, err)
			continue
		}
		full, err := site.Expand(options.Who())
		if err != nil || full.RunsDir == "" || seen[full.RunsDir] {
			continue // without an account LUMI's runs folder has no name yet
		}
		seen[full.RunsDir] = true
		all = append(all, jobs.Store{Dir: full.RunsDir, Group: -1})
	}
	if len(all) == 0 {
		return nil, usage(errors.Join(errors.New("no site has a runs folder yet"), broken))
	}
	return all, nil
}

// find answers the run that is meant in any of the runs folders; "last" is the newest of all.
// A path names a run folder wherever it lies.
func (a *app) find(ref string) (jobs.Entry, error) {
	if strings.ContainsRune(ref, filepath.Separator) || ref == "." || ref == ".." {
		e, err := jobs.Store{}.Find(filepath.Join(".", ref) + string(filepath.Separator))
		if filepath.IsAbs(ref) {
			e, err = jobs.Store{}.Find(ref)
		}
		if err != nil {
			return jobs.Entry{}, usage(err)
		}
		return e, nil
	}
	stores, err := a.stores()
	if err != nil {
		return jobs.Entry{}, err
	}
	var best jobs.Entry
	var missing []error
	found := 0
	for _, s := range stores {
		e, err := s.Find(ref)
		switch {
		case errors.Is(err, jobs.ErrNoRun):
			missing = append(missing, err)
			continue
		case err != nil:
			return jobs.Entry{}, usage(err)
		}
		found++
		if found == 1 || e.Spec.CreatedAt.After(best.Spec.CreatedAt) {
			best = e
		}
	}
	switch {
	case found == 0:
		return jobs.Entry{}, usage(errors.Join(missing...))
	case found > 1 && ref != "last":
		return jobs.Entry{}, usage(fmt.Errorf("several sites have a run %q; name it by its path, such as %s", ref, best.Dir))
	}
	return best, nil
}

// entries lists the runs of all runs folders, the newest first.
func (a *app) entries() ([]jobs.Entry, error) {
	stores, err := a.stores()
	if err != nil {
		return nil, err
	}
	var all []jobs.Entry
	for _, s := range stores {
		list, err := s.List()
		if err != nil { // one folder that can't be read must not hide the others
			fmt.Fprintln(a.stderr, "hpcbench: note:", err)
			continue
		}
		all = append(all, list...)
	}
	return all, nil
}

// superviseVerb is the hidden verb that runs a local job.
const superviseVerb = "local-job"

// scheduler is who runs the jobs of a run.
func scheduler(e jobs.Entry) (jobs.Scheduler, error) {
	if remote(e.Spec) {
		return nil, errRemote
	}
	if e.Spec.Site.Scheduler == results.SchedulerLocal {
		return local.Scheduler{State: localState(e), Supervise: []string{e.Dir.Binary(), superviseVerb}}, nil
	}
	return slurm.New(slurm.Options{}), nil
}

// poller is scheduler for who asks again and again, or is waited for at a terminal: a
// question that Slurm can't answer now is not put again at once.
func poller(e jobs.Entry) (jobs.Scheduler, error) {
	if remote(e.Spec) || e.Spec.Site.Scheduler == results.SchedulerLocal {
		return scheduler(e)
	}
	return slurm.New(slurm.Options{RetryFor: -1}), nil
}

// localState is the folder of the local jobs: beside the runs, so that it is found again from a run.
func localState(e jobs.Entry) string { return filepath.Join(filepath.Dir(string(e.Dir)), ".jobs") }

// schedulerKey is equal for runs that one scheduler can be asked about together.
func schedulerKey(e jobs.Entry) string {
	switch {
	case remote(e.Spec):
		return results.ModeRemote
	case e.Spec.Site.Scheduler == results.SchedulerLocal:
		return localState(e)
	}
	return e.Spec.Site.Scheduler
}

// groupID is the numeric id of a project's group, −1 for none. A static binary
// can't ask LDAP, so a number is taken as well.
func groupID(name string) (int, error) {
	if name == "" {
		return -1, nil
	}
	if n, err := strconv.Atoi(name); err == nil {
		return n, nil
	}
	g, err := user.LookupGroup(name)
	if err != nil {
		return 0, usage(fmt.Errorf("group %s: %w; its number is taken as well (getent group %s)", name, err, name))
	}
	return strconv.Atoi(g.Gid)
}

func now() time.Time { return time.Now() }
