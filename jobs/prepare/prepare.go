package prepare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"hpcbench/apptainer"
	"hpcbench/engine/vllm"
	"hpcbench/jobs/resolve"
	"hpcbench/sites"
)

// Request says what is wanted; what is empty is left alone.
type Request struct {
	Site sites.Profile // with its templates filled in
	// ImageFrom is where the image is pulled from, such as docker://vllm/vllm-openai:v0.14.0, if it isn't there.
	ImageFrom string
	Model     string // org/name on the hub
	Revision  string // "" = what main is now
	Say       func(format string, args ...any)
	Output    io.Writer // of the tools
}

// Run does what is asked for, in the order in which one needs the other.
func (r Request) Run(ctx context.Context) error {
	runtime, err := apptainer.ParseRuntime(r.Site.Runtime.Command)
	if err != nil {
		return fmt.Errorf("site %s: %w; there is nothing to prepare without a container", r.Site.Name, err)
	}
	for _, dir := range []string{r.Site.CacheDir, filepath.Join(r.Site.CacheDir, "pull"), filepath.Join(r.Site.CacheDir, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the cache folder: %w", err)
		}
	}
	if err := r.image(ctx, runtime); err != nil {
		return err
	}
	if err := r.learn(ctx, runtime); err != nil {
		return err
	}
	if r.Model == "" {
		return nil
	}
	return r.weights(ctx, runtime)
}

// image pulls the image where it isn't there. The tool writes beside it and the
// name is given at the end, so that a torn pull is never taken for an image.
func (r Request) image(ctx context.Context, runtime apptainer.Runtime) error {
	path := r.Site.Image
	if path == "" {
		return errors.New("no image: set `image` to the path that it is to have")
	}
	if _, err := apptainer.Inspect(path); err == nil {
		r.Say("image %s is there", path)
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("image: %w; move it away to have it pulled anew", err)
	}
	if r.ImageFrom == "" {
		return fmt.Errorf("image %s isn't there; say where it comes from: --image-from docker://…", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return fmt.Errorf("make the image's folder: %w", err)
	}
	part := filepath.Join(filepath.Dir(path), ".pull-"+filepath.Base(path))
	r.Say("pulling %s", r.ImageFrom)
	env := append(os.Environ(),
		strings.ToUpper(string(runtime))+"_CACHEDIR="+filepath.Join(r.Site.CacheDir, "pull"),
		strings.ToUpper(string(runtime))+"_TMPDIR="+filepath.Join(r.Site.CacheDir, "tmp"))
	if err := r.tool(ctx, env, string(runtime), "pull", "--force", part, r.ImageFrom); err != nil {
		return fmt.Errorf("pull %s: %w", r.ImageFrom, err)
	}
	info, err := apptainer.Inspect(part)
	if err != nil {
		return fmt.Errorf("what was pulled from %s: %w", r.ImageFrom, err)
	}
	if err := info.CheckArch("amd64"); err != nil {
		return fmt.Errorf("what was pulled from %s: %w", r.ImageFrom, err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("give the image its name: %w", err)
	}
	r.Say("image %s is there", path)
	return nil
}

// learn asks the image once for its engine's version and flags, and hashes it.
func (r Request) learn(ctx context.Context, runtime apptainer.Runtime) error {
	if r.Site.Engine != sites.VLLM {
		return nil
	}
	path, err := apptainer.Resolve(r.Site.Image)
	if err != nil {
		return fmt.Errorf("image: %w", err)
	}
	if _, known, err := resolve.Learnt(r.Site.CacheDir, path); err == nil && known.Version != "" {
		r.Say("the image holds vLLM %s, as was learnt before", known.Version)
		return nil
	}
	r.Say("hashing the image, and asking its vLLM for version and flags (a minute or so)")
	digest, err := apptainer.Digest(ctx, path, resolve.Digests(r.Site.CacheDir))
	if err != nil {
		return err
	}
	head, err := apptainer.Command{Runtime: runtime, Image: path, Argv: []string{"vllm"}}.CommandLine()
	if err != nil {
		return err
	}
	release, err := vllm.Learn(ctx, head, digest)
	if err != nil {
		return fmt.Errorf("learn what is in the image: %w", err)
	}
	if err := release.Keep(resolve.Releases(r.Site.CacheDir)); err != nil {
		return err
	}
	r.Say("the image holds vLLM %s with %d flags, sha256 %.12s…", release.Version, len(release.Flags), digest)
	return nil
}

// weights has the image's own hub client fetch the model into the site's cache.
func (r Request) weights(ctx context.Context, runtime apptainer.Runtime) error {
	home := r.Site.Caches["HF_HOME"].Path
	if home == "" {
		return fmt.Errorf("site %s names no cache HF_HOME for weights", r.Site.Name)
	}
	if err := os.MkdirAll(home, 0o750); err != nil {
		return fmt.Errorf("make the cache of weights: %w", err)
	}
	client, err := r.client(ctx, runtime)
	if err != nil {
		return err
	}
	argv := []string{client, "download", r.Model}
	if r.Revision != "" {
		argv = append(argv, "--revision", r.Revision)
	}
	command := apptainer.Command{
		Runtime: runtime, Image: r.Site.Image, Binds: []apptainer.Bind{{Source: home}}, Argv: argv,
		Env: []apptainer.Var{{Name: "HF_HOME", Value: home}, {Name: "HF_HUB_DISABLE_TELEMETRY", Value: "1"}},
	}
	line, err := command.CommandLine()
	if err != nil {
		return err
	}
	vars, err := command.Environ()
	if err != nil {
		return err
	}
	env := online(os.Environ())
	for _, v := range vars {
		env = append(env, v.Name+"="+v.Value)
	}
	r.Say("fetching %s into %s", r.Model, home)
	if err := r.tool(ctx, env, line[0], line[1:]...); err != nil {
		return fmt.Errorf("fetch %s: %w; run it again to go on where it stopped", r.Model, err)
	}
	path, revision, err := resolve.Snapshot(home, r.Model, r.Revision)
	if err != nil {
		return fmt.Errorf("after the download: %w", err)
	}
	m, err := sites.ReadModelDir(path)
	if err != nil {
		return fmt.Errorf("after the download: %w", err)
	}
	bytes, _ := m.Weights()
	r.Say("%s is there, revision %s, %.1f GB of weights", r.Model, revision, float64(bytes)/1e9)
	return nil
}

// client is the hub's program in the image; its name has changed.
func (r Request) client(ctx context.Context, runtime apptainer.Runtime) (string, error) {
	for _, name := range []string{"hf", "huggingface-cli"} {
		line, err := apptainer.Command{Runtime: runtime, Image: r.Site.Image, Argv: []string{"which", name}}.CommandLine()
		if err != nil {
			return "", err
		}
		if exec.CommandContext(ctx, line[0], line[1:]...).Run() == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("image %s has neither hf nor huggingface-cli to fetch weights with", r.Site.Image)
}

// online leaves out what would keep the hub's client from the network.
func online(environ []string) []string {
	var kept []string
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); name != "HF_HUB_OFFLINE" && name != "TRANSFORMERS_OFFLINE" {
			kept = append(kept, kv)
		}
	}
	return kept
}

// tool runs one of the site's programs at low priority; an interruption ends it and
// what it started.
func (r Request) tool(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, "nice", append([]string{"-n", "10", name}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, r.Output, r.Output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
