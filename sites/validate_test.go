package sites

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/sites/conf"
)

func TestValidateReportsEverything(t *testing.T) {
	text := `scheduler: pbs
engine: tgi
poll_interval: 10ms
confirm_cost_above: -1
repeats: 0
partition: fast
partitions:
  slow: {max_walltime: 1h, default_walltime: 2h, max_jobs: 1, max_running: 2, max_nodes: -1}
account_pattern: '['
image: /images/{acount}.sif
runs_dir: "/runs/{job}"
cache_dir: "{cache_dir}/x}"
gpu: {vendor: nvidia, per_node: 2, sampler: top}
node: {cores: 8, cores_per_gpu: 5, memory_gib: 10, memory_gib_per_gpu: 6}
cost: {per_node_hour: 1}
runtime: {command: docker, gpu_option: cuda}
setup: ["module purge", ""]
binds:
  relative: {target: "{home}/x"}
environment:
  A-B: {value: x, where: host, reason: r}
  HPCBENCH_X: {value: x, where: host, reason: r}
  NOWHERE: {value: x, reason: r}
  BOTH: {value: x, from: Y, where: host, reason: r}
  SILENT: {value: x, where: host}
  LINES: {value: "a\nb", where: host, reason: r}
  TWICE: {value: x, where: host, reason: r}
  GONE: {skip: true}
caches:
  TWICE: {path: /c, per: site, reason: r}
  EMPTY: {per: site, reason: r}
  NOJOB: {path: /c, per: job, reason: r}
  JOB: {path: "/c/{job}", per: site, reason: r}
  LOCKED: {path: "/c/{job}", per: job, read_only: true, reason: r}
  WHOSE: {path: /c, per: node, reason: r}
keep_env: ["*_proxy", HOME, "SLURM_*"]
`
	_, _, err := loadProfile("bad", []conf.Layer{conf.Bytes("bad.yaml", []byte(text))})
	if err == nil {
		t.Fatal("accepted")
	}
	lines := strings.Split(strings.TrimPrefix(err.Error(), "site bad: "), "\n")
	want := []string{
		`bad.yaml:1: scheduler: "pbs" must be one of slurm, local`,
		`bad.yaml:2: engine: "tgi" must be one of vllm, openai, stub`,
		`bad.yaml:5: repeats: 0 is too small, 1 is the least`,
		`bad.yaml:3: poll_interval: 10ms is too small, 1s is the least`,
		`bad.yaml:4: confirm_cost_above: -1 is too small, 0 is the least`,
		`bad.yaml:10: image: {acount} is no placeholder; did you mean account?`,
		`bad.yaml:12: cache_dir: "{cache_dir}/x}" has a brace that belongs to no placeholder`,
		`bad.yaml:12: cache_dir: stands for itself`,
		`bad.yaml:11: runs_dir: must be known before there is a job; take {job} and {node} out`,
		`bad.yaml:6: partition: site bad has no partition "fast"; known are slow`,
		`bad.yaml:8: partitions.slow.max_nodes: -1 is too small, 0 is the least`,
		`bad.yaml:8: partitions.slow.default_walltime: 2h0m0s is more than max_walltime, 1h0m0s`,
		`bad.yaml:8: partitions.slow.max_running: 2 is more than max_jobs, 1`,
		"bad.yaml:9: account_pattern: not a regular expression: error parsing regexp: missing closing ]: `[`",
		`bad.yaml:13: gpu.sampler: "top" must be one of nvidia-smi, rocm-smi, amd-smi, none`,
		`bad.yaml: gpu.memory_gib: 0 is too small, 1 is the least`,
		`bad.yaml: gpu.kind: a GPU has a name; results are compared by it`,
		`bad.yaml: gpu.unit: what one GPU is called here, such as GPU or GCD`,
		`bad.yaml:14: node.cores_per_gpu: 5 for each of 2 GPUs is more than the node's 8`,
		`bad.yaml:14: node.memory_gib_per_gpu: 6 for each of 2 GPUs is more than the node's 10`,
		`bad.yaml: cost.unit: what is charged, such as node-hours`,
		`bad.yaml:16: runtime.command: "docker" must be one of apptainer, singularity, none`,
		`bad.yaml:16: runtime.gpu_option: "cuda" must be one of nv, rocm, none`,
		`bad.yaml:17: setup: line 2 is empty or has a line break: one shell line each`,
		`bad.yaml:19: binds.relative: "relative" is not an absolute path`,
		`bad.yaml:21: environment.A-B: not the name of a variable`,
		`bad.yaml:24: environment.BOTH: has either a value or from, the name of another variable`,
		`bad.yaml:22: environment.HPCBENCH_X: names beginning with HPCBENCH_ are the program's own`,
		`bad.yaml:26: environment.LINES: "a\nb" has a line break or another control character`,
		`bad.yaml:23: environment.NOWHERE: where must be host or container`,
		`bad.yaml:25: environment.SILENT: has no reason; say why the site needs it`,
		`bad.yaml:27: environment.TWICE: is a cache, too; keep one`,
		`bad.yaml:31: caches.EMPTY: has no path`,
		`bad.yaml:33: caches.JOB: is one for all jobs, but its path has {job}`,
		`bad.yaml:34: caches.LOCKED: a folder made for a job can't be read only`,
		`bad.yaml:32: caches.NOJOB: one folder a job needs {job} in its path`,
		`bad.yaml:35: caches.WHOSE: per must be site or job`,
		`bad.yaml:36: keep_env: "*_proxy" is not the name of a variable; a * may stand at the end`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
}

func TestValidateSlurmNeedsFlagsAndFigures(t *testing.T) {
	text := strings.Replace(ownSite, "request: {gpu_flag: gpus, cpu_flag: none, memory_flag: none}", "request: {cpu_flag: cpus-per-task, memory_flag: mem}\naccount_pattern: '^a'\naccount_example: b", 1)
	_, _, err := loadProfile("desk", []conf.Layer{conf.Bytes("desk.yaml", []byte(text))})
	for _, want := range []string{
		`request.gpu_flag: "" must be one of gpus-per-node, gpus`,
		`node.cores_per_gpu: 0 is too small, 1 is the least`,
		`node.memory_gib_per_gpu: 0 is too small, 1 is the least`,
		`account_example: "b" does not match account_pattern, ^a`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A slip in the name of an entry of ours would make a second one, and change nothing.
func TestValidateSeesASlipInAName(t *testing.T) {
	for text, want := range map[string]string{
		"partitions:\n  Dev-g: {max_walltime: 1h}\n":          "lumi.yaml:2: partitions.Dev-g: differs from dev-g by letter case only",
		"environment:\n  NCCL_SOCKET_IFNAM: {value: hsn0}\n":  "environment.NCCL_SOCKET_IFNAM: has no reason",
		"caches:\n  HF_HOM: {path: /x}\n":                     "caches.HF_HOM: per must be site or job",
		"environment:\n  nccl_socket_ifname: {value: hsn0}\n": "environment.nccl_socket_ifname: has no reason",
		"unconfirmed:\n  image: ~\n":                          "unconfirmed.image: has no value",
	} {
		b := newBench(t)
		b.write("sites/lumi.yaml", text)
		if _, _, err := LoadSite("lumi", b.Options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
