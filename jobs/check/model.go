package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hpcbench/jobs/resolve"
	"hpcbench/sites"
)

// model checks that the model's files are complete where the server will look for them.
func model(s Subject) []Finding {
	r := &report{name: "model"}
	if !s.Named || s.Site.Engine == sites.Stub {
		return nil
	}
	if s.Model.Directory != "" {
		r.files(s.Model.Directory, s.Model.ID, "")
		return r.found
	}
	home := s.Site.Caches["HF_HOME"].Path
	if home == "" {
		return nil // settings says it
	}
	prepare := fmt.Sprintf("run `hpcbench prepare --site %s --model %s`", s.Site.Name, s.Model.ID)
	if s.Model.Gated {
		prepare += "; its licence must be accepted on the hub first"
	}
	path, revision, err := resolve.Snapshot(home, s.Model.ID, s.Revision)
	switch {
	case err != nil && s.Site.Offline:
		r.fail(prepare, "%v, and compute nodes of %s can't download", err, s.Site.Name)
		return r.found
	case err != nil:
		r.warn(prepare, "%v: every job would download it first", err)
		return r.found
	}
	r.files(path, s.Model.ID, revision)
	for i := range r.found {
		if r.found[i].Level == Error {
			r.found[i].Remedy = prepare
		}
	}
	if n := unfinished(resolve.Repository(home, s.Model.ID)); n > 0 {
		r.warn(prepare+", unless one is under way", "%d unfinished downloads lie in the cache of %s", n, s.Model.ID)
	}
	return r.found
}

// files holds a model's folder to its own index: every shard there and as long as
// its header says, a tokenizer, no link into nothing.
func (r *report) files(dir, id, revision string) {
	problems, m := Incomplete(dir)
	for _, p := range problems {
		r.fail("fetch it again", "%s: %v", id, p)
	}
	if len(problems) > 0 {
		return
	}
	words := id
	if revision != "" {
		words += " at " + revision
	}
	if m.WeightBytes > 0 {
		words += ", " + sizeWords(m.WeightBytes) + " of weights, complete"
	}
	r.ok("%s", words)
}

// Incomplete says what is missing of a model's folder, and what its files tell of it.
func Incomplete(dir string) ([]error, sites.Model) {
	m, err := sites.ReadModelDir(dir)
	if err != nil {
		return []error{err}, m
	}
	var problems []error
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []error{err}, m
	}
	weights, tokenizer := m.WeightBytes > 0, false
	for _, e := range entries {
		name := e.Name()
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			problems = append(problems, fmt.Errorf("%s leads nowhere: %w", name, errors.Unwrap(err)))
			continue
		}
		switch filepath.Ext(name) {
		case ".safetensors", ".bin", ".pt", ".pth", ".gguf":
			weights = true
		}
		for _, prefix := range []string{"tokenizer", "tekken", "spiece", "sentencepiece", "vocab"} {
			tokenizer = tokenizer || strings.HasPrefix(name, prefix)
		}
	}
	if !weights {
		problems = append(problems, errors.New("there are no weights in it"))
	}
	if !tokenizer {
		problems = append(problems, errors.New("there is no tokenizer in it"))
	}
	return problems, m
}

// unfinished counts the downloads that the hub's client has begun and not ended.
func unfinished(repository string) int {
	found, err := filepath.Glob(filepath.Join(repository, "blobs", "*.incomplete"))
	if err != nil {
		return 0
	}
	return len(found)
}
