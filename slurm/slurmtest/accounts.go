package slurmtest

import (
	"context"
	"fmt"
	"os/exec"
)

// addAccounts fills the accounting database: two sites' projects, root and one
// unprivileged user in each, and the limits of the partitions as QOS, since
// Slurm has no limits of jobs on partitions themselves.
func (c *Cluster) addAccounts(ctx context.Context) error {
	steps := [][]string{
		{"add", "cluster", "bench"},
		{"add", "account", LUMIAccount, "Description=LUMI"},
		{"add", "account", ITIAccount, "Description=Karolina"},
		{"add", "account", EUAccount, "Description=Karolina"},
		{"add", "qos", "dev-g", "set", "MaxJobsPerUser=1", "MaxSubmitJobsPerUser=2"},
		{"add", "qos", "small-g", "set", "MaxJobsPerUser=200", "MaxSubmitJobsPerUser=210"},
		{"add", "qos", "standard-g", "set", "MaxJobsPerUser=200", "MaxSubmitJobsPerUser=210"},
		{"add", "qos", "qgpu_exp", "set", "MaxJobsPerUser=1", "MaxSubmitJobsPerUser=6"},
	}
	for _, user := range []string{"root", User} {
		for _, account := range []string{LUMIAccount, ITIAccount, EUAccount} {
			steps = append(steps, []string{"add", "user", user, "Account=" + account})
		}
	}
	for _, s := range steps {
		if _, err := c.Tool(ctx, "sacctmgr", append([]string{"-i"}, s...)...); err != nil {
			return fmt.Errorf("fill the accounting database: %w", err)
		}
	}
	return nil
}

// ensureUser makes the unprivileged user, without a home directory.
func ensureUser(ctx context.Context) error {
	if exec.CommandContext(ctx, "getent", "passwd", User).Run() == nil {
		return nil
	}
	if out, err := exec.CommandContext(ctx, lookSbin("useradd"), "--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/bin/bash", User).CombinedOutput(); err != nil {
		return fmt.Errorf("make the user %s: %w: %s", User, err, out)
	}
	return nil
}
