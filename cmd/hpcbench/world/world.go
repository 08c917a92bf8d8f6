//go:build cluster || fault || engine

package world

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/apptainer/siftest"
	"hpcbench/results"
	"hpcbench/slurm/slurmtest"
)

// World is one user on a login node: a home, a configuration, a shared file system.
type World struct {
	T    *testing.T
	Dir  string
	Env  []string
	Conf string // the folder of the configuration
}

// Short is a plan that needs seconds and no good network; it is the default of
// both sites.
const Short = `kind: rate
rates_per_s: [5, 10]
duration_s: 1.5
warmup: {duration_s: 0.3}
prompt: {source: synthetic, tokens: 50}
output: {distribution: fixed, tokens: 16}
request: {api: chat, temperature: 0, usage: final, timeout_s: 5}
drain_s: 5
`

// New makes a user for a test.
func New(t *testing.T) *World {
	t.Helper()
	return In(t, filepath.Join(scratch, strings.ReplaceAll(t.Name(), "/", "-")))
}

// In makes a user whose folders lie in dir.
func In(t *testing.T, dir string) *World {
	t.Helper()
	w := &World{T: t, Dir: dir, Conf: filepath.Join(dir, "config")}
	image := filepath.Join(dir, "vllm.sif")
	w.File("config/plans/short.yaml", Short)
	if err := siftest.Write(image, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	site := func(account string) string {
		return fmt.Sprintf("engine: stub\nplan: short\naccount: %s\nimage: %s\nruns_dir: %s/runs\ncache_dir: %s/cache\npoll_interval: 1s\ncaches:\n  HF_HOME: {path: %s/hf}\n",
			account, image, dir, dir, dir)
	}
	w.File("config/sites/karolina.yaml", site(slurmtest.ITIAccount))
	w.File("config/sites/lumi.yaml", site(slurmtest.LUMIAccount)+
		fmt.Sprintf("  MIOPEN_USER_DB_PATH: {path: \"%s/miopen-{job}-{node}\"}\n  MIOPEN_CUSTOM_CACHE_DIR: {path: \"%s/miopen-{job}-{node}\"}\n", dir, dir))
	for _, name := range []string{"home", "hf", "bin"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range Cluster.Environ() {
		if !strings.HasPrefix(v, "HPCBENCH_") { // the developer's own settings
			w.Env = append(w.Env, v)
		}
	}
	w.Env = append(w.Env,
		"HOME="+filepath.Join(dir, "home"), "USER=root", "HPCBENCH_CONFIG_DIR="+w.Conf,
		// A test's own doubles come first.
		"PATH="+filepath.Join(dir, "bin")+":"+doubles+":"+os.Getenv("PATH"),
		// The shell function that Lmod would define: it says what it was asked and binds this file system.
		"BASH_FUNC_module%%=() { echo \"module $*\"; if [ \"$1\" = load ]; then export SINGULARITY_BIND="+dir+"; fi; }",
		// What users have in their shells and a job must not feel.
		"SBATCH_PARTITION=qgpu_preempt", "SLURM_TIME_FORMAT=relative", "LC_ALL=cs_CZ.UTF-8", "PYTHONPATH=/poisoned", "SQUEUE_FORMAT=%i",
	)
	return w
}

// File writes a file of the user's, which may be run where its name lies in bin.
func (w *World) File(name, text string) string {
	w.T.Helper()
	path := filepath.Join(w.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.T.Fatal(err)
	}
	mode := os.FileMode(0o600)
	if strings.HasPrefix(name, "bin/") {
		mode = 0o700
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		w.T.Fatal(err)
	}
	return path
}

// Plan writes a plan: Short with some of its words replaced, in pairs.
func (w *World) Plan(name string, replace ...string) {
	w.T.Helper()
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(Short, replace[i]) {
			w.T.Fatalf("the short plan has no %q", replace[i])
		}
	}
	w.File("config/plans/"+name+".yaml", strings.NewReplacer(replace...).Replace(Short))
}

// Run is the folder of a run.
func (w *World) Run(name string) results.RunDir {
	return results.RunDir(filepath.Join(w.Dir, "runs", name))
}
