package slurmtest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopGrace is how long a daemon may take to save its state and end.
const stopGrace = 20 * time.Second

// StopController ends slurmctld; jobs go on.
func (c *Cluster) StopController() error { return c.stop(c.slurmctld(), stopGrace) }

// StartController starts slurmctld again and waits until it answers.
func (c *Cluster) StartController(ctx context.Context) error {
	if err := c.start(c.slurmctld()); err != nil {
		return err
	}
	return c.await(ctx, c.slurmctld(), func() error { return c.ping(ctx) })
}

// PauseController stops slurmctld where it stands (SIGSTOP): it takes
// connections and answers none. resume lets it go on.
func (c *Cluster) PauseController() (resume func(), err error) {
	p, ok := c.running(c.slurmctld())
	if !ok {
		return nil, fmt.Errorf("pause slurmctld: it is not running")
	}
	if err := syscall.Kill(p.pid, syscall.SIGSTOP); err != nil {
		return nil, fmt.Errorf("pause slurmctld: %w", err)
	}
	return func() { _ = syscall.Kill(p.pid, syscall.SIGCONT) }, nil
}

// StopDatabase ends slurmdbd; the controller keeps what it has to tell it.
func (c *Cluster) StopDatabase() error { return c.stop(c.slurmdbd(), stopGrace) }

// StartDatabase starts slurmdbd again and waits until it answers.
func (c *Cluster) StartDatabase(ctx context.Context) error {
	if err := c.start(c.slurmdbd()); err != nil {
		return err
	}
	return c.await(ctx, c.slurmdbd(), func() error {
		_, err := c.Tool(ctx, "sacctmgr", "-n", "-P", "show", "cluster")
		return err
	})
}

// KillNode kills a node's slurmd and everything that its jobs started, all at
// once, and tells the controller that the node is down, which would otherwise
// find out after SlurmdTimeout.
func (c *Cluster) KillNode(ctx context.Context, node string) error {
	all := processes()
	var victims []process
	for _, p := range all {
		switch {
		case (p.name == "slurmd" || p.name == "slurmstepd") && p.holds(c.path("log", "slurmd-"+node+".")):
			victims = append(victims, p)
		case p.has("SLURM_CONF="+c.Conf()) && p.has("SLURMD_NODENAME="+node):
			victims = append(victims, p)
		}
	}
	if !slices.ContainsFunc(victims, func(p process) bool { return p.name == "slurmd" }) {
		return fmt.Errorf("kill node %s: its slurmd is not running", node)
	}
	end(withDescendants(all, victims), 0)
	if _, err := c.Tool(ctx, "scontrol", "update", "NodeName="+node, "State=DOWN", "Reason=killed by a test"); err != nil {
		return fmt.Errorf("kill node %s: %w", node, err)
	}
	return nil
}

// StartNode starts a killed node's slurmd again and waits until it takes jobs.
func (c *Cluster) StartNode(ctx context.Context, node string) error {
	if _, ok := c.running(c.slurmd(node)); !ok {
		if err := c.start(c.slurmd(node)); err != nil {
			return err
		}
	}
	return c.waitReady(ctx)
}

// TermThenKill ends a job the way a machine with proctrack/cgroup does at the
// time limit: TERM to the batch shell and nothing else, and after wait, KILL to all
// that is left of the job. job is the id of the job itself (SLURM_JOB_ID), on
// its first node.
func (c *Cluster) TermThenKill(job uint64, wait time.Duration) error {
	all := processes()
	shell, ok := batchShell(all, job)
	if !ok {
		return fmt.Errorf("end job %d: it has no batch shell here", job)
	}
	if err := syscall.Kill(shell.pid, syscall.SIGTERM); err != nil {
		return fmt.Errorf("end job %d: TERM to its batch shell: %w", job, err)
	}
	before := withDescendants(all, []process{shell})
	waitFor(wait, func() bool { return len(c.JobProcesses(job)) == 0 })
	var left []process
	for _, p := range processes() {
		if c.inJob(p, job) || slices.ContainsFunc(before, func(q process) bool { return q.pid == p.pid && q.name == p.name }) {
			left = append(left, p)
		}
	}
	end(withDescendants(processes(), left), 0)
	return nil
}

// JobProcesses are the ids of the processes that a job started and that are
// still there, also those that nobody is the parent of any more.
func (c *Cluster) JobProcesses(job uint64) []int {
	all := processes()
	var in []process
	for _, p := range all {
		if c.inJob(p, job) {
			in = append(in, p)
		}
	}
	if shell, ok := batchShell(all, job); ok {
		in = append(in, shell)
	}
	var pids []int
	for _, p := range withDescendants(all, in) {
		if p.state != 'Z' && p.name != "slurmstepd" && !slices.Contains(pids, p.pid) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

func (c *Cluster) inJob(p process, job uint64) bool {
	return p.state != 'Z' && p.name != "slurmstepd" && p.pid != os.Getpid() &&
		p.has("SLURM_CONF="+c.Conf()) && p.has("SLURM_JOB_ID="+strconv.FormatUint(job, 10))
}

// batchShell is the child of the step daemon whose title names the job's batch
// step.
func batchShell(all []process, job uint64) (process, bool) {
	title := fmt.Sprintf("[%d.batch]", job)
	for _, p := range all {
		if p.name != "slurmstepd" || p.state == 'Z' {
			continue
		}
		cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		if err != nil || !strings.Contains(string(cmdline), title) {
			continue
		}
		for _, child := range all {
			if child.ppid == p.pid && child.state != 'Z' {
				return child, true
			}
		}
	}
	return process{}, false
}
