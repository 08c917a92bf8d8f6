package vllm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// Release is what was learnt once of the vLLM in an image. Asking it takes ten
// seconds and more, so that the answer is kept by the image's digest.
type Release struct {
	Format   string    `json:"format"` // ReleaseFormat
	Image    string    `json:"image"`  // the key it was kept by
	Version  string    `json:"version"`
	Flags    []string  `json:"flags"` // of vllm serve, sorted
	LearntAt time.Time `json:"learnt_at"`
}

// ReleaseFormat is the format word of the kept file.
const ReleaseFormat = "hpcbench.vllm-release/1"

// ErrNotLearnt says that nothing is kept of an image.
var ErrNotLearnt = errors.New("this image's vLLM hasn't been asked yet")

// versionWord is a version alone on its line, as `vllm --version` prints it below whatever warnings.
var versionWord = regexp.MustCompile(`(?m)^v?(\d+\.\d+[0-9A-Za-z.+-]*)\s*$`)

// Learn asks an image's vLLM for its version and flags. command is everything
// up to and with vllm, such as apptainer exec IMAGE vllm. image is the key.
func Learn(ctx context.Context, command []string, image string) (Release, error) {
	r := Release{Format: ReleaseFormat, Image: image, LearntAt: time.Now().UTC()}
	out, err := ask(ctx, command, "--version")
	if err != nil {
		return r, err
	}
	m := versionWord.FindSubmatch(out)
	if m == nil {
		return r, fmt.Errorf("ask %s --version: there is no version in %.200q", strings.Join(command, " "), out)
	}
	// The part behind + names a build (cpu, rocm), not a release.
	r.Version, _, _ = strings.Cut(string(m[1]), "+")
	if out, err = ask(ctx, command, "serve", "--help=all"); err != nil {
		return r, err
	}
	r.Flags, err = ParseHelp(bytes.NewReader(out))
	return r, err
}

func ask(ctx context.Context, command []string, args ...string) ([]byte, error) {
	if len(command) == 0 {
		return nil, errors.New("ask vLLM: no command given")
	}
	line := append(append([]string{}, command...), args...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	if err != nil {
		words := strings.TrimSpace(stderr.String())
		return nil, fmt.Errorf("ask %s: %w: %s", strings.Join(line, " "), err, clean(words[strings.LastIndexByte(words, '\n')+1:]))
	}
	return out, nil
}

// releaseFile is where an image's release is kept; the key is hashed because it may be a path.
func releaseFile(dir, image string) string {
	sum := sha256.Sum256([]byte(image))
	return filepath.Join(dir, "vllm-"+hex.EncodeToString(sum[:12])+".json")
}

// Keep writes the release into a cache folder, which is made if need be.
func (r Release) Keep(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep what was learnt of vLLM: %w", err)
	}
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("keep what was learnt of vLLM: %w", err)
	}
	if err := renameio.WriteFile(releaseFile(dir, r.Image), append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("keep what was learnt of vLLM: %w", err)
	}
	return nil
}

// Kept reads what was learnt of an image. The error wraps ErrNotLearnt where
// nothing is kept; a file that can't be read as one counts as nothing, since it can be learnt again.
func Kept(dir, image string) (Release, error) {
	path := releaseFile(dir, image)
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return Release{}, fmt.Errorf("%w: %s", ErrNotLearnt, image)
	}
	if err != nil {
		return Release{}, fmt.Errorf("read what was learnt of vLLM: %w", err)
	}
	var r Release
	if json.Unmarshal(b, &r) != nil || r.Format != ReleaseFormat || r.Image != image || len(r.Flags) == 0 {
		return Release{}, fmt.Errorf("%w: %s isn't what was kept of %s", ErrNotLearnt, path, image)
	}
	return r, nil
}
