package templates

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// moduleFunction behaves as Lmod does: it needs its variables and dies under set -u
// and set -e, it records its calls, and the profile that brings it replaces PATH.
const moduleFunction = `
PATH=/usr/local/bin:/usr/bin:/bin
MODULE_LOG=%
module() {
  printf '%s|' "$@" >>"$MODULE_LOG"; echo >>"$MODULE_LOG"
  false
  : $UNSET_VARIABLE_OF_LMOD
  case $2 in
    bindings) export SINGULARITY_BIND=/from/module LOADED_BY_MODULE=1 ;;
  esac
}
`

func TestModulesAreLoadedWithoutALoginShell(t *testing.T) {
	d := runnable(t, lumi())
	profile := filepath.Join(d.RunDir, "profile $x")
	log := filepath.Join(t.TempDir(), "log")
	write(t, profile, strings.Replace(moduleFunction, "%", log, 1))
	d.Profile = []string{"/no/such/profile", profile}
	d.Setup = []string{"module purge", "module load bindings", `module load "a 'b' \$(id)"`, "command -v bash >/dev/null || module load never"}
	bin := t.TempDir()
	write(t, filepath.Join(bin, "tool-of-ours"), "#!/bin/sh\n")
	d.Need = []string{"tool-of-ours"}
	if exit, out := run(t, d, "PATH="+os.Getenv("PATH")+":"+bin); exit != 0 {
		t.Fatalf("exit %d: %s", exit, out)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("purge|\nload|bindings|\nload|a 'b' $(id)|\n", string(b)); diff != "" {
		t.Errorf("module calls (-want +got):\n%s", diff)
	}
	env := environ(t, d, 1)
	if got := env["SINGULARITY_BIND"]; got != "/from/module" {
		t.Errorf("SINGULARITY_BIND=%q, want the module's", got)
	}
	if _, ok := env["LOADED_BY_MODULE"]; ok {
		t.Error("a variable that isn't kept survived")
	}
}

// A site whose profile has no module either: the line's own fallback holds, and what is really
// missing is said in words.
func TestWithoutModuleCommand(t *testing.T) {
	d := runnable(t, lumi())
	d.Profile = []string{"/dev/null"}
	exit, out := run(t, d)
	if exit != 0 {
		t.Fatalf("exit %d: %s", exit, out)
	}
	if got := environ(t, d, 1)["SINGULARITY_BIND"]; !strings.HasPrefix(got, "/var/spool/slurmd,/pfs") {
		t.Errorf("SINGULARITY_BIND=%q, want the fallback", got)
	}

	d.Need = []string{"no-such-runtime"}
	exit, out = run(t, d)
	if exit != 4 || !strings.Contains(out, "no-such-runtime was not found") {
		t.Errorf("exit %d: %s", exit, out)
	}
}

var setlocale = regexp.MustCompile(`(?m)^.*warning: setlocale: .*\n`)

func TestUsersEnvironmentChangesNothing(t *testing.T) {
	d := runnable(t, karolina())
	d.Setup = nil
	hostile := []string{
		"SLURM_ARRAY_TASK_ID=1", "SLURM_JOB_ID=77", "USER=someone", "TMPDIR=/tmp", "CUDA_VISIBLE_DEVICES=0,1",
		"PYTHONPATH=/bad", "PYTHONHOME=/bad", "VIRTUAL_ENV=/bad", "CONDA_PREFIX=/bad", "CONDA_DEFAULT_ENV=bad",
		"LC_ALL=cs_CZ.UTF-8", "SLURM_TIME_FORMAT=%d.%m.%Y", "SBATCH_ACCOUNT=other", "SRUN_EXPORT_ENV=NONE",
		"APPTAINER_BIND=/bad", "SINGULARITY_BIND=/bad", "APPTAINERENV_VLLM_CACHE_ROOT=/bad", "APPTAINERENV_OTHER=bad",
		"LD_LIBRARY_PATH=/bad", "LD_PRELOAD=", "HF_TOKEN=hf_secret", "VLLM_PORT=1", "HPCBENCH_RUNS_DIR=/bad",
		"RUN=/bad", "HPCBENCH=/bad", "N=9", "name=bad", "child=1", "status=1", "REPEATS=9", "SERVER=bad",
		"POSIXLY_CORRECT=1", "SHELLOPTS=errexit:nounset", "BASH_ENV=/dev/null", "IFS=1", "CDPATH=/tmp",
		"BASH_FUNC_apptainer%%=() { echo taken; }",
	}
	exit, out := run(t, d, hostile...)
	// bash itself complains of a locale that this machine hasn't got.
	if rest := setlocale.ReplaceAllString(out, ""); exit != 0 || rest != "" {
		t.Fatalf("exit %d: %s", exit, out)
	}
	got := environ(t, d, 1)
	for _, unstable := range []string{"PATH", "HOME", "_", "SHLVL", "PWD", "OLDPWD"} {
		delete(got, unstable)
	}
	want := map[string]string{
		"SLURM_ARRAY_TASK_ID": "1", "SLURM_JOB_ID": "77", "USER": "someone", "TMPDIR": "/tmp", "CUDA_VISIBLE_DEVICES": "0,1",
		"LC_ALL": "C.UTF-8", "SLURM_TIME_FORMAT": "standard", "PYTHONNOUSERSITE": "1",
	}
	for _, e := range d.Exports {
		want[e.Name] = e.Value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment of hpcbench repeat (-want +got):\n%s", diff)
	}
}

func TestExportsThatExpand(t *testing.T) {
	d := runnable(t, local())
	d.Exports = []Export{
		{Name: "A", Value: "/tmp/${USER}-x-${SLURM_NODEID}", Expand: true},
		{Name: "B", Value: "/tmp/${USER}"},
		{Name: "C", Value: "a'b\"$USER$(id)`id`\\ \n*${USER}é\u200b\xff", Expand: true},
		{Name: "D", Value: "${NOT_SET}", Expand: true},
		{Name: "E", Value: "", Expand: true},
	}
	if exit, out := run(t, d, "USER=some *one"); exit != 0 {
		t.Fatalf("exit %d: %s", exit, out)
	}
	env := environ(t, d, 1)
	want := map[string]string{
		"A": "/tmp/some *one-x-", "B": "/tmp/${USER}", "C": "a'b\"$USER$(id)`id`\\ \n*some *oneé\u200b\xff", "D": "", "E": "",
	}
	for name, value := range want {
		if env[name] != value {
			t.Errorf("%s=%q, want %q", name, env[name], value)
		}
	}
}

// Two nodes: srun and scontrol are doubles, one task after the other.
func TestServerOnTwoNodes(t *testing.T) {
	d := runnable(t, lumiTwoNodes())
	d.Setup = nil
	d.Nodes.WorkerArgs = append(d.Nodes.WorkerArgs, "it's {rank}")
	bin := t.TempDir()
	write(t, filepath.Join(bin, "scontrol"), "#!/bin/bash\n[ \"$*\" = 'show hostnames nid[1-2]' ] && printf 'localhost\\nnid2\\n'\n")
	write(t, filepath.Join(bin, "srun"), `#!/bin/bash
printf '%s\0' "$@" >srun-argv
while [ "$1" != bash ]; do shift; done
for SLURM_PROCID in 0 1; do export SLURM_PROCID; "$@"; done
`)
	write(t, filepath.Join(bin, "singularity"), "#!/bin/bash\nprintf '%s\\0' \"$@\" >task-$SLURM_PROCID\n")
	// This recorder starts what follows -- as the real one does.
	write(t, d.Binary, "#!/bin/bash\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n")
	exit, out := run(t, d, "PATH="+bin+":"+os.Getenv("PATH"), "HPCBENCH_JOB_REPEATS=1", "SLURM_JOB_NODELIST=nid[1-2]")
	if exit != 0 {
		t.Fatalf("exit %d: %s", exit, out)
	}
	flags := []string{"--export=ALL", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--cpus-per-task=56", "--kill-on-bad-exit=1", "--wait=5", "bash", "-c"}
	if diff := cmp.Diff(flags, words(t, d, "srun-argv")[:len(flags)]); diff != "" {
		t.Errorf("srun (-want +got):\n%s", diff)
	}
	base := append(append([]string{}, d.Container[1:]...), d.Server...)
	head := append(append([]string{}, base...), "--nnodes", "2", "--node-rank", "0", "--master-addr", "127.0.0.1")
	worker := append(append([]string{}, base...), "--headless", "it's 1", "--nnodes", "2", "--node-rank", "1", "--master-addr", "127.0.0.1")
	if diff := cmp.Diff(head, words(t, d, "task-0")); diff != "" {
		t.Errorf("first node (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(worker, words(t, d, "task-1")); diff != "" {
		t.Errorf("second node (-want +got):\n%s", diff)
	}
	if exit, out := run(t, d, "PATH="+bin+":"+os.Getenv("PATH"), "HPCBENCH_JOB_REPEATS=1", "SLURM_JOB_NODELIST=other"); exit != 4 || !strings.Contains(out, "didn't name the nodes") {
		t.Errorf("without nodes: exit %d: %s", exit, out)
	}
}
