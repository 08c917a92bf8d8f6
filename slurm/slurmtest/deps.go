package slurmtest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// programs says which Debian package has each program that the cluster needs.
var programs = []struct{ program, pkg string }{
	{"slurmctld", "slurmctld"},
	{"slurmd", "slurmd"},
	{"slurmdbd", "slurmdbd"},
	{"sbatch", "slurm-client"},
	{"munged", "munge"},
	{"mariadbd", "mariadb-server"},
	{"mariadb-install-db", "mariadb-server"},
}

// Missing lists the Debian packages that have to be installed first.
func Missing() []string {
	var out []string
	for _, p := range programs {
		if !filepath.IsAbs(lookSbin(p.program)) && !slices.Contains(out, p.pkg) {
			out = append(out, p.pkg)
		}
	}
	return out
}

// InstallCommand is what installs packages on Debian.
func InstallCommand(pkgs []string) string {
	return "apt-get install -y --no-install-recommends " + strings.Join(pkgs, " ")
}

// Install installs what is missing, as root. For anybody else it is an error
// that names exactly what is missing.
func Install(w io.Writer) error {
	pkgs := Missing()
	if len(pkgs) == 0 {
		return nil
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("the test cluster needs these packages: %s; as root: %s", strings.Join(pkgs, " "), InstallCommand(pkgs))
	}
	for _, line := range []string{"apt-get update -q", InstallCommand(pkgs)} {
		argv := strings.Fields(line)
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = w, w
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	if pkgs = Missing(); len(pkgs) > 0 {
		return fmt.Errorf("still missing after the installation: %s", strings.Join(pkgs, " "))
	}
	return nil
}
