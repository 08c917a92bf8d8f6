//go:build cluster

package clustertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/apptainer/siftest"
	"hpcbench/results"
	"hpcbench/slurm/slurmtest"
)

// What all tests share: the static binary as a user has it, and the doubles.
var (
	program string
	doubles string
	cluster = slurmtest.New()
	scratch string // seen by "compute nodes", which /tmp isn't by rule
)

func TestMain(m *testing.M) {
	code, err := setUp(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func setUp(m *testing.M) (int, error) {
	if err := cluster.Up(context.Background()); err != nil {
		return 0, err
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Join(root, ".cache"), 0o755); err != nil {
		return 0, err
	}
	if scratch, err = os.MkdirTemp(filepath.Join(root, ".cache"), "cluster-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	program, doubles = filepath.Join(scratch, "hpcbench"), filepath.Join(scratch, "doubles")
	for out, pkg := range map[string]string{
		program: "./cmd/hpcbench", filepath.Join(doubles, "apptainer"): "./apptainer/double", filepath.Join(doubles, "singularity"): "./apptainer/double",
	} {
		build := exec.Command("go", "build", "-o", out, pkg)
		build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if text, err := build.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("build %s: %w\n%s", pkg, err, text)
		}
	}
	return m.Run(), nil
}

// world is one user on a login node: a home, a configuration, a shared file system.
type world struct {
	t    *testing.T
	dir  string
	env  []string
	conf string
}

// short is a plan that needs seconds and no good network.
const short = `kind: rate
rates_per_s: [5, 10]
duration_s: 1.5
warmup: {duration_s: 0.3}
prompt: {source: synthetic, tokens: 50}
output: {distribution: fixed, tokens: 16}
request: {api: chat, temperature: 0, usage: final, timeout_s: 5}
drain_s: 5
`

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := filepath.Join(scratch, strings.ReplaceAll(t.Name(), "/", "-"))
	w := &world{t: t, dir: dir, conf: filepath.Join(dir, "config")}
	image := filepath.Join(dir, "vllm.sif")
	w.file("config/plans/short.yaml", short)
	if err := siftest.Write(image, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	site := func(account string) string {
		return fmt.Sprintf("engine: stub\nplan: short\naccount: %s\nimage: %s\nruns_dir: %s/runs\ncache_dir: %s/cache\npoll_interval: 1s\ncaches:\n  HF_HOME: {path: %s/hf}\n",
			account, image, dir, dir, dir)
	}
	w.file("config/sites/karolina.yaml", site(slurmtest.ITIAccount))
	w.file("config/sites/lumi.yaml", site(slurmtest.LUMIAccount)+
		fmt.Sprintf("  MIOPEN_USER_DB_PATH: {path: \"%s/miopen-{job}-{node}\"}\n  MIOPEN_CUSTOM_CACHE_DIR: {path: \"%s/miopen-{job}-{node}\"}\n", dir, dir))
	for _, name := range []string{"home", "hf"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append(cluster.Environ(),
		"HOME="+filepath.Join(dir, "home"), "USER=root", "HPCBENCH_CONFIG_DIR="+w.conf,
		"PATH="+doubles+":"+os.Getenv("PATH"),
		// The shell function that Lmod would define: it says what it was asked and binds this file system.
		"BASH_FUNC_module%%=() { echo \"module $*\"; if [ \"$1\" = load ]; then export SINGULARITY_BIND="+scratch+"; fi; }",
		// What users have in their shells and a job must not feel.
		"SBATCH_PARTITION=qgpu_preempt", "SLURM_TIME_FORMAT=relative", "LC_ALL=cs_CZ.UTF-8", "PYTHONPATH=/poisoned", "SQUEUE_FORMAT=%i",
	)
	return w
}

func (w *world) file(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// hpcbench runs the program and answers what it printed and its exit code.
func (w *world) hpcbench(args ...string) (string, int) {
	w.t.Helper()
	return w.command(program, args...)
}

func (w *world) command(name string, args ...string) (string, int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.Dir = w.env, w.dir
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// must runs the program and fails the test where it fails.
func (w *world) must(args ...string) string {
	w.t.Helper()
	out, code := w.hpcbench(args...)
	if code != 0 {
		w.t.Fatalf("hpcbench %s: exit code %d\n%s\n%s", strings.Join(args, " "), code, out, w.jobOutput())
	}
	return out
}

// measure runs the program to the end of a run. What it says of the numbers is not
// this level's business: beside other jobs on two cores, requests may well be sent late,
// and then it says INVALID (exit code 3) as it should.
func (w *world) measure(args ...string) string {
	w.t.Helper()
	out, code := w.hpcbench(args...)
	if code != 0 && code != 3 {
		w.t.Fatalf("hpcbench %s: exit code %d\n%s\n%s", strings.Join(args, " "), code, out, w.jobOutput())
	}
	return out
}

// jobOutput is what the jobs printed, for a failing test.
func (w *world) jobOutput() string {
	found, _ := filepath.Glob(filepath.Join(w.dir, "runs", "*", "logs", "*"))
	var b strings.Builder
	for _, path := range found {
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "==> %s\n%s\n", path, text)
	}
	return b.String()
}

func (w *world) run(name string) results.RunDir {
	return results.RunDir(filepath.Join(w.dir, "runs", name))
}

// attempts reads every attempt.json of a run.
func (w *world) attempts(name string) []results.Attempt {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(string(w.run(name)), "repeat-*", "attempt-*", "attempt.json"))
	if err != nil {
		w.t.Fatal(err)
	}
	var all []results.Attempt
	for _, path := range found {
		a, err := results.ReadJSON[results.Attempt](path, results.FormatAttempt)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

// status is `status --json` of one run.
func (w *world) status(name string) runStatus {
	w.t.Helper()
	var runs []runStatus
	text := w.must("status", name, "--json")
	if err := json.Unmarshal([]byte(text), &runs); err != nil || len(runs) != 1 {
		w.t.Fatalf("status: %v\n%s", err, text)
	}
	return runs[0]
}

type runStatus struct {
	Repeats []struct {
		Repeat int    `json:"repeat"`
		Phase  string `json:"phase"`
		Words  string `json:"words"`
		JobID  string `json:"job_id"`
	} `json:"repeats"`
}

// until asks again until the condition holds.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if holds() {
			return
		}
	}
	w.t.Fatalf("it never came to this: %s\n%s", what, w.jobOutput())
}

// nothingLeft checks that no process of the run is left.
func (w *world) nothingLeft(name string) {
	w.t.Helper()
	marked := []byte("HPCBENCH_JOB_SERVER=" + name + "/")
	w.until("no process of "+name+" is left", func() bool {
		entries, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range entries {
			env, err := os.ReadFile(path)
			if err == nil && strings.Contains(string(env), string(marked)) {
				return false
			}
		}
		return true
	})
}
