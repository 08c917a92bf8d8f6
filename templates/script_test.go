package templates

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"
)

var update = flag.Bool("update", false, "write the golden scripts anew")

// lumi is what the embedded profile gives for one job with five restarts on dev-g.
func lumi() ScriptData {
	account := "project_465000123"
	scratch := "/scratch/" + account
	run := scratch + "/hpcbench/runs/qwen3-30b-lumi"
	return ScriptData{
		RunName: "qwen3-30b-lumi", Site: "lumi", Model: "Qwen/Qwen3-Coder-30B-A3B-Instruct", Plan: "default", Version: "v0.1.0",
		Notes: []string{"Walltime: 5 x (600 s start + 60 s warm-up + 9 x 120 s + 30 s stop) + 300 s reserve"},
		Directives: []Directive{
			{"job-name", "hpcbench-qwen3-30b-lumi"},
			{"account", account},
			{"partition", "dev-g"},
			{"nodes", "1"},
			{"ntasks-per-node", "1"},
			{"gpus-per-node", "2"},
			{"cpus-per-task", "14"},
			{"mem-per-gpu", "60G"},
			{"time", "03:00:00"},
			{"output", run + "/logs/%j.log"},
		},
		SignalBeforeS: 120,
		RunDir:        run,
		Binary:        run + "/bin/hpcbench",
		Umask:         "077",
		Setup: []string{
			"module purge",
			"module use /appl/local/laifs/modules",
			"module load lumi-aif-singularity-bindings || export SINGULARITY_BIND=/var/spool/slurmd,/pfs,/scratch,/projappl,/project,/flash,/appl",
		},
		Need: []string{"singularity"},
		Keep: []string{"SINGULARITY_BIND"},
		Exports: []Export{
			{Name: "SINGULARITYENV_HF_HOME", Value: scratch + "/hf-cache", Reason: "Weights are larger than the 20 GB of the home folder."},
			{Name: "SINGULARITYENV_VLLM_CACHE_ROOT", Value: scratch + "/vllm-cache", Reason: "Compiled kernels out of the home folder."},
			{Name: "SINGULARITYENV_MIOPEN_USER_DB_PATH", Value: "/tmp/${USER}-miopen-cache-${SLURM_NODEID}", Expand: true,
				Reason: "Lustre has not the locks that MIOpen wants."},
			{Name: "SINGULARITYENV_NCCL_SOCKET_IFNAME", Value: "hsn", Reason: "The Slingshot network; other interfaces don't reach the other nodes."},
			{Name: "SINGULARITYENV_PYTHONNOUSERSITE", Value: "1"},
		},
		Mode:    Restart,
		Repeats: []int{1, 2, 3, 4, 5},
		Container: []string{"singularity", "exec", "--no-eval",
			"/appl/local/laifs/containers/lumi-multitorch-u24r70f21m50t210-20260807_115122/lumi-multitorch-full-u24r70f21m50t210-20260807_115122.sif"},
		Server: []string{"vllm", "serve", scratch + "/hf-cache/hub/models--Qwen--Qwen3-Coder-30B-A3B-Instruct/snapshots/b2cff64",
			"--host", "127.0.0.1", "--port", "{port}", "--served-model-name", "Qwen/Qwen3-Coder-30B-A3B-Instruct-{nonce}",
			"--tensor-parallel-size", "2", "--max-model-len", "4096"},
	}
}

// karolina is what the embedded profile gives for an array of five on qgpu.
func karolina() ScriptData {
	scratch := "/scratch/project/open-35-12"
	run := scratch + "/hpcbench/runs/qwen3-30b-karolina"
	return ScriptData{
		RunName: "qwen3-30b-karolina", Site: "karolina", Model: "Qwen/Qwen3-Coder-30B-A3B-Instruct", Plan: "default", Version: "v0.1.0",
		Directives: []Directive{
			{"job-name", "hpcbench-qwen3-30b-karolina"},
			{"account", "open-35-12"},
			{"partition", "qgpu"},
			{"nodes", "1"},
			{"gpus", "4"},
			{"time", "01:00:00"},
			{"array", "1-5"},
			{"output", run + "/logs/%A_%a.log"},
		},
		SignalBeforeS: 120,
		RunDir:        run,
		Binary:        run + "/bin/hpcbench",
		Umask:         "027",
		Setup:         []string{"command -v apptainer >/dev/null || ml apptainer"},
		Need:          []string{"apptainer"},
		Exports: []Export{
			{Name: "APPTAINERENV_HF_HOME", Value: scratch + "/hf-cache", Reason: "Weights are larger than the 25 GB of the home folder."},
			{Name: "APPTAINERENV_HF_HUB_OFFLINE", Value: "1", Reason: "Compute nodes have no internet: fail at once and don't wait for it."},
			{Name: "APPTAINERENV_VLLM_CACHE_ROOT", Value: scratch + "/vllm-cache", Reason: "/tmp has a few GB only."},
			{Name: "APPTAINERENV_VLLM_NO_USAGE_STATS", Value: "1", Reason: "No internet, and nobody's business."},
			{Name: "APPTAINERENV_PYTHONNOUSERSITE", Value: "1"},
		},
		Mode:      Array,
		Repeats:   []int{1, 2, 3, 4, 5},
		Container: []string{"apptainer", "exec", "--no-eval", "--nv", "--bind", "/scratch", "--bind", "/mnt/proj1", scratch + "/images/vllm-openai-v0.32.0.sif"},
		Server: []string{"vllm", "serve", scratch + "/hf-cache/hub/models--Qwen--Qwen3-Coder-30B-A3B-Instruct/snapshots/b2cff64",
			"--host", "127.0.0.1", "--port", "{port}", "--served-model-name", "Qwen/Qwen3-Coder-30B-A3B-Instruct-{nonce}",
			"--tensor-parallel-size", "4"},
	}
}

// lumiTwoNodes is the pattern without Ray on two whole nodes.
func lumiTwoNodes() ScriptData {
	d := lumi()
	d.RunName = "qwen3-235b-lumi"
	for i, v := range d.Directives {
		switch v.Flag {
		case "partition":
			d.Directives[i].Value = "standard-g"
		case "nodes":
			d.Directives[i].Value = "2"
		case "gpus-per-node":
			d.Directives[i].Value = "8"
		case "cpus-per-task":
			d.Directives[i].Value = "56"
		case "mem-per-gpu":
			d.Directives[i] = Directive{"mem", "480G"}
		}
	}
	d.Mode, d.Repeats = Chain, []int{1, 2, 3}
	d.Nodes = &MultiNode{
		Count: 2, CPUsPerTask: 56,
		RankArgs:   []string{"--nnodes", "2", "--node-rank", "{rank}", "--master-addr", "{master_addr}"},
		WorkerArgs: []string{"--headless"},
	}
	d.Server = append(d.Server, "--pipeline-parallel-size", "2", "--master-port", "{master_port}")
	return d
}

// local has no Slurm, no modules and no container.
func local() ScriptData {
	return ScriptData{
		RunName: "demo", Site: "local", Model: "demo", Plan: "demo", Version: "v0.1.0",
		RunDir: "/home/me/hpcbench/runs/demo", Binary: "/home/me/hpcbench/runs/demo/bin/hpcbench", Umask: "077",
		Mode: Reuse, Repeats: []int{1, 2, 3, 4, 5},
		Server: []string{"/home/me/hpcbench/runs/demo/bin/hpcbench", "stub", "--port", "{port}", "--model", "demo-{nonce}"},
	}
}

var golden = map[string]func() ScriptData{
	"lumi": lumi, "karolina": karolina, "lumi-two-nodes": lumiTwoNodes, "local": local,
}

func render(t testing.TB, d ScriptData) string {
	t.Helper()
	b, err := Script(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGolden(t *testing.T) {
	for name, data := range golden {
		t.Run(name, func(t *testing.T) {
			got := render(t, data())
			if again := render(t, data()); again != got {
				t.Error("a second rendering differs")
			}
			file := filepath.Join("testdata", name+".sh")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("script differs from %s (-want +got); go test -update writes it anew:\n%s", file, diff)
			}
			if _, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(got), file); err != nil {
				t.Errorf("not bash: %v", err)
			}
		})
	}
}
