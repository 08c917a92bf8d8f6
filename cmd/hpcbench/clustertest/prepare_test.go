//go:build cluster

package clustertest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/apptainer/siftest"
	"hpcbench/cmd/hpcbench/world"
	"hpcbench/jobs/check"
	"hpcbench/results"
)

// fakeHub stands for the hub's client in the image: it writes a model of one small file.
const fakeHub = `#!/bin/sh
echo "hf $*" >> "%[1]s/notes"
repo=$HF_HOME/hub/models--Qwen--Qwen3-4B-Instruct-2507
snap=$repo/snapshots/0123abcd
mkdir -p "$repo/refs" "$snap"
printf 0123abcd > "$repo/refs/main"
echo '{"num_attention_heads": 32, "num_key_value_heads": 8, "num_hidden_layers": 36, "hidden_size": 2560, "head_dim": 128, "torch_dtype": "bfloat16", "max_position_embeddings": 262144}' > "$snap/config.json"
echo '{}' > "$snap/tokenizer.json"
h='{"w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}'
{ printf '\065\0\0\0\0\0\0\0'; printf %%s "$h"; printf 1234; } > "$snap/model.safetensors"
`

const fakeVLLM = `#!/bin/sh
echo "vllm $*" >> "%[1]s/notes"
case $1 in
  --version) echo 0.14.0 ;;
  serve) printf 'options:\n  --host H\n  --port P\n  --served-model-name N\n  --tensor-parallel-size T\n  --max-model-len L\n' ;;
esac
`

// readyWorld is a user whose site measures with vLLM, with a registry and a hub.
func readyWorld(t *testing.T, site string) *world.World {
	t.Helper()
	w := world.New(t)
	path := filepath.Join(w.Conf, "sites", site+".yaml")
	text := string(must(os.ReadFile(path)))
	text = strings.Replace(text, "engine: stub", "engine: vllm", 1)
	text = strings.Replace(text, "/vllm.sif", "/pulled.sif", 1)
	w.File("config/sites/"+site+".yaml", text)
	w.File("image/hf", fmt.Sprintf(fakeHub, w.Dir))
	w.File("image/vllm", fmt.Sprintf(fakeVLLM, w.Dir))
	for _, name := range []string{"hf", "vllm"} {
		if err := os.Chmod(filepath.Join(w.Dir, "image", name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sif := filepath.Join(w.Dir, "registry", "docker___vllm_vllm-openai_v0.14.0.sif")
	w.File("registry/"+filepath.Base(sif)+".double.json", fmt.Sprintf(`{"env": {"PATH": "%s/image:/usr/bin:/bin"}}`, w.Dir))
	if err := siftest.Write(sif, siftest.Options{ID: "3fa2f9a4-0000-4000-8000-000000000001"}); err != nil {
		t.Fatal(err)
	}
	w.Env = append(w.Env, "HPCBENCH_TEST_REGISTRY="+filepath.Join(w.Dir, "registry"))
	return w
}

// From nothing: doctor names what is missing, prepare brings it, doctor is content, and
// what was learnt is in the next run and holds its flags.
func TestDoctorPrepareRender(t *testing.T) {
	t.Parallel()
	for _, site := range []string{"karolina", "lumi"} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			w := readyWorld(t, site)
			run := []string{"--site", site, "--model", "Qwen3-4B-2507", "--gpus", "1"}
			found, code := doctor(t, w, run...)
			if code != 2 {
				t.Errorf("exit code %d", code)
			}
			holds(t, found, check.Error, "pulled.sif", "prepare --site "+site)
			out := w.Must("prepare", "--site", site, "--model", "Qwen3-4B-2507", "--image-from", "docker://vllm/vllm-openai:v0.14.0")
			for _, words := range []string{"pulling docker://vllm/vllm-openai:v0.14.0", "complete at revision 0123abcd", "has vLLM 0.14.0 with 5 flags"} {
				if !strings.Contains(out, words) {
					t.Errorf("%q isn't in\n%s", words, out)
				}
			}
			found, code = doctor(t, w, run...)
			if code != 0 {
				t.Errorf("exit code %d", code)
			}
			holds(t, found, check.OK, "vLLM 0.14.0 with 5 flags")
			holds(t, found, check.OK, "Qwen/Qwen3-4B-Instruct-2507 at 0123abcd", "complete")
			out, code = w.Hpcbench(append([]string{"submit", "--server-arg=--max-num-seqs", "--server-arg=4"}, run...)...)
			if code != 2 || !strings.Contains(out, "vLLM 0.14.0 doesn't know --max-num-seqs") {
				t.Errorf("exit code %d\n%s", code, out)
			}
			dir := filepath.Join(w.Dir, "runs", "ren")
			w.Must(append([]string{"render", "--out", dir}, run...)...)
			spec := must(results.ReadJSON[results.Spec](w.Run("ren").Spec(), results.FormatSpec))
			if spec.Server.EngineVersion != "0.14.0" || len(spec.Server.ImageDigest) != 64 || spec.Model.Revision != "0123abcd" || !strings.HasSuffix(spec.Model.Source, "snapshots/0123abcd") {
				t.Errorf("run.json has version %q, digest %q, model %+v", spec.Server.EngineVersion, spec.Server.ImageDigest, spec.Model)
			}
			before := must(os.ReadFile(filepath.Join(w.Dir, "notes")))
			w.Must("prepare", "--site", site, "--model", "Qwen3-4B-2507")
			if after := must(os.ReadFile(filepath.Join(w.Dir, "notes"))); string(after) != string(before) {
				t.Errorf("the second time the image was asked:\n%s", after[len(before):])
			}
		})
	}
}

// The same in a job without a GPU, where compute nodes reach the internet; elsewhere it is refused.
func TestPrepareAsJob(t *testing.T) {
	t.Parallel()
	w := readyWorld(t, "lumi")
	// The job's environment is clean, so that the double's registry is named in the site's lines.
	path := filepath.Join(w.Conf, "sites", "lumi.yaml")
	w.File("config/sites/lumi.yaml", string(must(os.ReadFile(path)))+"partition: small-g\nkeep_env: [HOME, USER, PATH, \"SLURM_*\", SINGULARITY_BIND, HPCBENCH_TEST_REGISTRY]\n")
	out := w.Must("prepare", "--site", "lumi", "--model", "Qwen3-4B-2507", "--image-from", "docker://vllm/vllm-openai:v0.14.0", "--as-job")
	for _, words := range []string{"submitted job", "complete at revision 0123abcd", "has vLLM 0.14.0"} {
		if !strings.Contains(out, words) {
			t.Errorf("%q isn't in\n%s", words, out)
		}
	}
	id := strings.Fields(out[strings.Index(out, "submitted job ")+len("submitted job "):])[0]
	w.Until("the accounting has the job", func() bool {
		text, _ := w.Command("sacct", "-n", "-P", "-X", "--format=State,AllocTRES,Partition", "--jobs="+id)
		return strings.HasPrefix(text, "COMPLETED") && strings.Contains(text, "small-g") && !strings.Contains(text, "gpu")
	})
	if left, _ := filepath.Glob(filepath.Join(w.Dir, "runs", ".prepare-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	t.Run("offline", func(t *testing.T) {
		k := readyWorld(t, "karolina")
		out, code := k.Hpcbench("prepare", "--site", "karolina", "--model", "Qwen3-4B-2507", "--image-from", "docker://vllm/vllm-openai:v0.14.0", "--as-job")
		if code != 2 || !strings.Contains(out, "can't reach the internet") {
			t.Errorf("exit code %d\n%s", code, out)
		}
	})
}

// An image whose link moves while the job waits is not measured, and the reason is said.
func TestImageThatMovesWhileTheJobWaits(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	link, second := filepath.Join(w.Dir, "latest.sif"), filepath.Join(w.Dir, "second.sif")
	if err := siftest.Write(second, siftest.Options{ID: "3fa2f9a4-0000-4000-8000-000000000002"}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(w.Dir, "vllm.sif"), link); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(w.Dir, "runs", "mov")
	w.Must("render", "--site", "karolina", "--model", "Qwen3-4B", "--gpus", "1", "--repeats", "1", "--image", link, "--out", dir)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(second, link); err != nil {
		t.Fatal(err)
	}
	if out, code := w.Command("sbatch", filepath.Join(dir, "script.sh")); code != 0 {
		t.Fatal(out)
	}
	w.Until("the repeat has failed", func() bool {
		a := w.Attempts("mov")
		return len(a) == 1 && a[0].State == results.StateFailed
	})
	f := w.Attempts("mov")[0].Failure
	if f == nil || f.Class != "image_moved" || !strings.Contains(f.Words, "latest.sif was") || !strings.Contains(f.Words, "second.sif now") {
		b, _ := json.Marshal(f)
		t.Errorf("the failure is %s", b)
	}
	w.NothingLeft("mov")
}
