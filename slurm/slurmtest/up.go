package slurmtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// readyLimit is how long one daemon may take to answer, on a busy machine with
// two cores.
const readyLimit = 2 * time.Minute

// Up starts the cluster, or does nothing where it runs and answers. What a
// killed earlier one left behind is cleared away first. Only one caller at a
// time starts; the others wait for it. It takes about 15 s.
func (c *Cluster) Up(ctx context.Context) error {
	if os.Geteuid() != 0 {
		return errors.New("the test cluster must be started as root")
	}
	if pkgs := Missing(); len(pkgs) > 0 {
		return fmt.Errorf("the test cluster needs packages: %s", InstallCommand(pkgs))
	}
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	defer unlock()
	files, err := c.config()
	if err != nil {
		return err
	}
	if c.current(digest(files)) && c.heal(ctx) == nil {
		return nil
	}
	if err := c.clear(); err != nil {
		return err
	}
	if err := c.layOut(files); err != nil {
		return err
	}
	if err := c.startAll(ctx); err != nil {
		return err
	}
	if err := os.WriteFile(c.path("etc", "digest"), []byte(digest(files)), 0o644); err != nil {
		return fmt.Errorf("mark the cluster as complete: %w", err)
	}
	return nil
}

// lock makes starting and stopping exclusive.
func (c *Cluster) lock() (func(), error) {
	f, err := os.OpenFile(c.Dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the cluster: %w", err)
	}
	for err = syscall.EINTR; err == syscall.EINTR; {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock the cluster: %w", err)
	}
	return func() { f.Close() }, nil
}

// current says whether the directory has a cluster of this configuration that
// was once complete.
func (c *Cluster) current(want string) bool {
	got, err := os.ReadFile(c.path("etc", "digest"))
	return err == nil && string(got) == want
}

// heal starts again what a test stopped and did not start, and fails where
// more than that is wrong.
func (c *Cluster) heal(ctx context.Context) error {
	for _, d := range []daemon{c.munged(), c.mariadb()} {
		if _, ok := c.running(d); !ok {
			return fmt.Errorf("%s is not running", d.name)
		}
	}
	for _, d := range c.slurmDaemons() {
		if _, ok := c.running(d); !ok {
			if err := c.start(d); err != nil {
				return err
			}
		}
	}
	return c.waitReady(ctx)
}

func (c *Cluster) slurmDaemons() []daemon {
	out := []daemon{c.slurmdbd(), c.slurmctld()}
	for _, n := range Nodes {
		out = append(out, c.slurmd(n))
	}
	return out
}

func (c *Cluster) startAll(ctx context.Context) error {
	if err := c.portsFree(); err != nil {
		return err
	}
	if err := ensureUser(ctx); err != nil {
		return err
	}
	key := make([]byte, 1024)
	if _, err := rand.Read(key); err != nil {
		return fmt.Errorf("make the munge key: %w", err)
	}
	if err := os.WriteFile(c.path("munge", "munge.key"), key, 0o400); err != nil {
		return fmt.Errorf("make the munge key: %w", err)
	}
	if err := c.start(c.munged()); err != nil {
		return err
	}
	if out, err := run(ctx, c.daemonEnviron(), "mariadb-install-db", "--no-defaults", "--user=root", "--datadir="+c.path("mysql"),
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"); err != nil {
		return fmt.Errorf("make the database's directory: %w\n%s", err, out)
	}
	if err := c.start(c.mariadb()); err != nil {
		return err
	}
	if err := c.await(ctx, c.mariadb(), func() error { return listening(portMariaDB) }); err != nil {
		return err
	}
	if err := c.start(c.slurmdbd()); err != nil {
		return err
	}
	if err := c.await(ctx, c.slurmdbd(), func() error {
		_, err := c.Tool(ctx, "sacctmgr", "-n", "-P", "show", "cluster")
		return err
	}); err != nil {
		return err
	}
	if err := c.addAccounts(ctx); err != nil {
		return err
	}
	if err := c.start(c.slurmctld()); err != nil {
		return err
	}
	if err := c.await(ctx, c.slurmctld(), func() error { return c.ping(ctx) }); err != nil {
		return err
	}
	for _, n := range Nodes {
		if err := c.start(c.slurmd(n)); err != nil {
			return err
		}
	}
	return c.waitReady(ctx)
}

// await waits until a daemon answers, and says why where it doesn't.
func (c *Cluster) await(ctx context.Context, d daemon, ready func() error) error {
	ended := false
	var last error
	ok := waitFor(readyLimit, func() bool {
		if _, running := c.running(d); !running {
			ended = true
			return true
		}
		last = ready()
		return ctx.Err() != nil || last == nil
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case ended:
		return fmt.Errorf("%s ended at once%s", d.name, c.logTail(d.name))
	case !ok:
		return fmt.Errorf("%s does not answer after %v: %w%s", d.name, readyLimit, last, c.logTail(d.name))
	}
	return nil
}

// waitReady waits until the controller answers and every node takes jobs.
func (c *Cluster) waitReady(ctx context.Context) error {
	var states map[string]string
	var dead string
	ok := waitFor(readyLimit, func() bool {
		if ctx.Err() != nil {
			return true
		}
		for _, d := range c.slurmDaemons() {
			if _, running := c.running(d); !running {
				dead = d.name
				return true
			}
		}
		var err error
		if states, err = c.NodeStates(ctx); err != nil {
			return false
		}
		good := 0
		for _, n := range Nodes {
			switch s := strings.Trim(states[n], "+"); {
			case s == "idle", s == "mixed", s == "allocated", s == "completing", s == "reserved", s == "planned":
				good++
			case strings.HasPrefix(s, "down"), strings.HasPrefix(s, "drain"):
				// A test's doing, or a reboot of the machine in between.
				_, _ = c.Tool(ctx, "scontrol", "update", "NodeName="+n, "State=RESUME")
			}
		}
		return good == len(Nodes)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	if dead != "" {
		return fmt.Errorf("%s ended at once%s", dead, c.logTail(dead))
	}
	if !ok {
		return fmt.Errorf("the nodes are not ready after %v: %v%s", readyLimit, states, c.logTail("slurmctld"))
	}
	return nil
}

// portsFree says early, and in words, that something else is there.
func (c *Cluster) portsFree() error {
	for port := portController; port < portNode+len(Nodes); port++ {
		if listening(port) == nil {
			return fmt.Errorf("port %d is taken by another program, perhaps a test cluster in another directory: stop it first (HPCBENCH_TEST_SLURM_DIR=… make slurm-down)", port)
		}
	}
	return nil
}

// listening is nil where something listens on a port.
func listening(port int) error {
	conn, err := net.DialTimeout("tcp", "127.0.0.1:"+strconv.Itoa(port), time.Second)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Tool runs one of Slurm's tools against this cluster, for a test that wants
// to see or do something that package slurm doesn't offer.
func (c *Cluster) Tool(ctx context.Context, name string, args ...string) (string, error) {
	return run(ctx, append(c.daemonEnviron(), "TZ=UTC"), name, args...)
}

func run(ctx context.Context, env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, lookSbin(name), args...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
