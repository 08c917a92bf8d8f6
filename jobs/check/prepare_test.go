package check

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/apptainer"
	"hpcbench/apptainer/siftest"
	"hpcbench/jobs/resolve"
	"hpcbench/sites"
	"hpcbench/slurm"
)

// hubScript stands for the hub's client in the image: it lays out a model as the real one
// does, in two goes if it is told to break off, and notes how it was called.
const hubScript = `#!/bin/sh
echo "hf $*" >> "$NOTES"
echo "HF_HOME=$HF_HOME offline=$HF_HUB_OFFLINE token=${HF_TOKEN:-none} path=${HF_TOKEN_PATH:-none} nice=$(nice)" >> "$NOTES"
if [ -e "$TROUBLE" ]; then cat "$TROUBLE" >&2; exit 1; fi
revision=abc123
while [ $# -gt 0 ]; do if [ "$1" = --revision ]; then revision=$2; fi; shift; done
repo=$HF_HOME/hub/models--org--m
snap=$repo/snapshots/$revision
mkdir -p "$repo/refs" "$snap"
[ -e "$repo/refs/main" ] || printf %s "$revision" > "$repo/refs/main"
cp "$MODEL"/config.json "$MODEL"/tokenizer.json "$MODEL"/model.safetensors.index.json "$MODEL"/model-00001-of-00002.safetensors "$snap/"
if [ -e "$BREAK" ]; then rm "$BREAK"; echo "Connection broken" >&2; exit 1; fi
cp "$MODEL"/model-00002-of-00002.safetensors "$snap/"
echo "$snap"
`

const vllmScript = `#!/bin/sh
echo "vllm $*" >> "$NOTES"
case $1 in
  --version) echo "WARNING: no GPU" ; echo 0.14.0+rocm ;;
  serve) printf 'usage: vllm serve\n\noptions:\n  --host HOST\n  --port PORT\n  --max-num-seqs N\n' ;;
esac
`

// workshop is a user on a login node with a registry, an image in it, and a hub.
type workshop struct {
	Preparation
	dir   string
	out   bytes.Buffer
	lines []string
}

func newWorkshop(t *testing.T, runtime string) *workshop {
	t.Helper()
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := siftest.BuildDouble(bin, runtime); err != nil {
		t.Fatal(err)
	}
	file("image/hf", hubScript, 0o755)
	file("image/vllm", vllmScript, 0o755)
	// A client that is still installed and only says that it is no more.
	file("image/huggingface-cli", "#!/bin/sh\necho 'huggingface-cli is deprecated and no longer works' >&2\nexit 1\n", 0o755)
	registry := filepath.Join(dir, "registry")
	if err := os.MkdirAll(registry, 0o755); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(registry, "docker___vllm_vllm-openai_v0.14.0.sif")
	if err := siftest.Write(name, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	file("registry/"+filepath.Base(name)+".double.json", fmt.Sprintf(`{"env": {"PATH": "%s/image:/usr/bin:/bin"}}`, dir), 0o644)
	snapshot := cached(t, filepath.Join(dir, "hub"), "org/m", "x")
	for k, v := range map[string]string{
		"HPCBENCH_TEST_REGISTRY": registry, "NOTES": filepath.Join(dir, "notes"), "MODEL": snapshot, "TROUBLE": filepath.Join(dir, "trouble"), "BREAK": filepath.Join(dir, "break"),
		"PATH": bin + ":" + os.Getenv("PATH"), "HF_HUB_OFFLINE": "1", "HF_TOKEN": "", "HOME": filepath.Join(dir, "home"),
	} {
		t.Setenv(k, v)
	}
	s := subject(t, map[string]string{"apptainer": "karolina", "singularity": "lumi"}[runtime])
	s.Named, s.Model = true, sites.Model{ID: "org/m"}
	s.Look, s.Run, s.Who.Home = exec.LookPath, slurm.Exec, filepath.Join(dir, "home")
	w := &workshop{dir: dir}
	w.Preparation = Preparation{Subject: s, ImageFrom: "docker://vllm/vllm-openai:v0.14.0", Out: &w.out, Getenv: os.Getenv,
		Say: func(format string, args ...any) { w.lines = append(w.lines, fmt.Sprintf(format, args...)) }}
	return w
}

func (w *workshop) notes() string {
	b, _ := os.ReadFile(filepath.Join(w.dir, "notes"))
	return string(b)
}

func (w *workshop) said() string { return strings.Join(w.lines, "\n") }

// From nothing to a site that is ready, with either runtime; a second time nothing is done.
func TestPrepareFromNothing(t *testing.T) {
	for _, runtime := range []string{"apptainer", "singularity"} {
		t.Run(runtime, func(t *testing.T) {
			w := newWorkshop(t, runtime)
			if !w.Downloads() {
				t.Error("nothing has to be fetched")
			}
			if err := w.Run(t.Context()); err != nil {
				t.Fatalf("%v\n%s\n%s", err, w.said(), w.out.String())
			}
			if _, err := apptainer.Inspect(w.Site.Image); err != nil {
				t.Error(err)
			}
			notes := w.notes()
			for _, words := range []string{
				"hf download org/m --max-workers 4 --exclude original/*\n", "HF_HOME=" + w.Site.Caches["HF_HOME"].Path, "offline=0", "token=none path=none", "nice=19",
				"vllm --version\n", "vllm serve --help=all\n",
			} {
				if !strings.Contains(notes, words) {
					t.Errorf("%q isn't in the notes\n%s", words, notes)
				}
			}
			digest, learnt, err := resolve.Learnt(w.Site.CacheDir, w.Site.Image)
			if err != nil || len(digest) != 64 || learnt.Version != "0.14.0" || strings.Join(learnt.Flags, " ") != "--host --max-num-seqs --port" {
				t.Errorf("learnt %q, %+v, %v", digest, learnt, err)
			}
			for _, words := range []string{"pulling docker://vllm/vllm-openai:v0.14.0", "complete at revision abc123", "has vLLM 0.14.0 with 3 flags"} {
				if !strings.Contains(w.said(), words) {
					t.Errorf("%q isn't in\n%s", words, w.said())
				}
			}
			fine(t, model(w.Subject))
			fine(t, release(w.Subject))
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.Site.Image), ".pull-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if w.Downloads() {
				t.Error("something is still to be fetched")
			}
			before := w.notes()
			w.lines = nil
			if err := w.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if w.notes() != before {
				t.Errorf("the second time it called\n%s", strings.TrimPrefix(w.notes(), before))
			}
			if !strings.Contains(w.said(), "is complete at revision abc123") {
				t.Errorf("the second time it said\n%s", w.said())
			}
		})
	}
}

// A download that broke off is gone on with at the revision that it began with,
// though the branch may have moved.
func TestPrepareGoesOn(t *testing.T) {
	w := newWorkshop(t, "apptainer")
	write(t, filepath.Join(w.dir, "break"), "")
	err := w.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "Connection broken") || !strings.Contains(err.Error(), "login node") {
		t.Fatalf("got %v", err)
	}
	holds(t, model(w.Subject), Error, "model-00002-of-00002.safetensors")
	if err := w.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, w.said())
	}
	if !strings.Contains(w.notes(), "--revision abc123\n") {
		t.Errorf("it went on with\n%s", w.notes())
	}
	fine(t, model(w.Subject))
	// Another revision is another snapshot.
	w.Revision = "def456"
	if err := w.Run(t.Context()); err != nil || !strings.Contains(w.notes(), "--revision def456\n") {
		t.Errorf("%v\n%s", err, w.notes())
	}
}

func TestPrepareSaysWhatToDo(t *testing.T) {
	w := newWorkshop(t, "apptainer")
	for said, want := range map[string]string{
		"GatedRepoError: 401 Client Error": "accept the licence at https://huggingface.co/org/m",
		"RepositoryNotFoundError: 404":     "no such model or revision",
		"OSError: No space left on device": "make room",
		"something else":                   "run it again",
	} {
		write(t, filepath.Join(w.dir, "trouble"), said+"\n")
		if err := w.Run(t.Context()); err == nil || !strings.Contains(err.Error(), said) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", said, err)
		}
	}
	for said, want := range map[string]string{"unauthorized: authentication required": "registry login", "manifest unknown": "no such image or tag", "signal: killed": "--as-job", "dial tcp: no such host": "login node", "x": ""} {
		if got := pullRemedy(said); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", said, got)
		}
	}
}

// The token is never an argument: it is in the environment, or in the user's own file.
func TestPrepareLeavesTheTokenWhereItIs(t *testing.T) {
	w := newWorkshop(t, "singularity")
	token := filepath.Join(w.dir, "home", ".cache", "huggingface", "token")
	write(t, token, "hf_filetoken")
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.notes(), "token=none path="+token) {
		t.Errorf("notes\n%s", w.notes())
	}
	t.Setenv("HF_TOKEN", "hf_secret")
	w.Revision = "def456"
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.notes(), "token=hf_secret path=none") {
		t.Errorf("notes\n%s", w.notes())
	}
	if strings.Contains(w.said()+w.out.String(), "hf_secret") {
		t.Errorf("the token was printed")
	}
}

func TestPrepareRefuses(t *testing.T) {
	w := newWorkshop(t, "apptainer")
	for name, c := range map[string]struct {
		change func(*Preparation)
		says   string
	}{
		"no address":   {func(p *Preparation) { p.ImageFrom = "" }, "--image-from docker://"},
		"no image":     {func(p *Preparation) { p.ImageFrom, p.Site.Image = "", "" }, "image is not set"},
		"no such":      {func(p *Preparation) { p.ImageFrom = "docker://none/such:1" }, "pull docker://none/such:1"},
		"no runtime":   {func(p *Preparation) { p.Look = func(string) (string, error) { return "", exec.ErrNotFound } }, "apptainer isn't on PATH"},
		"no container": {func(p *Preparation) { p.Site.Runtime.Command = sites.None }, "no client of the model hub"},
	} {
		p := w.Preparation
		c.change(&p)
		if err := p.Run(t.Context()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	write(t, w.Site.Image, "half an image")
	if err := w.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("a file that is no image: %v", err)
	}
	stub := w.Preparation
	stub.Site.Runtime.Command, stub.Site.Engine = sites.None, sites.Stub
	if err := stub.Run(t.Context()); err != nil || !strings.Contains(w.said(), "nothing to prepare") {
		t.Errorf("the stub: %v\n%s", err, w.said())
	}
}

// Without a configured image it goes beside the caches, and the line to write is said.
func TestPrepareNamesTheImage(t *testing.T) {
	w := newWorkshop(t, "apptainer")
	w.Site.Image = ""
	if err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(w.Site.CacheDir, "images", "vllm-openai_v0.14.0.sif")
	if _, err := apptainer.Inspect(want); err != nil || !strings.Contains(w.said(), "write `image: "+want+"` into config.yaml, below sites.karolina") {
		t.Errorf("%v\n%s", err, w.said())
	}
}
