package check

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hpcbench/apptainer"
	"hpcbench/apptainer/siftest"
	"hpcbench/engine/vllm"
	"hpcbench/jobs/resolve"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/slurm"
)

func TestFolders(t *testing.T) {
	s := subject(t, "local")
	found := folders(s)
	holds(t, found, OK, "runs_dir", "can be made")
	holds(t, found, Warning, "caches.HF_HOME", "isn't there yet", "prepare")
	dir := filepath.Dir(s.Site.RunsDir)
	write(t, s.Site.RunsDir, "a file")
	holds(t, folders(s), Error, "runs_dir", "is no folder")
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	s.Site.RunsDir = filepath.Join(open, "runs")
	holds(t, folders(s), Error, "everybody may write "+open, "jobs run what lies there")
	if err := os.Chmod(open, 0o777|os.ModeSticky); err != nil { // sticky, as /tmp is: nobody can replace what is ours
		t.Fatal(err)
	}
	holds(t, folders(s), OK, "runs_dir")
	shared := subject(t, "karolina", "runs_dir=/tmp/x/runs", "cache_dir=/dev/shm/x")
	holds(t, folders(shared), Error, "runs_dir /tmp/x/runs", "isn't seen by compute nodes")
	holds(t, folders(shared), Error, "cache_dir /dev/shm/x")
	shared.Who.Home, shared.Site.RunsDir = dir, filepath.Join(dir, "more")
	holds(t, folders(shared), Warning, "lies in the home folder")
}

func TestSpace(t *testing.T) {
	s := subject(t, "local")
	fine(t, space(s)) // one file system, so one finding
	if n := len(space(s)); n != 1 {
		t.Errorf("%d findings for one file system:\n%s", n, listing(space(s)))
	}
	r := &report{name: "space"}
	runs := place{key: "runs_dir", path: "/runs"}
	r.room(s, runs, []room{{bytes: 100 * gib, files: math.MaxInt64, by: "the file system"}, {bytes: 5 * mib, files: 1000, by: "the project's quota"}})
	holds(t, r.found, Error, "the project's quota leaves 5 MiB", "a run may write 64 MiB")
	r = &report{name: "space"}
	r.room(s, runs, []room{{bytes: 100 * gib, files: 12, by: "your quota"}})
	holds(t, r.found, Error, "your quota leaves 12 files")
	r = &report{name: "space"}
	r.room(s, place{key: "cache_dir", path: "/c"}, []room{{bytes: gib, files: math.MaxInt64, by: "your quota"}})
	holds(t, r.found, Warning, "leaves 1.0 GiB", "caches of a job")
	r = &report{name: "space"}
	r.room(s, runs, []room{{bytes: 100 * gib, files: math.MaxInt64, by: "the file system"}, {bytes: 20 * gib, files: 9999, by: "your quota"}})
	holds(t, r.found, OK, "20 GiB, 9999 files left by your quota")

	s.Spec = &results.Spec{Repeats: 5, Plan: results.Plan{Kind: results.KindRate, RatesPerS: []float64{100}, DurationS: 600}}
	if bytes, files := need(s); bytes < 5*100*600*1000 || files < 150 {
		t.Errorf("a run of 300,000 requests needs %d bytes in %d files", bytes, files)
	}
}

func TestQuota(t *testing.T) {
	for name, c := range map[string]struct {
		out          string
		bytes, files int64
	}{
		"one line":  {"     /scratch  1048576  0 2097152       -    1000     0    5000       -\n", gib, 4000},
		"long path": {"/scratch/project_465000001/some/long/path\n          2097152* 2097152  3145728 6d23h 7* 5 9 none\n", 0, 0},
		"no limits": {"/scratch 12 0 0 - 3 0 0 -\n", math.MaxInt64, math.MaxInt64},
		"inexact":   {"/scratch [1024] 0 [2048] - [1] 0 [3] -\n", mib, 2},
		"soft":      {"/scratch 1024 3072 4096 - 1 0 0 -\n", 2 * mib, math.MaxInt64},
		"servers":   {"/scratch 1024 0 2048 - 1 0 4 -\nscratch-MDT0000_UUID\n  4 - 0 - 1 - 0 -\n", mib, 3},
	} {
		left, err := parseQuota(c.out)
		if err != nil || left.bytes != c.bytes || left.files != c.files {
			t.Errorf("%s: %+v, %v", name, left, err)
		}
	}
	for _, bad := range []string{"", "lfs: no quota", "/scratch 1 2", "/scratch a b c d e f g h"} {
		if left, err := parseQuota(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, left)
		}
	}
	for in, want := range map[string]string{"465000001 P /scratch/x\n": "465000001", "    0 - /scratch\n": "0", "": "", "x y": ""} {
		if got := parseProject(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestLustreIsAsked(t *testing.T) {
	s := subject(t, "lumi")
	var calls []string
	s.Run = func(_ context.Context, cmd slurm.Command) (slurm.Result, error) {
		line := cmd.Name + " " + strings.Join(cmd.Args, " ")
		calls = append(calls, line)
		switch {
		case strings.Contains(line, "project -d"):
			return slurm.Result{Stdout: "4650 P /scratch/x\n"}, nil
		case strings.Contains(line, "-p 4650"):
			return slurm.Result{Stdout: "/scratch 1024 0 2048 - 1 0 4 -\n"}, nil
		case strings.Contains(line, "-g 77"):
			return slurm.Result{Code: 1, Stderr: "permission denied"}, nil
		}
		return slurm.Result{Stdout: "/scratch 1024 0 0 - 1 0 0 -\n"}, nil
	}
	rooms, err := lustreQuotas(s, "/scratch/x", 77)
	if len(rooms) != 2 || rooms[1].by != "the project's quota" || rooms[1].bytes != mib || err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("%+v, %v\n%s", rooms, err, strings.Join(calls, "\n"))
	}
	s.Look = func(string) (string, error) { return "", exec.ErrNotFound }
	if _, err := lustreQuotas(s, "/scratch/x", 77); err == nil || !strings.Contains(err.Error(), "no lfs") {
		t.Errorf("got %v", err)
	}
}

func FuzzQuota(f *testing.F) {
	f.Add("/scratch 1024 0 2048 - 1 0 4 -\n")
	f.Add("/scratch [1024]* 0 2048 6d 1 0 4 none\n")
	f.Fuzz(func(t *testing.T, s string) {
		left, err := parseQuota(s)
		if err == nil && (left.bytes < 0 || left.files < 0) {
			t.Errorf("%q leaves %+v", s, left)
		}
		_ = parseProject(s)
	})
}

func TestImage(t *testing.T) {
	s := subject(t, "karolina")
	holds(t, image(s), Error, "no such file", "prepare --site karolina")
	if err := siftest.Write(s.Site.Image, siftest.Options{Labels: map[string]string{"org.opencontainers.image.version": "v0.14.0\x1b[31m", "other": "x"}, Definition: "Bootstrap: docker\nFrom: vllm/vllm-openai:v0.14.0\n"}); err != nil {
		t.Fatal(err)
	}
	found := image(s)
	fine(t, found)
	holds(t, found, OK, "amd64", "from vllm/vllm-openai:v0.14.0", "org.opencontainers.image.version=v0.14.0 [31m")
	real := s.Site.Image
	s.Site.Image = filepath.Join(filepath.Dir(real), "latest.sif")
	if err := os.Symlink(real, s.Site.Image); err != nil {
		t.Fatal(err)
	}
	holds(t, image(s), Warning, "is a link, now to "+real)
	if err := os.Chmod(real, 0o666); err != nil {
		t.Fatal(err)
	}
	holds(t, image(s), Error, "everybody may write")
	arm := subject(t, "karolina")
	if err := siftest.Write(arm.Site.Image, siftest.Options{Arch: "arm64"}); err != nil {
		t.Fatal(err)
	}
	holds(t, image(arm), Error, "is for arm64, and the nodes are amd64")
	text := subject(t, "karolina")
	write(t, text.Site.Image, "<html>not found</html>")
	holds(t, image(text), Error, "not a SIF image", "error page")
	if found := image(subject(t, "local")); len(found) != 0 {
		t.Errorf("a site without containers:\n%s", listing(found))
	}
}

func TestRelease(t *testing.T) {
	s := subject(t, "karolina")
	if err := siftest.Write(s.Site.Image, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	holds(t, release(s), Warning, "hasn't been asked yet", "prepare --site karolina")
	digest, err := apptainer.Digest(t.Context(), s.Site.Image, resolve.Digests(s.Site.CacheDir))
	if err != nil {
		t.Fatal(err)
	}
	learnt := vllm.Release{Format: vllm.ReleaseFormat, Image: digest, Version: "0.14.0", Flags: []string{"--host", "--port"}, LearntAt: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
	if err := learnt.Keep(resolve.Releases(s.Site.CacheDir)); err != nil {
		t.Fatal(err)
	}
	found := release(s)
	fine(t, found)
	holds(t, found, OK, "vLLM 0.14.0 with 2 flags, asked on 2026-12-01")
	s.Spec = &results.Spec{Server: results.ServerSpec{Command: []string{"vllm", "serve", "m", "--hoost", "x"}}}
	holds(t, release(s), Error, "doesn't know --hoost (the nearest is --host)")
}

func TestRuntimeAndBinds(t *testing.T) {
	s := subject(t, "karolina")
	holds(t, runtimeProgram(s), OK, "/usr/bin/apptainer")
	s.Look = func(string) (string, error) { return "", exec.ErrNotFound }
	holds(t, runtimeProgram(s), Claim, "isn't on PATH here", "ml apptainer")
	s.Site.Setup = nil
	holds(t, runtimeProgram(s), Error, "load its module")
	dir := t.TempDir()
	s.Site.Binds = map[string]sites.Bind{dir: {}, "/no/such": {Optional: true}}
	fine(t, binds(s))
	s.Site.Binds["/none"] = sites.Bind{}
	holds(t, binds(s), Error, "/none isn't here")
}

// shard writes a safetensors file of one tensor of so many bytes.
func shard(t *testing.T, path string, bytes int, cut int) {
	t.Helper()
	header := []byte(`{"w":{"dtype":"U8","shape":[` + strconv.Itoa(bytes) + `],"data_offsets":[0,` + strconv.Itoa(bytes) + `]}}`)
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(append(b, header...), make([]byte, bytes-cut)...)
	write(t, path, string(b))
}

// cached makes a model of two shards in a cache, as the hub's client lays it out.
func cached(t *testing.T, home, id, revision string) (snapshot string) {
	t.Helper()
	repo := resolve.Repository(home, id)
	snapshot = filepath.Join(repo, "snapshots", revision)
	write(t, filepath.Join(repo, "refs", "main"), revision)
	write(t, filepath.Join(snapshot, "config.json"), `{"num_attention_heads": 8, "num_hidden_layers": 2, "hidden_size": 64}`)
	write(t, filepath.Join(snapshot, "tokenizer.json"), "{}")
	write(t, filepath.Join(snapshot, "model.safetensors.index.json"), `{"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}`)
	shard(t, filepath.Join(snapshot, "model-00001-of-00002.safetensors"), 1000, 0)
	shard(t, filepath.Join(snapshot, "model-00002-of-00002.safetensors"), 2000, 0)
	return snapshot
}

func TestModel(t *testing.T) {
	s := subject(t, "karolina")
	s.Named, s.Model = true, sites.Model{ID: "org/m", Gated: true}
	home := s.Site.Caches["HF_HOME"].Path
	holds(t, model(s), Error, "not in the cache", "can't download", "prepare --site karolina --model org/m", "licence")
	online := s
	online.Site.Offline = false
	holds(t, model(online), Warning, "every job would download it first")
	dir := cached(t, home, "org/m", "abc123")
	found := model(s)
	fine(t, found)
	holds(t, found, OK, "org/m at abc123", "complete")

	second := filepath.Join(dir, "model-00002-of-00002.safetensors")
	if err := os.Remove(second); err != nil {
		t.Fatal(err)
	}
	holds(t, model(s), Error, "model-00002-of-00002.safetensors", "prepare")
	shard(t, second, 2000, 10)
	holds(t, model(s), Error, "was the download cut off?")
	shard(t, second, 2000, 0)
	if err := os.Remove(filepath.Join(dir, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	holds(t, model(s), Error, "no tokenizer")
	if err := os.Symlink("../../blobs/none", filepath.Join(dir, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	holds(t, model(s), Error, "tokenizer.json leads nowhere")
	write(t, filepath.Join(resolve.Repository(home, "org/m"), "blobs", "ab.incomplete"), "x")
	holds(t, model(s), Warning, "1 unfinished downloads")

	folder := t.TempDir()
	write(t, filepath.Join(folder, "config.json"), "{}")
	own := s
	own.Model = sites.Model{ID: folder, Directory: folder}
	holds(t, model(own), Error, "no weights")
	holds(t, model(own), Error, "no tokenizer")
	write(t, filepath.Join(folder, "pytorch_model.bin"), "x")
	write(t, filepath.Join(folder, "vocab.json"), "{}")
	fine(t, model(own))
}

func TestHere(t *testing.T) {
	s := subject(t, "local")
	said := "5.2.15(1)-release\n"
	s.Run = func(context.Context, slurm.Command) (slurm.Result, error) { return slurm.Result{Stdout: said}, nil }
	fine(t, here(s))
	said = "3.2.57(1)-release\n"
	holds(t, here(s), Error, "3.2.57", "needs 4.4")
	said = "4.4.19(1)-release\n"
	fine(t, here(s))
	s.Look = func(string) (string, error) { return "", exec.ErrNotFound }
	holds(t, here(s), Error, "no bash")
	holds(t, simulated(s), Warning, "simulated")
}
