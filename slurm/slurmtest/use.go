package slurmtest

import (
	"fmt"
	"os"
	"syscall"
)

// Share waits until no test has the cluster for itself, and keeps such tests out
// until release is called or this process ends.
func (c *Cluster) Share() (release func(), err error) { return c.use(syscall.LOCK_SH) }

// Alone waits until no other test uses the cluster, in whatever process, and
// keeps all of them out: for tests that stop a daemon or kill a node.
func (c *Cluster) Alone() (release func(), err error) { return c.use(syscall.LOCK_EX) }

func (c *Cluster) use(how int) (func(), error) {
	f, err := os.OpenFile(c.Dir+".use", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("use the cluster: %w", err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if err != syscall.EINTR {
			f.Close()
			return nil, fmt.Errorf("use the cluster: %w", err)
		}
	}
}
