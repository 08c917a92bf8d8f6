package slurmtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Down ends every process of the cluster, jobs included, and removes its
// directory. It is no error where nothing runs.
func (c *Cluster) Down() error {
	if os.Geteuid() != 0 {
		return errors.New("the test cluster must be stopped as root")
	}
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.clear(); err != nil {
		return err
	}
	for _, suffix := range []string{".lock", ".use"} {
		if err := os.Remove(c.Dir + suffix); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove the cluster's lock: %w", err)
		}
	}
	return nil
}

func (c *Cluster) clear() error {
	if err := c.ours(); err != nil {
		return err
	}
	// Controller first, so that it starts nothing while its nodes end.
	for _, d := range []daemon{c.slurmctld(), c.slurmdbd()} {
		if p, ok := c.running(d); ok {
			end([]process{p}, 15*time.Second)
		}
	}
	end(c.leftovers(), 10*time.Second)
	if left := c.leftovers(); len(left) > 0 {
		return fmt.Errorf("process %d (%s) of the test cluster does not end", left[0].pid, left[0].name)
	}
	if err := os.RemoveAll(c.Dir); err != nil {
		return fmt.Errorf("remove the cluster's directory: %w", err)
	}
	return nil
}

// ours refuses to remove a directory that isn't a cluster's.
func (c *Cluster) ours() error {
	entries, err := os.ReadDir(c.Dir)
	if os.IsNotExist(err) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look into the cluster's directory: %w", err)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "etc")); err != nil {
		return fmt.Errorf("%s is not the directory of a test cluster, and not empty: remove it yourself, or set %s", c.Dir, DirVariable)
	}
	return nil
}

// leftovers are the cluster's processes, known by the mark that every daemon
// hands down, or by a log that they hold open (slurmstepd rewrites its
// environment), and everything that these started.
func (c *Cluster) leftovers() []process {
	all := processes()
	var roots []process
	for _, p := range all {
		if p.pid != os.Getpid() && p.state != 'Z' && c.owns(p) {
			roots = append(roots, p)
		}
	}
	var out []process
	for _, p := range withDescendants(all, roots) {
		if p.state != 'Z' && p.pid != os.Getpid() {
			out = append(out, p)
		}
	}
	return out
}

func (c *Cluster) owns(p process) bool {
	switch strings.TrimSuffix(p.name, " ") {
	case "munged", "mariadbd", "slurmdbd", "slurmctld", "slurmd", "slurmstepd":
		return p.has(c.mark()) || p.holds(c.path("log")+"/") || p.holds(c.path("spool")+"/")
	}
	// A job's process: it has the cluster's configuration and a job id.
	return p.has("SLURM_CONF="+c.Conf()) && p.hasName("SLURM_JOB_ID")
}

func (p process) hasName(name string) bool {
	for _, kv := range p.environ {
		if strings.HasPrefix(kv, name+"=") {
			return true
		}
	}
	return false
}
