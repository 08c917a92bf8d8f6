package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hpcbench/apptainer"
)

// pull makes sure of the image and answers its file. It is pulled under another name
// and then renamed, so that half an image is never found; the layers that were fetched
// are kept until it is whole.
func (p Preparation) pull(ctx context.Context) (string, error) {
	target := p.target()
	if target == "" {
		return "", fmt.Errorf("image is not set: pass --image PATH for one that is there, or --image-from docker://… for one to be pulled")
	}
	sif, err := apptainer.Inspect(target)
	switch {
	case err == nil:
		if err := sif.CheckArch(nodeArch); err != nil {
			return "", err
		}
		path, err := apptainer.Resolve(target)
		if err != nil {
			return "", err
		}
		p.Say("image %s is there (%s)", path, sizeWords(sif.SizeBytes))
		return path, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w; remove it, and prepare pulls it anew", err)
	case p.ImageFrom == "":
		return "", fmt.Errorf("image %s isn't there: name where it comes from with --image-from docker://…, or correct `image`", target)
	}
	if err := p.fetch(ctx, target); err != nil {
		return "", err
	}
	if p.Site.Image == "" {
		p.Say("write `image: %s` into config.yaml, below sites.%s", target, p.Site.Name)
	}
	return target, nil
}

// fetch pulls the image with the site's runtime.
func (p Preparation) fetch(ctx context.Context, target string) error {
	runtime, err := apptainer.ParseRuntime(p.Site.Runtime.Command)
	if err != nil {
		return err
	}
	if _, err := p.Look(string(runtime)); err != nil {
		return fmt.Errorf("pull the image: %s isn't on PATH here: load its module (the site's lines are: %s)", runtime, strings.Join(p.Site.Setup, "; "))
	}
	work := filepath.Join(p.Site.CacheDir, "images", "pull")
	layers, tmp := filepath.Join(work, "layers"), filepath.Join(work, "tmp")
	for _, dir := range []string{filepath.Dir(target), layers, tmp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("pull the image: %w", err)
		}
	}
	partial, err := os.MkdirTemp(filepath.Dir(target), ".pull-")
	if err != nil {
		return fmt.Errorf("pull the image: %w", err)
	}
	defer os.RemoveAll(partial)
	file := filepath.Join(partial, filepath.Base(target))
	p.Say("pulling %s into %s; layers that are fetched are kept if it is interrupted", p.ImageFrom, target)
	line := append(p.gently(), string(runtime), "pull", file, p.ImageFrom)
	_, said, err := p.run(ctx, line, []string{runtime.SettingName("CACHEDIR") + "=" + layers, runtime.SettingName("TMPDIR") + "=" + tmp})
	if err != nil {
		return fmt.Errorf("pull %s: %w: %s%s", p.ImageFrom, err, lastLines(said), pullRemedy(said))
	}
	sif, err := apptainer.Inspect(file)
	if err != nil {
		return fmt.Errorf("pull %s: %w", p.ImageFrom, err)
	}
	if err := sif.CheckArch(nodeArch); err != nil {
		return fmt.Errorf("pull %s: %w", p.ImageFrom, err)
	}
	if err := os.Rename(file, target); err != nil {
		return fmt.Errorf("pull the image: %w", err)
	}
	// What comes beside the image, such as a signature file of the site's tools, comes along.
	rest, err := os.ReadDir(partial)
	for _, e := range rest {
		err = errors.Join(err, os.Rename(filepath.Join(partial, e.Name()), filepath.Join(filepath.Dir(target), e.Name())))
	}
	p.Say("image %s is there (%s)", target, sizeWords(sif.SizeBytes))
	return errors.Join(err, os.RemoveAll(work)) // the layers take as much again as the image
}

// pullRemedy says what to do about the usual troubles.
func pullRemedy(said string) string {
	small := strings.ToLower(said)
	switch {
	case strings.Contains(small, "unauthorized") || strings.Contains(small, "denied") || strings.Contains(small, "authentication required"):
		return "; there is no such image, or the registry wants a login (see the runtime's `registry login`)"
	case strings.Contains(small, "manifest unknown") || strings.Contains(small, "not found"):
		return "; there is no such image or tag"
	case strings.Contains(small, "no space left") || strings.Contains(small, "quota exceeded"):
		return "; make room: the layers and the image need three times the image's size for a while"
	case strings.Contains(small, "no such host") || strings.Contains(small, "timeout") || strings.Contains(small, "network is unreachable"):
		return "; this node has no way to the registry: run it on a login node"
	case strings.Contains(small, "killed") || strings.Contains(small, "out of memory"):
		return "; a login node allows too little for it: run it with --as-job, or on a node for such work"
	}
	return ""
}
