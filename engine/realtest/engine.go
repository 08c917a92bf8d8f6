package realtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"mvdan.cc/sh/v3/syntax"
)

// DirEnv names the folder that holds the engine; the Makefile exports it.
const DirEnv = "HPCBENCH_TEST_ENGINE_DIR"

// Engine is an installed vLLM.
type Engine struct {
	Dir   string // of the installation
	Model string // folder of the tiny model
}

// The tiny model's shape.
const (
	ModelHeads   = 4
	ModelKVHeads = 2
	ModelContext = 32768 // tokens
)

// Args are what any serve command needs to start on a machine without a GPU:
// without compilation, and with the block size of GPUs as near as the CPU allows.
var Args = []string{"--enforce-eager", "--block-size", "32"}

// Find looks where `make engine` installs to.
func Find() (Engine, error) {
	dir := os.Getenv(DirEnv)
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return Engine{}, fmt.Errorf("find the real engine: %w", err)
		}
		dir = filepath.Join(cache, "hpcbench", "engine")
	}
	e := Engine{Dir: dir, Model: filepath.Join(dir, "model")}
	for _, stamp := range []string{"env.stamp", "model.stamp"} {
		if _, err := os.Stat(filepath.Join(dir, stamp)); err != nil {
			return Engine{}, fmt.Errorf("there is no whole engine in %s, run `make engine`: %w", dir, err)
		}
	}
	return e, nil
}

// preload are the libraries that vLLM's CPU build wants loaded first. It works without them.
func (e Engine) preload() string {
	var found []string
	for _, pattern := range []string{"/usr/lib/*/libtcmalloc_minimal.so.4", filepath.Join(e.Dir, "env", "lib", "libiomp5.so")} {
		matches, err := filepath.Glob(pattern)
		if err == nil {
			found = append(found, matches...)
		}
	}
	return strings.Join(found, ":")
}

// InstallCommand writes a program named vllm into a folder, which a test puts
// first on PATH. It replaces itself by the real one in its environment, so it
// also works where the environment was emptied. kvGiB is the size of the KV cache.
func (e Engine) InstallCommand(folder string, kvGiB int) error {
	if kvGiB < 1 {
		return errors.New("install the vllm command: the KV cache needs 1 GiB at least")
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n# The real vLLM of the tests, in the environment that it needs.\n")
	for _, v := range [][2]string{
		{"LD_PRELOAD", e.preload()},
		{"VLLM_CPU_KVCACHE_SPACE", fmt.Sprint(kvGiB)},
		{"HF_HUB_OFFLINE", "1"},
		{"TRANSFORMERS_OFFLINE", "1"},
		{"VLLM_NO_USAGE_STATS", "1"},
		{"DO_NOT_TRACK", "1"},
		{"VLLM_CACHE_ROOT", filepath.Join(e.Dir, "cache")},
	} {
		quoted, err := syntax.Quote(v[1], syntax.LangPOSIX)
		if err != nil {
			return fmt.Errorf("install the vllm command: %w", err)
		}
		fmt.Fprintf(&b, "export %s=%s\n", v[0], quoted)
	}
	program, err := syntax.Quote(filepath.Join(e.Dir, "env", "bin", "vllm"), syntax.LangPOSIX)
	if err != nil {
		return fmt.Errorf("install the vllm command: %w", err)
	}
	fmt.Fprintf(&b, "exec %s \"$@\"\n", program)
	if err := renameio.WriteFile(filepath.Join(folder, "vllm"), []byte(b.String()), 0o755); err != nil {
		return fmt.Errorf("install the vllm command: %w", err)
	}
	return nil
}
