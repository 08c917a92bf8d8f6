package vllm

import (
	"errors"
	"fmt"
	"math"
)

// MemoryConfig is what a model's size is checked against.
type MemoryConfig struct {
	WeightsBytes int64 // 0 = not known
	// Exact says that WeightsBytes was read from safetensors files and is what
	// will be loaded: not an estimate, not quantised while loading, not offloaded.
	Exact        bool
	GPUMemoryGiB float64 // of one GPU; 0 = not known
	TP, PP       int
	// Utilization is the share of a GPU's memory that vLLM may take; 0 = DefaultUtilization.
	Utilization float64
	// KVBytesPerToken is over all layers and KV heads; 0 = not known.
	KVBytesPerToken int64
	KVHeads         int
	MaxModelLen     int // tokens that one request may have; 0 = not known
}

// DefaultUtilization is vLLM's --gpu-memory-utilization where none is given. Releases before 0.32 took 0.9.
const DefaultUtilization = 0.92

// Utilization is a release's own --gpu-memory-utilization; a version that isn't known counts as the newest.
func Utilization(version string) float64 {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n == 2 && major == 0 && minor < 32 {
		return 0.9
	}
	return DefaultUtilization
}

const gib = 1 << 30

// MemoryFit is the arithmetic of a fit.
type MemoryFit struct {
	WeightsGiB float64 // on each GPU
	KVGiB      float64 // on each GPU for one request of MaxModelLen; 0 = not known
	UsableGiB  float64 // of each GPU
	// Warning says what may not work; empty = nothing.
	Warning string
}

// CheckMemory compares the weights with the GPUs' memory. It refuses only
// where exact weights alone don't fit; an estimate, or no room for one request
// of full length, is a warning.
func CheckMemory(c MemoryConfig) (MemoryFit, error) {
	if c.WeightsBytes <= 0 || c.GPUMemoryGiB <= 0 {
		return MemoryFit{}, nil
	}
	share := c.Utilization
	if share == 0 {
		share = DefaultUtilization
	}
	if share < 0 || share > 1 || math.IsNaN(share) {
		return MemoryFit{}, fmt.Errorf("GPU memory utilization %v must be above 0 and at most 1", share)
	}
	gpus := max(c.TP, 1) * max(c.PP, 1)
	fit := MemoryFit{WeightsGiB: float64(c.WeightsBytes) / gib / float64(gpus), UsableGiB: c.GPUMemoryGiB * share}
	if c.KVBytesPerToken > 0 && c.MaxModelLen > 0 {
		fit.KVGiB = float64(c.KVBytesPerToken) * float64(c.MaxModelLen) * float64(KVCopies(c.KVHeads, c.TP)) / gib / float64(gpus)
	}
	words := fmt.Sprintf("the weights take %.1f GiB on each of %d GPUs, of whose %.0f GiB vLLM may use %.1f", fit.WeightsGiB, gpus, c.GPUMemoryGiB, fit.UsableGiB)
	switch {
	case fit.WeightsGiB > fit.UsableGiB && c.Exact:
		return fit, errors.New(words + ": they don't fit; take more GPUs, or --force if they are loaded smaller")
	case fit.WeightsGiB > fit.UsableGiB:
		fit.Warning = words + ", as estimated: they may not fit"
	case fit.KVGiB > 0 && fit.WeightsGiB+fit.KVGiB > fit.UsableGiB:
		fit.Warning = fmt.Sprintf("%s, and one request of %d tokens needs %.1f GiB of KV cache more: the server may refuse to start; lower --max-model-len or take more GPUs",
			words, c.MaxModelLen, fit.KVGiB)
	}
	return fit, nil
}
