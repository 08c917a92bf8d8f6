package slurmtest

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"syscall"
	"text/template"
)

// layoutVersion is raised when something other than the configuration files
// changes in how a cluster is laid out.
const layoutVersion = 2

//go:embed conf
var confFiles embed.FS

type confNode struct {
	Name string
	Port int
}

// config renders every configuration file: path below the directory to content.
func (c *Cluster) config() (map[string][]byte, error) {
	data := struct {
		T                                            string
		PortController, PortDatabase, PortMariaDB    int
		Nodes                                        []confNode
		LUMIAccount, ITIAccount, EUAccount, Password string
		CgroupPlugin                                 string
	}{
		T: c.Dir, PortController: portController, PortDatabase: portDatabase, PortMariaDB: portMariaDB,
		LUMIAccount: LUMIAccount, ITIAccount: ITIAccount, EUAccount: EUAccount,
		CgroupPlugin: cgroupPlugin(),
		Password:     "only-for-tests-on-loopback",
	}
	for i, n := range Nodes {
		data.Nodes = append(data.Nodes, confNode{n, portNode + i})
	}
	tmpl, err := template.ParseFS(confFiles, "conf/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("parse the cluster's configuration: %w", err)
	}
	out := map[string][]byte{}
	for _, name := range []string{"slurm.conf", "gres.conf", "cgroup.conf", "slurmdbd.conf", "init.sql"} {
		var b bytes.Buffer
		if err := tmpl.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
			return nil, fmt.Errorf("render %s: %w", name, err)
		}
		out[name] = b.Bytes()
	}
	return out, nil
}

// cgroupPlugin is one that leaves the machine's cgroups alone: none at all from 23.11
// on, before that the one for version 1, which does nothing where no other plugin
// asks it to.
func cgroupPlugin() string {
	out, err := exec.Command(lookSbin("slurmd"), "-V").Output()
	var year, month int
	if _, scanErr := fmt.Sscanf(string(out), "slurm-wlm %d.%d", &year, &month); err == nil && scanErr != nil {
		_, _ = fmt.Sscanf(string(out), "slurm %d.%d", &year, &month)
	}
	if year > 23 || year == 23 && month >= 11 {
		return "disabled"
	}
	return "cgroup/v1"
}

// digest identifies a configuration, so that a cluster left by an older
// version isn't taken for this one.
func digest(files map[string][]byte) string {
	names := make([]string, 0, len(files))
	for n := range files {
		names = append(names, n)
	}
	sort.Strings(names)
	h := sha256.New()
	fmt.Fprintln(h, layoutVersion)
	for _, n := range names {
		fmt.Fprintf(h, "%s %d\n", n, len(files[n]))
		h.Write(files[n])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// layOut makes the directories and writes the configuration.
func (c *Cluster) layOut(files map[string][]byte) error {
	for _, d := range []string{"", "etc", "run", "log", "state", "dev", "spool", "mysql", "munge"} {
		mode := os.FileMode(0o755)
		if d == "munge" || d == "mysql" {
			mode = 0o700
		}
		if err := os.MkdirAll(c.path(d), mode); err != nil {
			return fmt.Errorf("make the cluster's directory: %w", err)
		}
		if err := os.Chmod(c.path(d), mode); err != nil { // whatever the umask
			return fmt.Errorf("make the cluster's directory: %w", err)
		}
	}
	for _, n := range Nodes {
		if err := os.MkdirAll(c.path("spool", n), 0o755); err != nil {
			return fmt.Errorf("make the spool of node %s: %w", n, err)
		}
	}
	for i := range 8 {
		// slurmd wants a device for each GPU and doesn't open it: /dev/null by
		// another name. With a plain file it would set no CUDA_VISIBLE_DEVICES.
		path := c.path("dev", fmt.Sprintf("gpu%d", i))
		if err := syscall.Mknod(path, syscall.S_IFCHR|0o666, 1<<8|3); err != nil {
			return fmt.Errorf("make the device %s: %w", path, err)
		}
	}
	for name, content := range files {
		mode := os.FileMode(0o644)
		if name == "slurmdbd.conf" || name == "init.sql" {
			mode = 0o600 // slurmdbd refuses to start otherwise
		}
		if err := os.WriteFile(c.path("etc", name), content, mode); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}
