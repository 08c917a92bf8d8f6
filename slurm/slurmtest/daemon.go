package slurmtest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// daemon is one of the cluster's programs, run in the foreground of a session
// of its own.
type daemon struct {
	name string // also of its log
	argv []string
}

func (c *Cluster) munged() daemon {
	return daemon{"munged", []string{"munged", "--foreground", "--force",
		"--socket=" + c.path("run", "munge.socket"), "--key-file=" + c.path("munge", "munge.key"),
		"--seed-file=" + c.path("munge", "munged.seed"), "--pid-file=" + c.path("run", "munged.pid"),
		"--log-file=" + c.path("log", "munged.log"), "--num-threads=4"}}
}

func (c *Cluster) mariadb() daemon {
	return daemon{"mariadbd", []string{"mariadbd", "--no-defaults", "--user=root", "--datadir=" + c.path("mysql"),
		"--socket=" + c.path("run", "mysql.sock"), "--pid-file=" + c.path("run", "mariadbd.pid"),
		"--bind-address=127.0.0.1", "--port=" + strconv.Itoa(portMariaDB), "--skip-log-bin", "--skip-name-resolve",
		"--init-file=" + c.path("etc", "init.sql"), "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=64M",
		"--innodb-flush-log-at-trx-commit=0", "--innodb-lock-wait-timeout=900", "--performance-schema=OFF"}}
}

func (c *Cluster) slurmdbd() daemon { return daemon{"slurmdbd", []string{"slurmdbd", "-D"}} }

func (c *Cluster) slurmctld() daemon {
	return daemon{"slurmctld", []string{"slurmctld", "-D", "-f", c.Conf()}}
}

func (c *Cluster) slurmd(node string) daemon {
	return daemon{"slurmd-" + node, []string{"slurmd", "-D", "-N", node, "-f", c.Conf()}}
}

// start runs a daemon so that it outlives this process.
func (c *Cluster) start(d daemon) error {
	out, err := os.OpenFile(c.path("log", d.name+".out"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	defer out.Close()
	cmd := exec.Command(lookSbin(d.argv[0]), d.argv[1:]...)
	cmd.Env = c.daemonEnviron()
	cmd.Dir = c.Dir
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	go func() { _ = cmd.Wait() }() // no zombie, should it end before we do
	if err := os.WriteFile(c.path("run", "daemon-"+d.name), []byte(strconv.Itoa(cmd.Process.Pid)), 0o644); err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	// The kernel shows the new environment a moment after the program began.
	waitFor(2*time.Second, func() bool { _, ok := c.running(d); return ok })
	return nil
}

// running returns a daemon's process. Its number alone proves nothing, it may
// have been given to another process: the mark in the environment does.
func (c *Cluster) running(d daemon) (process, bool) {
	b, err := os.ReadFile(c.path("run", "daemon-"+d.name))
	if err != nil {
		return process{}, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return process{}, false
	}
	p, ok := readProcess(pid)
	return p, ok && p.state != 'Z' && p.has(c.mark())
}

// stop ends a daemon alone, not what it started.
func (c *Cluster) stop(d daemon, grace time.Duration) error {
	p, ok := c.running(d)
	if !ok {
		return fmt.Errorf("stop %s: it is not running", d.name)
	}
	end([]process{p}, grace)
	if alive(p.pid) {
		return fmt.Errorf("stop %s: process %d does not end", d.name, p.pid)
	}
	return nil
}

func (c *Cluster) mark() string { return DirVariable + "=" + c.Dir }

// daemonEnviron is small, so that no variable of the caller's reaches a job by
// way of slurmd.
func (c *Cluster) daemonEnviron() []string {
	return []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
		"SLURM_CONF=" + c.Conf(), c.mark()}
}

// lookSbin finds a program where daemons are, also when PATH lacks it.
func lookSbin(name string) string {
	for _, dir := range []string{"/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/usr/local/bin"} {
		if info, err := os.Stat(dir + "/" + name); err == nil && info.Mode()&0o111 != 0 {
			return dir + "/" + name
		}
	}
	return name
}

// logTail is the end of a daemon's logs, for an error message.
func (c *Cluster) logTail(name string) string {
	var out strings.Builder
	for _, suffix := range []string{".out", ".log"} {
		b, err := os.ReadFile(c.path("log", name+suffix))
		if err != nil || len(b) == 0 {
			continue
		}
		if len(b) > 1500 {
			b = b[len(b)-1500:]
		}
		fmt.Fprintf(&out, "\n--- end of %s%s ---\n%s", name, suffix, b)
	}
	return out.String()
}
