package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hpcbench/apptainer"
	"hpcbench/jobs/resolve"
)

// weights makes sure of the model's files. What was begun is gone on with at the same
// revision, so that a branch that moved meanwhile doesn't mix two.
func (p Preparation) weights(ctx context.Context, image string) error {
	if !p.Named {
		return nil
	}
	if p.Model.Directory != "" {
		problems, _ := Incomplete(p.Model.Directory)
		if len(problems) > 0 {
			return fmt.Errorf("model %s: %w", p.Model.ID, errors.Join(problems...))
		}
		p.Say("model %s is complete", p.Model.ID)
		return nil
	}
	home := p.Site.Caches["HF_HOME"].Path
	if home == "" {
		return errors.New("caches.HF_HOME is not set: the folder of the model weights")
	}
	if p.complete() {
		_, revision, _ := resolve.Snapshot(home, p.Model.ID, p.Revision)
		p.Say("model %s is complete at revision %s; pass --revision for another", p.Model.ID, revision)
		return nil
	}
	revision := p.Revision
	if _, pinned, err := resolve.Snapshot(home, p.Model.ID, p.Revision); pinned != "" && pinned != "main" && (err == nil || errors.Is(err, resolve.ErrNotCached)) {
		revision = pinned
	}
	return p.download(ctx, image, home, revision)
}

// download fetches the files with the image's own client of the hub.
func (p Preparation) download(ctx context.Context, image, home, revision string) error {
	if err := os.MkdirAll(home, 0o755); err != nil {
		return fmt.Errorf("make the folder of weights: %w", err)
	}
	client, err := p.client(ctx, image)
	if err != nil {
		return err
	}
	// Some models bring the same weights again in their makers' own format.
	argv := []string{client, "download", p.Model.ID, "--max-workers", "4", "--exclude", "original/*"}
	at := "the newest revision"
	if revision != "" {
		argv = append(argv, "--revision", revision)
		at = "revision " + revision
	}
	line, environ, err := p.container(image, p.hubEnv(home), []string{home}, argv...)
	if err != nil {
		return err
	}
	p.Say("fetching %s at %s into %s", p.Model.ID, at, home)
	_, said, err := p.run(ctx, line, environ)
	if err != nil {
		return fmt.Errorf("fetch %s: %w: %s%s", p.Model.ID, err, lastLines(said), p.hubRemedy(said))
	}
	path, pinned, err := resolve.Snapshot(home, p.Model.ID, p.Revision)
	if err != nil {
		return fmt.Errorf("fetch %s: %s says that it is done, but: %w", p.Model.ID, client, err)
	}
	problems, m := Incomplete(path)
	if len(problems) > 0 {
		return fmt.Errorf("fetch %s: %s says that it is done, but: %w", p.Model.ID, client, errors.Join(problems...))
	}
	p.Say("model %s is complete at revision %s (%s of weights)", p.Model.ID, pinned, sizeWords(m.WeightBytes))
	return nil
}

// client finds the hub's client in the image. The old one is still installed beside the
// new one in some, and then only says that it is no more.
func (p Preparation) client(ctx context.Context, image string) (string, error) {
	line, environ, err := p.container(image, nil, nil, "sh", "-c", "command -v hf || command -v huggingface-cli")
	if err != nil {
		return "", err
	}
	out, said, err := p.run(ctx, line, environ)
	path := strings.TrimSpace(out)
	if err != nil || path == "" {
		return "", fmt.Errorf("the image has neither hf nor huggingface-cli to fetch weights with (%v %s); fetch them elsewhere and put them into %s", err, lastLines(said), p.Site.Caches["HF_HOME"].Path)
	}
	return filepath.Base(path), nil
}

// hubEnv tells the client where the cache is. The token is left where the user has it:
// in HF_TOKEN, which the container inherits, or in the file of `hf auth login`.
func (p Preparation) hubEnv(home string) []apptainer.Var {
	env := []apptainer.Var{{Name: "HF_HOME", Value: home}, {Name: "HF_HUB_OFFLINE", Value: "0"}, {Name: "HF_HUB_DISABLE_TELEMETRY", Value: "1"}}
	if !p.Progress {
		env = append(env, apptainer.Var{Name: "HF_HUB_DISABLE_PROGRESS_BARS", Value: "1"})
	}
	if p.Getenv("HF_TOKEN") != "" {
		return env
	}
	token := p.Getenv("HF_TOKEN_PATH")
	if token == "" {
		token = filepath.Join(p.Who.Home, ".cache", "huggingface", "token")
	}
	if _, err := os.Stat(token); err == nil {
		env = append(env, apptainer.Var{Name: "HF_TOKEN_PATH", Value: token})
	}
	return env
}

// hubRemedy says what to do about the usual troubles.
func (p Preparation) hubRemedy(said string) string {
	small := strings.ToLower(said)
	switch {
	case strings.Contains(small, "gated") || strings.Contains(small, "401") || strings.Contains(small, "403"):
		return fmt.Sprintf("; accept the licence at https://huggingface.co/%s, and set HF_TOKEN or log in with `hf auth login`", p.Model.ID)
	case strings.Contains(small, "repositorynotfound") || strings.Contains(small, "404") || strings.Contains(small, "revisionnotfound"):
		return "; there is no such model or revision on the hub"
	case strings.Contains(small, "no space left") || strings.Contains(small, "quota exceeded"):
		return "; make room, and run it again: what is there is kept"
	case strings.Contains(small, "name resolution") || strings.Contains(small, "connection") || strings.Contains(small, "unreachable"):
		return "; this node has no way to the hub: run it on a login node"
	}
	return "; run it again to go on where it stopped"
}
