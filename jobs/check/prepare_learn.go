package check

import (
	"context"
	"fmt"

	"hpcbench/apptainer"
	"hpcbench/engine/vllm"
	"hpcbench/jobs/resolve"
	"hpcbench/sites"
)

// learn finds out the image's digest, and its vLLM's version and flags, once: later
// runs take what is kept beside the caches.
func (p Preparation) learn(ctx context.Context, image string) error {
	if _, known := apptainer.CachedDigest(image, resolve.Digests(p.Site.CacheDir)); !known {
		p.Say("reading the image for its digest, once")
	}
	digest, err := apptainer.Digest(ctx, image, resolve.Digests(p.Site.CacheDir))
	if digest == "" {
		return fmt.Errorf("learn about the image: %w", err)
	}
	if err != nil {
		p.Say("note: %v", err)
	}
	if p.Site.Engine != sites.VLLM {
		p.Say("image digest sha256:%s", digest)
		return nil
	}
	if r, err := vllm.Kept(resolve.Releases(p.Site.CacheDir), digest); err == nil {
		p.Say("image sha256:%.12s has vLLM %s with %d flags", digest, r.Version, len(r.Flags))
		return nil
	}
	p.Say("asking the image's vLLM for its version and flags, once (half a minute and more from a cold file system)")
	line, environ, err := p.container(image, []apptainer.Var{{Name: "VLLM_NO_USAGE_STATS", Value: "1"}}, nil, "vllm")
	if err != nil {
		return err
	}
	r, err := vllm.Learn(ctx, append(append([]string{"env"}, environ...), line...), digest)
	if err != nil {
		return fmt.Errorf("learn about the image: %w; some builds of vLLM only start where there is a GPU: try --as-job", err)
	}
	if err := r.Keep(resolve.Releases(p.Site.CacheDir)); err != nil {
		return err
	}
	p.Say("image sha256:%.12s has vLLM %s with %d flags", digest, r.Version, len(r.Flags))
	return nil
}
