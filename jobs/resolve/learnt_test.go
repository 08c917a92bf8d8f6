package resolve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/apptainer"
	"hpcbench/apptainer/siftest"
	"hpcbench/engine/vllm"
	"hpcbench/sites/conf"
)

// learntImage is an image in a folder, with what prepare would keep of it.
func learntImage(t *testing.T, flags ...string) (req Request, digest string) {
	t.Helper()
	dir := t.TempDir()
	image, cache := filepath.Join(dir, "vllm.sif"), filepath.Join(dir, "cache")
	if err := siftest.Write(image, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	digest, err := apptainer.Digest(t.Context(), image, Digests(cache))
	if err != nil {
		t.Fatal(err)
	}
	release := vllm.Release{Format: vllm.ReleaseFormat, Image: digest, Version: "0.14.0", Flags: flags, LearntAt: time.Now()}
	if err := release.Keep(Releases(cache)); err != nil {
		t.Fatal(err)
	}
	req = karolina()
	for key, value := range map[string]string{"image": image, "cache_dir": cache} {
		req.Options.Flags = append(req.Options.Flags, conf.Value{Path: []string{key}, Text: value, Source: "--" + key})
	}
	return req, digest
}

var ourFlags = []string{"--host", "--port", "--served-model-name", "--tensor-parallel-size", "--max-model-len"}

func TestLearntFactsGoIntoTheSpec(t *testing.T) {
	req, digest := learntImage(t, ourFlags...)
	spec, err := Spec(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if spec.Server.ImageDigest != digest || spec.Server.EngineVersion != "0.14.0" {
		t.Errorf("the spec says digest %q, version %q", spec.Server.ImageDigest, spec.Server.EngineVersion)
	}
	// An image that changed since is another one, of which nothing is known.
	if err := os.Chtimes(spec.Server.Image, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if spec, err = Spec(t.Context(), req); err != nil || spec.Server.ImageDigest != "" || spec.Server.EngineVersion != "" {
		t.Errorf("digest %q, version %q, %v", spec.Server.ImageDigest, spec.Server.EngineVersion, err)
	}
}

func TestFlagsThatTheImageDoesNotHaveAreRefused(t *testing.T) {
	req, _ := learntImage(t, append([]string{"--max-num-seqs"}, ourFlags...)...)
	req.ServerArgs = []string{"--max-num-seq", "4"}
	_, err := Spec(t.Context(), req)
	if err == nil || !strings.Contains(err.Error(), "vLLM 0.14.0 doesn't know --max-num-seq (the nearest is --max-num-seqs)") {
		t.Errorf("got %v", err)
	}
	req.Force = true
	spec, err := Spec(t.Context(), req)
	if err != nil || !strings.Contains(strings.Join(spec.Warnings, "\n"), "doesn't know --max-num-seq") {
		t.Errorf("with --force: %v, warnings %v", err, spec.Warnings)
	}
}

func TestGPUsFollowFromTensorParallel(t *testing.T) {
	req := karolina()
	req.GPUs, req.TP = 0, 2
	spec, err := Spec(t.Context(), req)
	if err != nil || spec.Job.GPUs != 2 || spec.Job.Nodes != 1 || spec.Server.PipelineStages != 1 {
		t.Errorf("%d GPUs on %d nodes, %v", spec.Job.GPUs, spec.Job.Nodes, err)
	}
	req.PP = 2
	if spec, err = Spec(t.Context(), req); err != nil || spec.Job.GPUs != 4 {
		t.Errorf("with --pp 2: %d GPUs, %v", spec.Job.GPUs, err)
	}
}
