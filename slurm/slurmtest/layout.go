package slurmtest

import (
	"os"
	"path/filepath"
)

// DirVariable names the environment variable with the cluster's directory. It
// is also set for every daemon, which marks the processes as ours.
const DirVariable = "HPCBENCH_TEST_SLURM_DIR"

const defaultDir = "/tmp/hpcbench-slurm"

// The ports, all on 127.0.0.1; node i listens on portNode+i.
const (
	portController = 16817
	portDatabase   = 16819
	portMariaDB    = 16820
	portNode       = 16821
)

// Nodes of the cluster, in the order of their ports.
var Nodes = []string{"nid005000", "nid005001", "acn01", "acn02"}

// What the cluster knows, for tests to ask for.
const (
	User        = "hpctest" // an unprivileged user with the same accounts as root
	LUMIAccount = "project_465000001"
	ITIAccount  = "open-00-00"
	EUAccount   = "eu-00-00"
)

// Cluster is the test cluster in one directory.
type Cluster struct {
	Dir string
}

// New returns the cluster in $HPCBENCH_TEST_SLURM_DIR, or /tmp/hpcbench-slurm. It
// starts nothing.
func New() *Cluster {
	dir := os.Getenv(DirVariable)
	if dir == "" {
		dir = defaultDir
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Cluster{Dir: filepath.Clean(dir)}
}

func (c *Cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.Dir}, parts...)...)
}

// Conf is slurm.conf, for SLURM_CONF.
func (c *Cluster) Conf() string { return c.path("etc", "slurm.conf") }

// Environ is this process's environment with SLURM_CONF set to this cluster.
func (c *Cluster) Environ() []string {
	return append(os.Environ(), "SLURM_CONF="+c.Conf())
}
