package siftest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BuildDouble builds the test double of a container runtime into dir, under the name
// apptainer or singularity, and returns its path. It needs the Go tool and runs in the
// module's source tree, as tests do.
func BuildDouble(dir, name string) (string, error) {
	return build(dir, name, "hpcbench/apptainer/double")
}

// BuildProbe builds the program that the tests run in containers.
func BuildProbe(dir string) (string, error) {
	return build(dir, "probe", "hpcbench/apptainer/double/probe")
}

func build(dir, name, pkg string) (string, error) {
	path := filepath.Join(dir, name)
	cmd := exec.Command("go", "build", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}
