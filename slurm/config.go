package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Config is what a submitter wants to know of the controller's configuration.
type Config struct {
	Version           string // "22.05.8"
	Cluster           string
	KillWait          time.Duration // between TERM and KILL at the time limit
	MinJobAge         time.Duration // how long the controller remembers an ended job
	EnforcePartLimits string        // NO, ANY, ALL: whether sbatch refuses what a partition's limits don't allow
	MaxArraySize      int           // an array's highest index is one less
	JobRequeue        bool          // jobs are put back after a lost node unless they say --no-requeue
	ProctrackType     string
	Fields            map[string]string
}

// Config asks for the controller's configuration.
func (c *Client) Config(ctx context.Context) (Config, error) {
	res, err := c.ask(ctx, "scontrol", "show", "config")
	if err != nil {
		return Config{}, fmt.Errorf("show Slurm's configuration: %w", err)
	}
	return parseConfig(res.Stdout), nil
}

func parseConfig(stdout string) Config {
	kv := map[string]string{}
	for _, line := range strings.Split(stdout, "\n") {
		if key, value, ok := strings.Cut(line, "="); ok {
			kv[strings.TrimSpace(key)] = null(strings.TrimSpace(value))
		}
	}
	conf := Config{
		Version: kv["SLURM_VERSION"], Cluster: kv["ClusterName"], EnforcePartLimits: kv["EnforcePartLimits"],
		JobRequeue: kv["JobRequeue"] == "1", ProctrackType: kv["ProctrackType"], Fields: kv,
		KillWait: configSeconds(kv["KillWait"]), MinJobAge: configSeconds(kv["MinJobAge"]),
	}
	if n, err := strconv.Atoi(kv["MaxArraySize"]); err == nil {
		conf.MaxArraySize = n
	}
	return conf
}

// configSeconds reads "30 sec".
func configSeconds(s string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(s, "sec")))
	if err != nil || n < 0 || n > maxDays*86400 {
		return 0
	}
	return time.Duration(n) * time.Second
}
