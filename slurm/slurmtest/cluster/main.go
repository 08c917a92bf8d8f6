// Command cluster starts, stops and shows the test cluster:
//
//	go run ./slurm/slurmtest/cluster up|down|status|env|deps
//
// env prints the shell line that points Slurm's tools at it; deps installs the
// Debian packages that it needs, as root, or names them.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"hpcbench/slurm/slurmtest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: cluster up|down|status|env|deps")
	}
	c := slurmtest.New()
	switch args[0] {
	case "up":
		release, err := c.Share()
		if err != nil {
			return err
		}
		defer release()
		begin := time.Now()
		if err := c.Up(ctx); err != nil {
			return err
		}
		fmt.Printf("the test cluster is up after %.1f s\nexport SLURM_CONF=%s\n", time.Since(begin).Seconds(), c.Conf())
		return nil
	case "down":
		release, err := c.Alone() // not under a test that is at work
		if err != nil {
			return err
		}
		defer release()
		return c.Down()
	case "status":
		return c.Status(ctx, os.Stdout)
	case "env":
		fmt.Printf("export SLURM_CONF=%s\n", c.Conf())
		return nil
	case "deps":
		return slurmtest.Install(os.Stdout)
	}
	return fmt.Errorf("unknown verb %q: up, down, status, env or deps", args[0])
}
