package realtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fake lays out an installation whose vllm prints its environment and arguments.
func fake(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "it's an engine")
	for _, d := range []string{"env/bin", "env/lib", "model"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"env/bin/vllm": "#!/bin/sh\necho \"kv=$VLLM_CPU_KVCACHE_SPACE offline=$HF_HUB_OFFLINE cache=$VLLM_CACHE_ROOT args=$*\"\n",
		"env.stamp":    "a\n", "model.stamp": "b\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFind(t *testing.T) {
	dir := fake(t)
	t.Setenv(DirEnv, dir)
	e, err := Find()
	if err != nil || e.Model != filepath.Join(dir, "model") {
		t.Errorf("%+v %v", e, err)
	}
	// An installation that was cut off in the middle is none.
	if err := os.Remove(filepath.Join(dir, "model.stamp")); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "make engine") {
		t.Errorf("got %v", err)
	}
	t.Setenv(DirEnv, "")
	t.Setenv("XDG_CACHE_HOME", filepath.Dir(dir))
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), filepath.Join(filepath.Dir(dir), "hpcbench", "engine")) {
		t.Errorf("not looked for in the cache folder: %v", err)
	}
}

// The command works from PATH, with nothing in the environment, and from a folder with a quote in its name.
func TestInstallCommand(t *testing.T) {
	dir := fake(t)
	t.Setenv(DirEnv, dir)
	e, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := e.InstallCommand(bin, 2); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "vllm"), "serve", "a b")
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "kv=2 offline=1 cache=" + filepath.Join(dir, "cache") + " args=serve a b\n"
	if string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if err := e.InstallCommand(bin, 0); err == nil {
		t.Error("a KV cache of nothing was taken")
	}
}
