package slurmtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/slurm"
)

func TestConfigurationHasBothSites(t *testing.T) {
	c := &Cluster{Dir: "/some/where"}
	files, err := c.config()
	if err != nil {
		t.Fatal(err)
	}
	conf := string(files["slurm.conf"])
	for _, want := range []string{
		"PartitionName=dev-g ", "PartitionName=small-g ", "PartitionName=standard-g ", "PartitionName=qgpu ", "PartitionName=qgpu_exp ", "PartitionName=qgpu_preempt ",
		"AllowAccounts=" + LUMIAccount, "NodeName=nid005000 NodeHostname=localhost Port=16821 CPUs=56", "NodeName=acn02 NodeHostname=localhost Port=16824 CPUs=128",
		"StateSaveLocation=/some/where/state", "OverSubscribe=EXCLUSIVE",
	} {
		if !strings.Contains(conf, want) {
			t.Errorf("slurm.conf lacks %q", want)
		}
	}
	if gres := string(files["gres.conf"]); strings.Count(gres, "Type=mi250 File=/some/where/dev/gpu[0-7]") != 2 || strings.Count(gres, "Type=a100") != 2 {
		t.Errorf("gres.conf:\n%s", gres)
	}
	for name, content := range files {
		if strings.Contains(string(content), "<no value>") {
			t.Errorf("%s has a gap:\n%s", name, content)
		}
	}
	nodes, err := slurm.ExpandNodeList("nid00500[0-1],acn0[1-2]")
	if err != nil || strings.Join(nodes, " ") != strings.Join(Nodes, " ") {
		t.Errorf("the partitions' nodes %v are not the cluster's %v, %v", nodes, Nodes, err)
	}
}

func TestDigestTellsConfigurationsApart(t *testing.T) {
	one, err := (&Cluster{Dir: "/a"}).config()
	if err != nil {
		t.Fatal(err)
	}
	again, err := (&Cluster{Dir: "/a"}).config()
	if err != nil {
		t.Fatal(err)
	}
	other, err := (&Cluster{Dir: "/b"}).config()
	if err != nil {
		t.Fatal(err)
	}
	if digest(one) != digest(again) || digest(one) == digest(other) {
		t.Error("the digest does not follow the configuration")
	}
}

// Down must never remove somebody's directory because a variable points at it.
func TestOnlyAClustersDirectoryIsRemoved(t *testing.T) {
	c := &Cluster{Dir: t.TempDir()}
	if err := c.ours(); err != nil {
		t.Errorf("an empty directory: %v", err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "thesis.tex"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.clear(); err == nil {
		t.Error("a directory with other things in it would be removed")
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "thesis.tex")); err != nil {
		t.Error("it was removed")
	}
	if err := (&Cluster{Dir: filepath.Join(c.Dir, "nothing")}).ours(); err != nil {
		t.Errorf("no directory: %v", err)
	}
}

func TestDirectoryFromTheEnvironment(t *testing.T) {
	t.Setenv(DirVariable, "")
	if c := New(); c.Dir != defaultDir {
		t.Errorf("default %q", c.Dir)
	}
	t.Setenv(DirVariable, "/x/y/")
	if c := New(); c.Conf() != "/x/y/etc/slurm.conf" {
		t.Errorf("configuration %q", c.Conf())
	}
}
