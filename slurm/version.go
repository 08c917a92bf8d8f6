package slurm

import (
	"context"
	"fmt"
	"strings"
)

// Version is the release of the tools on PATH, such as "22.05.8". It asks no
// controller (Config does). ErrNotInstalled says that there is no Slurm.
func (c *Client) Version(ctx context.Context) (string, error) {
	res, err := c.ask(ctx, "squeue", "--version")
	if err != nil {
		return "", fmt.Errorf("ask for Slurm's version: %w", err)
	}
	f := strings.Fields(res.Stdout) // "slurm 24.05.8", Debian: "slurm-wlm 22.05.8"
	if len(f) < 2 {
		return "", fmt.Errorf("ask for Slurm's version: got %q", res.Stdout)
	}
	return f[len(f)-1], nil
}
