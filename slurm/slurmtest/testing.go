package slurmtest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Up starts the cluster for a test, or takes the one that runs, and shares it with
// other tests until this one ends. SLURM_CONF points at it for that time. The
// cluster is left running for the next test; make slurm-down ends it.
func Up(t testing.TB) *Cluster {
	t.Helper()
	return up(t, (*Cluster).Share)
}

// UpAlone is Up for a test that stops a daemon or kills a node: it has the
// cluster for itself. What it left stopped is started again for the next test.
func UpAlone(t testing.TB) *Cluster {
	t.Helper()
	return up(t, (*Cluster).Alone)
}

func up(t testing.TB, use func(*Cluster) (func(), error)) *Cluster {
	t.Helper()
	c := New()
	release, err := use(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := c.Up(ctx); err != nil {
		t.Fatalf("start the test cluster: %v", err)
	}
	t.Setenv("SLURM_CONF", c.Conf())
	return c
}

// Script writes a batch script with this body, which every user can read, and
// returns its path.
func Script(t testing.TB, body string) string {
	t.Helper()
	dir := SharedDir(t)
	path := filepath.Join(dir, "job.sh")
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// SharedDir is a test's directory that every user may write to.
func SharedDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
