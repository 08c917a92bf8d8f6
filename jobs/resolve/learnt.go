package resolve

import (
	"errors"
	"path/filepath"

	"hpcbench/apptainer"
	"hpcbench/engine/vllm"
	"hpcbench/results"
)

// Digests is the file beside the caches that remembers the digests of images.
func Digests(cacheDir string) string { return filepath.Join(cacheDir, "images", "digests.json") }

// Releases is the folder beside the caches that keeps what was learnt of images.
func Releases(cacheDir string) string { return filepath.Join(cacheDir, "images") }

// Learnt is what `prepare` kept of an image: its digest, and its vLLM's version and
// flags. Nothing is read but two small files, so either may be missing: "" and the
// zero value.
func Learnt(cacheDir, image string) (digest string, release vllm.Release, err error) {
	if cacheDir == "" {
		return "", release, nil
	}
	digest, ok := apptainer.CachedDigest(image, Digests(cacheDir))
	if !ok {
		return "", release, nil
	}
	release, err = vllm.Kept(Releases(cacheDir), digest)
	if errors.Is(err, vllm.ErrNotLearnt) {
		return digest, vllm.Release{}, nil
	}
	return digest, release, err
}

// learnt puts what is known of the image into the spec, and holds the server's
// arguments to the flags that its vLLM has.
func (d *draft) learnt() {
	s := &d.spec.Server
	digest, release, err := Learnt(d.site.CacheDir, s.Image)
	if err != nil {
		d.warn("%v", err)
	}
	s.ImageDigest = digest
	if s.Engine != results.EngineVLLM {
		return
	}
	s.EngineVersion = release.Version
	args := append(append(append([]string{}, s.Command...), s.RankArgs...), s.WorkerArgs...)
	switch err := vllm.CheckFlags(args, release.Flags, release.Version); {
	case err != nil && d.req.Force:
		d.warn("%v (--force)", err)
	case err != nil:
		d.fail(err)
	}
}
