package resolve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hpcbench/results"
	"hpcbench/sites"
)

// chooseModel finds the model and what the server will be given for it.
func (d *draft) chooseModel() {
	if d.site.Engine == sites.Stub && d.req.ServerScript == "" {
		d.stubModel()
		return
	}
	name := d.req.Model
	if name == "" {
		name = d.site.Model
	}
	catalogue, _, err := sites.LoadModels(d.req.Options)
	if err != nil {
		d.fail(err)
		return
	}
	m, err := catalogue.Find(name)
	if err != nil {
		d.fail(err)
		return
	}
	d.model = m
	bytes, exact := m.Weights()
	facts := results.ModelFacts{
		Name: m.ID, Source: m.ID, Revision: d.req.Revision,
		Heads: m.AttentionHeads, KVHeads: m.KVHeads, Layers: m.Layers,
		WeightsBytes: bytes, WeightsExact: exact, DType: m.DType,
		ContextTokens: m.ContextTokens, ParamsBillion: float64(m.Parameters) / 1e9,
	}
	if m.Directory != "" {
		facts.Source = m.Directory
	} else if hub := d.site.Caches["HF_HOME"].Path; hub != "" && d.errs.ErrorOrNil() == nil && d.req.ServerScript == "" {
		// Where a server of the user's own finds its model is that script's business.
		path, revision, err := Snapshot(hub, m.ID, d.req.Revision)
		switch {
		case err == nil:
			facts.Source, facts.Revision = path, revision
		case d.site.Offline:
			d.missing(fmt.Errorf("%w; compute nodes of %s can't download: run `hpcbench prepare --site %s --model %s`", err, d.site.Name, d.site.Name, m.ID))
		default:
			d.warn("%v: the server will download the model", err)
		}
	}
	d.spec.Model = facts
}

// stubModel stands for a model that isn't there; a real name may be given, so
// that a run looks as it would.
func (d *draft) stubModel() {
	name := d.req.Model
	if name == "" {
		name = d.site.Model
	}
	if name == "" {
		name = "stub"
	}
	// A model of the catalogue goes by its whole name here, too, so that the run looks as the real one would.
	if catalogue, _, err := sites.LoadModels(d.req.Options); err == nil {
		if m, err := catalogue.Find(name); err == nil && m.AttentionHeads > 0 && m.Directory == "" {
			name = m.ID
		}
	}
	d.spec.Simulated = true
	d.spec.Model = results.ModelFacts{Name: name, Source: name, ContextTokens: 32768}
}

// ErrNotCached says that a model, or the revision that was asked for, is not in the cache.
var ErrNotCached = errors.New("not in the cache")

// Repository is a model's folder in a Hugging Face cache.
func Repository(home, id string) string {
	return filepath.Join(home, "hub", "models--"+strings.ReplaceAll(id, "/", "--"))
}

// Snapshot finds a model in a Hugging Face cache: the folder of one revision,
// which is what the server gets, so that a moved branch can't change a queued job.
// Where it isn't there, the error wraps ErrNotCached, and pinned is the revision that
// the cache's branch stands at, if it has begun one.
func Snapshot(home, id, revision string) (path, pinned string, err error) {
	repo := Repository(home, id)
	if revision == "" {
		revision = "main"
	}
	pinned = revision
	if b, err := os.ReadFile(filepath.Join(repo, "refs", revision)); err == nil {
		pinned = strings.TrimSpace(string(b))
	}
	if pinned == "" || pinned != filepath.Base(pinned) {
		return "", "", fmt.Errorf("model %s: the cache's refs/%s holds no revision", id, revision)
	}
	path = filepath.Join(repo, "snapshots", pinned)
	if _, err := os.Stat(filepath.Join(path, "config.json")); err != nil {
		return "", pinned, fmt.Errorf("model %s (revision %s): %w %s", id, revision, ErrNotCached, filepath.Join(home, "hub"))
	}
	return path, pinned, nil
}
