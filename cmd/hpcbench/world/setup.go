//go:build cluster || fault || engine

package world

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/slurm/slurmtest"
)

// What all tests of a package share.
var (
	// Program is the static binary.
	Program string
	// Cluster is the test Slurm, which Main has brought up.
	Cluster = slurmtest.New()

	doubles string
	scratch string // seen by "compute nodes", which /tmp isn't by rule
)

// Main brings the cluster up, builds the program and the doubles, and runs a
// package's tests; it answers the exit code. No other package's test stops a daemon
// of the cluster meanwhile.
func Main(m *testing.M) int { return exit(m, Cluster.Share) }

// MainAlone is Main for a package whose tests stop daemons or kill nodes: it has the
// cluster for itself.
func MainAlone(m *testing.M) int { return exit(m, Cluster.Alone) }

func exit(m *testing.M, use func() (func(), error)) int {
	code, err := run(m, use)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func run(m *testing.M, use func() (func(), error)) (int, error) {
	release, err := use()
	if err != nil {
		return 0, err
	}
	defer release()
	if err := Cluster.Up(context.Background()); err != nil {
		return 0, err
	}
	root, err := Root()
	if err != nil {
		return 0, err
	}
	base := sharedFolder(root)
	if err := os.MkdirAll(base, 0o755); err != nil {
		return 0, err
	}
	if scratch, err = os.MkdirTemp(base, "hpcbench-world-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	Program, doubles = filepath.Join(scratch, "hpcbench"), filepath.Join(scratch, "doubles")
	for out, pkg := range map[string]string{
		Program: "./cmd/hpcbench", filepath.Join(doubles, "apptainer"): "./apptainer/double", filepath.Join(doubles, "singularity"): "./apptainer/double",
	} {
		build := exec.Command("go", "build", "-o", out, pkg)
		build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("build %s: %w\n%s", pkg, err, text)
		}
	}
	return m.Run(), nil
}

// sharedFolder plays the file system that compute nodes see. A checkout may lie in
// /tmp, which a login node's nodes don't see, and which the program refuses for that.
func sharedFolder(root string) string {
	for _, top := range []string{"/tmp/", "/var/tmp/", "/dev/shm/"} {
		if strings.HasPrefix(root, top) {
			return "/srv"
		}
	}
	return filepath.Join(root, ".cache")
}

// Root is the module's folder: the nearest above the working directory with a go.mod.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find the module: no go.mod above the working directory")
		}
	}
}
