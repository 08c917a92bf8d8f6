package prepare

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/apptainer/siftest"
	"hpcbench/jobs/resolve"
	"hpcbench/sites"
)

// hub is the client as an image has it: it lays a model out as the real one does.
const hub = `#!/bin/bash
set -e
[ "$1" = download ] || { echo "hf: unknown command $1" >&2; exit 2; }
[ -z "$HF_HUB_OFFLINE" ] || { echo "offline" >&2; exit 1; }
repo=$HF_HOME/hub/models--${2//\//--}
mkdir -p "$repo/refs" "$repo/snapshots/abc123"
printf abc123 > "$repo/refs/main"
echo '{"num_attention_heads": 4, "hidden_size": 64, "num_hidden_layers": 2, "torch_dtype": "bfloat16"}' > "$repo/snapshots/abc123/config.json"
echo "fetched $2" >> "$HF_HOME/log"
`

// engine answers as vllm does to the two questions that are put once.
const engine = `#!/bin/bash
case "$*" in
  --version) echo 0.14.0 ;;
  "serve --help=all") echo "usage: vllm serve [options]
  --served-model-name NAME
  --host HOST
  --port PORT
  --max-model-len N
  --tensor-parallel-size N" ;;
  *) echo "vllm: $*" >&2; exit 2 ;;
esac
`

// site is a machine whose registry has one image with both programs in it.
func site(t *testing.T) sites.Profile {
	t.Helper()
	dir := t.TempDir()
	bin, registry := filepath.Join(dir, "bin"), filepath.Join(dir, "registry")
	for _, d := range []string{bin, registry, filepath.Join(dir, "inside")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := siftest.BuildDouble(bin, "apptainer"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"hf": hub, "vllm": engine} {
		if err := os.WriteFile(filepath.Join(dir, "inside", name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := siftest.Write(filepath.Join(registry, "docker___example.org_vllm_v0.14.0.sif"), siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	image := filepath.Join(dir, "images", "vllm.sif")
	if err := os.MkdirAll(filepath.Dir(image), 0o700); err != nil {
		t.Fatal(err)
	}
	inside := fmt.Sprintf(`{"commands": {"hf": %q, "vllm": %q}, "env": {"PATH": %q}}`,
		filepath.Join(dir, "inside", "hf"), filepath.Join(dir, "inside", "vllm"), filepath.Join(dir, "inside")+":/usr/bin:/bin")
	if err := os.WriteFile(image+".double.json", []byte(inside), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("HPCBENCH_TEST_REGISTRY", registry)
	t.Setenv("HF_HUB_OFFLINE", "1") // of the user's shell: it must not keep the client from the network
	return sites.Profile{
		Name: "here", Engine: sites.VLLM, Runtime: sites.Runtime{Command: sites.Apptainer},
		Settings: sites.Settings{Image: image, CacheDir: filepath.Join(dir, "cache")},
		Caches:   map[string]sites.Cache{"HF_HOME": {Path: filepath.Join(dir, "hf")}},
	}
}

func run(t *testing.T, r Request) (said, output string, err error) {
	t.Helper()
	var words, tools bytes.Buffer
	r.Say = func(format string, args ...any) { fmt.Fprintf(&words, format+"\n", args...) }
	r.Output = &tools
	err = r.Run(t.Context())
	return words.String(), tools.String(), err
}

func TestPrepareOnceAndAgain(t *testing.T) {
	s := site(t)
	r := Request{Site: s, ImageFrom: "docker://example.org/vllm:v0.14.0", Model: "acme/tiny"}
	said, output, err := run(t, r)
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, said, output)
	}
	for _, word := range []string{"pulling docker://", "vLLM 0.14.0 with 5 flags", "fetching acme/tiny", "revision abc123"} {
		if !strings.Contains(said, word) {
			t.Errorf("%q isn't in\n%s", word, said)
		}
	}
	digest, release, err := resolve.Learnt(s.CacheDir, s.Image)
	if err != nil || len(digest) != 64 || release.Version != "0.14.0" {
		t.Errorf("learnt %q, %+v, %v", digest, release, err)
	}
	said, _, err = run(t, r)
	if err != nil || strings.Contains(said, "pulling") || !strings.Contains(said, "as was learnt before") {
		t.Errorf("the second time: %v\n%s", err, said)
	}
}

func TestWhatPrepareRefuses(t *testing.T) {
	s := site(t)
	if _, _, err := run(t, Request{Site: s}); err == nil || !strings.Contains(err.Error(), "--image-from") {
		t.Errorf("no source: %v", err)
	}
	if _, out, err := run(t, Request{Site: s, ImageFrom: "docker://example.org/other:1"}); err == nil || !strings.Contains(err.Error(), "pull docker://example.org/other:1") {
		t.Errorf("a missing image: %v\n%s", err, out)
	}
	if _, err := os.Stat(s.Image); !os.IsNotExist(err) {
		t.Errorf("a failed pull left an image: %v", err)
	}
	if err := os.WriteFile(s.Image, []byte("half an image"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(t, Request{Site: s, ImageFrom: "docker://example.org/vllm:v0.14.0"}); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("a broken image: %v", err)
	}
	s.Runtime.Command = sites.None
	if _, _, err := run(t, Request{Site: s}); err == nil {
		t.Error("a site without containers was prepared")
	}
}
