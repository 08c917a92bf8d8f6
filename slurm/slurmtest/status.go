package slurmtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// NodeStates asks the controller for the state of each node.
func (c *Cluster) NodeStates(ctx context.Context) (map[string]string, error) {
	out, err := c.Tool(ctx, "sinfo", "--noheader", "--Node", "--format=%N %T")
	if err != nil {
		return nil, err
	}
	states := map[string]string{}
	for _, line := range strings.Split(out, "\n") {
		if name, state, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			states[name] = strings.TrimRight(state, "*~#!%$@^-+")
		}
	}
	return states, nil
}

func (c *Cluster) ping(ctx context.Context) error {
	out, err := c.Tool(ctx, "scontrol", "ping")
	if err == nil && !strings.Contains(out, "UP") {
		err = errors.New(strings.TrimSpace(out))
	}
	return err
}

// Status writes what runs, and returns an error where the cluster is not
// complete.
func (c *Cluster) Status(ctx context.Context, w io.Writer) error {
	missing := 0
	for _, d := range append([]daemon{c.munged(), c.mariadb()}, c.slurmDaemons()...) {
		if p, ok := c.running(d); ok {
			fmt.Fprintf(w, "%-16s running, process %d\n", d.name, p.pid)
		} else {
			fmt.Fprintf(w, "%-16s not running\n", d.name)
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d of the cluster's daemons are not running", missing)
	}
	states, err := c.NodeStates(ctx)
	if err != nil {
		return err
	}
	for _, n := range Nodes {
		fmt.Fprintf(w, "node %-11s %s\n", n, states[n])
	}
	return nil
}
