package resolve

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hpcbench/load/plans"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
)

var update = flag.Bool("update", false, "write the golden scripts anew; then read them line by line")

// ask is a request as the command line makes it, for a user whose machine is always the same.
func ask(site, model string, gpus int, flags ...string) Request {
	var values []conf.Value
	for _, f := range flags {
		key, value, _ := strings.Cut(f, "=")
		values = append(values, conf.Value{Path: []string{key}, Text: value, Source: "--" + key})
	}
	return Request{
		Site: site, Model: model, GPUs: gpus,
		Options: sites.Options{Environ: []string{"USER=alice", "HOME=/home/alice", "HPCBENCH_CONFIG_DIR=/dev"}, Flags: values},
		Plan: func(name string) (results.Plan, error) {
			p, _, err := plans.Load(name, "")
			return p, err
		},
		ToolVersion: "v1.0.0", Now: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC),
	}
}

func karolina() Request {
	return ask("karolina", "Qwen3-Coder-30B", 4, "account=open-30-15", "image=/mnt/proj1/open-30-15/vllm.sif")
}

func lumi() Request { return ask("lumi", "Qwen2.5-Coder-7B", 1, "account=project_465000123") }

func TestGoldenScripts(t *testing.T) {
	two := karolina()
	two.GPUs, two.Plan = 16, func(string) (results.Plan, error) { p, _, err := plans.Load("demo", ""); return p, err }
	small := lumi()
	small.Options.Flags = append(small.Options.Flags, conf.Value{Path: []string{"partition"}, Text: "small-g", Source: "--partition"})
	for name, req := range map[string]Request{
		"karolina-4-gpus": karolina(), "lumi-dev-g": lumi(), "karolina-two-nodes": two, "lumi-small-g": small, "local": ask("local", "", 0),
	} {
		t.Run(name, func(t *testing.T) {
			spec, err := Spec(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Script(spec)
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".sh")
			if *update {
				if err := os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Error(d)
			}
			// run.json gives the same script on another day.
			again := throughJSON(t, spec)
			if text, err := Script(again); err != nil || string(text) != string(got) {
				t.Errorf("run.json renders another script: %v", err)
			}
		})
	}
}

func throughJSON(t *testing.T, s results.Spec) results.Spec {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again results.Spec
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

func TestSameInputSameBytes(t *testing.T) {
	first, err := Spec(t.Context(), karolina())
	if err != nil {
		t.Fatal(err)
	}
	later := karolina()
	later.Now = later.Now.Add(100 * time.Hour)
	second, err := Spec(t.Context(), later)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := Script(first)
	b, _ := Script(second)
	if string(a) != string(b) {
		t.Error("the day changes the script")
	}
	da, err := first.Digest()
	if err != nil {
		t.Fatal(err)
	}
	if db, _ := second.Digest(); da != db {
		t.Error("the day changes the digest")
	}
}

func TestEverythingWrongAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Request)
		says   []string
	}{
		"unknown site":   {func(r *Request) { r.Site = "karolna" }, []string{"karolina"}},
		"unknown model":  {func(r *Request) { r.Model = "Qwen3-Coder-30" }, []string{"Qwen3-Coder-30B"}},
		"too many GPUs":  {func(r *Request) { r.GPUs, r.Nodes = 12, 1 }, []string{"a node of karolina has 8"}},
		"uneven":         {func(r *Request) { r.GPUs = 9 }, []string{"9 can't be spread evenly over 2 nodes"}},
		"heads":          {func(r *Request) { r.GPUs = 3 }, []string{"tensor parallel 3", "32 attention heads"}},
		"idle GPUs":      {func(r *Request) { r.TP = 2; r.PP = 1 }, []string{"uses 2 GPUs of 4"}},
		"mode":           {func(r *Request) { r.Mode = "sideways" }, []string{"--repeat-mode sideways", "array, restart, chain"}},
		"dtype":          {func(r *Request) { r.DType = "int3" }, []string{"--dtype int3", "bfloat16"}},
		"too long":       {func(r *Request) { r.MaxModelLen = 999_999_999 }, []string{"--max-model-len 999999999", "at most 262144"}},
		"too short":      {func(r *Request) { r.Walltime = time.Minute }, []string{"--time 00:01:00", "1 x (start", "--force"}},
		"walltime":       {func(r *Request) { r.Walltime = 49 * time.Hour }, []string{"2-01:00:00", "2-00:00:00"}},
		"server arg":     {func(r *Request) { r.ServerArgs = []string{"--port", "80"} }, []string{"--port can't be set"}},
		"run name":       {func(r *Request) { r.Name = "a b" }, []string{`"a b"`}},
		"many at a time": {func(r *Request) { r.Model, r.GPUs, r.Name, r.Nodes = "nosuch", 12, "last", 1 }, []string{"3 things are wrong", "nosuch", "--gpus 12", `"last"`}},
		"nothing set":    {func(r *Request) { r.Options.Flags = nil }, []string{"account", "image", "open-30-15"}},
		"account form": {func(r *Request) {
			r.Options.Flags = append(r.Options.Flags, conf.Value{Path: []string{"account"}, Text: "project_465000123", Source: "--account"})
		}, []string{"project_465000123", "open-30-15"}},
		"partition": {func(r *Request) {
			r.Options.Flags = append(r.Options.Flags, conf.Value{Path: []string{"partition"}, Text: "qgpuexp", Source: "--partition"})
		}, []string{"qgpu_exp"}},
		"plan": {func(r *Request) {
			r.Plan = func(string) (results.Plan, error) { p, _, err := plans.Load("legacy-karolna", ""); return p, err }
		}, []string{"legacy-karolina"}},
	} {
		t.Run(name, func(t *testing.T) {
			req := karolina()
			c.change(&req)
			_, err := Spec(t.Context(), req)
			if err == nil {
				t.Fatal("it was taken")
			}
			for _, word := range c.says {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q isn't in: %v", word, err)
				}
			}
		})
	}
}

func TestMissingFilesOnlyMatterWhereTheRunIsSubmitted(t *testing.T) {
	req := karolina()
	spec, err := Spec(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(spec.Warnings, "\n"); !strings.Contains(text, "vllm.sif: there is no such file") || !strings.Contains(text, "hpcbench prepare --site karolina --model Qwen/Qwen3-Coder-30B-A3B-Instruct") {
		t.Errorf("warnings: %v", spec.Warnings)
	}
	req.Here = true
	if _, err := Spec(t.Context(), req); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Errorf("got %v", err)
	}
}

func TestModelFromTheCacheIsPinned(t *testing.T) {
	home := t.TempDir()
	repo := filepath.Join(home, "hub", "models--Qwen--Qwen3-4B-Instruct-2507")
	snapshotDir := filepath.Join(repo, "snapshots", "cdbee75f17c01a7cc42f958dc650907174af0554")
	if err := os.MkdirAll(snapshotDir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(repo, "refs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(repo, "refs", "main"):       "cdbee75f17c01a7cc42f958dc650907174af0554\n",
		filepath.Join(snapshotDir, "config.json"): "{}",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path, revision, err := Snapshot(home, "Qwen/Qwen3-4B-Instruct-2507", "")
	if err != nil || path != snapshotDir || revision != "cdbee75f17c01a7cc42f958dc650907174af0554" {
		t.Errorf("got %s, %s, %v", path, revision, err)
	}
	if _, _, err := Snapshot(home, "Qwen/Qwen3-4B-Instruct-2507", "deadbeef"); err == nil || !strings.Contains(err.Error(), "deadbeef") {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(filepath.Join(repo, "refs", "main"), []byte("../../../etc"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Snapshot(home, "Qwen/Qwen3-4B-Instruct-2507", ""); err == nil {
		t.Error("a reference that leaves the cache was followed")
	}
}

func TestContextFor(t *testing.T) {
	plan := results.Plan{Prompt: results.PromptPlan{Tokens: 200}, Output: results.OutputPlan{Tokens: 200, Max: 220}}
	if got := contextFor(plan, 262144); got != 8192 {
		t.Errorf("got %d", got)
	}
	plan.Matrix = &results.MatrixPlan{ContextsTokens: []int{0, 131072}}
	if got := contextFor(plan, 262144); got != 262144 {
		t.Errorf("got %d", got)
	}
	if got := contextFor(plan, 32768); got != 32768 {
		t.Errorf("a model's limit: got %d", got)
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{"Qwen3-Coder-30B": "qwen3-coder-30b", "ž/../x y": "x-y", "": "model", "...": "model"} {
		if got := plain(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
