package vllm

import (
	"strings"
	"testing"
)

func TestCheckParallel(t *testing.T) {
	tests := []struct {
		name string
		in   ParallelConfig
		want string // part of the error; "" = fine
	}{
		{"qwen3-30b on 4", ParallelConfig{Heads: 32, KVHeads: 4, Layers: 48, TP: 4, GPUsPerNode: 8}, ""},
		{"KV heads copied in whole multiples", ParallelConfig{Heads: 32, KVHeads: 4, TP: 8, GPUsPerNode: 8}, ""},
		{"KV heads copied on 32", ParallelConfig{Heads: 64, KVHeads: 4, TP: 32, GPUsPerNode: 0}, ""},
		{"heads don't divide", ParallelConfig{Heads: 32, KVHeads: 8, TP: 3, GPUsPerNode: 8}, "doesn't divide the model's 32 attention heads; 1, 2, 4, 8 do"},
		{"KV heads neither way", ParallelConfig{Heads: 48, KVHeads: 8, TP: 6, GPUsPerNode: 8}, "6 and the model's 8 KV heads: one must be a multiple of the other; 1, 2, 4, 8 fit"},
		{"KV heads not whole", ParallelConfig{Heads: 24, KVHeads: 4, TP: 6, GPUsPerNode: 8}, "one must be a multiple of the other; 1, 2, 4, 8 fit"},
		{"more than a node", ParallelConfig{Heads: 64, KVHeads: 8, TP: 16, GPUsPerNode: 8, Nodes: 2}, "more than the 8 GPUs of a node"},
		{"two nodes", ParallelConfig{Heads: 64, KVHeads: 8, Layers: 60, TP: 8, PP: 2, GPUsPerNode: 8, Nodes: 2}, ""},
		{"product too large", ParallelConfig{TP: 8, PP: 2, GPUsPerNode: 8}, "needs 16 GPUs, 1 node has 8"},
		{"more stages than layers", ParallelConfig{Layers: 2, TP: 1, PP: 4, GPUsPerNode: 8}, "more than the model's 2 layers"},
		{"uneven", ParallelConfig{TP: 1, PP: 3, GPUsPerNode: 8, Nodes: 2}, "evenly over 2 nodes"},
		{"nothing known", ParallelConfig{TP: 7}, ""},
		{"negative", ParallelConfig{TP: -1}, "can't be negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckParallel(tt.in)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestCheckMemory(t *testing.T) {
	const gb = int64(1) << 30
	tests := []struct {
		name            string
		in              MemoryConfig
		refused, warned string
	}{
		{"fits", MemoryConfig{WeightsBytes: 60 * gb, Exact: true, GPUMemoryGiB: 40, TP: 4}, "", ""},
		{"exact weights don't fit", MemoryConfig{WeightsBytes: 60 * gb, Exact: true, GPUMemoryGiB: 40, TP: 1}, "60.0 GiB on each of 1 GPUs, of whose 40 GiB vLLM may use 36.8", ""},
		{"an estimate only warns", MemoryConfig{WeightsBytes: 60 * gb, GPUMemoryGiB: 40, TP: 1}, "", "as estimated"},
		{"no room for a request", MemoryConfig{WeightsBytes: 30 * gb, Exact: true, GPUMemoryGiB: 40, TP: 1, KVBytesPerToken: 1 << 18, MaxModelLen: 131072, KVHeads: 8}, "", "needs 32.0 GiB of KV cache"},
		{"stages share", MemoryConfig{WeightsBytes: 470 * gb, Exact: true, GPUMemoryGiB: 64, TP: 8, PP: 2}, "", ""},
		{"nothing known", MemoryConfig{GPUMemoryGiB: 40}, "", ""},
		{"own utilization", MemoryConfig{WeightsBytes: 30 * gb, Exact: true, GPUMemoryGiB: 40, Utilization: 0.5}, "may use 20.0", ""},
		{"bad utilization", MemoryConfig{WeightsBytes: 30 * gb, GPUMemoryGiB: 40, Utilization: 1.5}, "must be above 0", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fit, err := CheckMemory(tt.in)
			if (tt.refused == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), tt.refused)) {
				t.Errorf("refused: %v, want %q", err, tt.refused)
			}
			if (tt.warned == "") != (fit.Warning == "") || !strings.Contains(fit.Warning, tt.warned) {
				t.Errorf("warned: %q, want %q", fit.Warning, tt.warned)
			}
		})
	}
	// Each of 4 KV heads is kept twice at TP 8, so a GPU holds as much as at TP 4.
	at := func(tp int) float64 {
		fit, err := CheckMemory(MemoryConfig{WeightsBytes: gb, GPUMemoryGiB: 40, TP: tp, KVBytesPerToken: 1 << 16, MaxModelLen: 4096, KVHeads: 4})
		if err != nil {
			t.Fatal(err)
		}
		return fit.KVGiB
	}
	if at(8) != at(4) || at(4) != at(2)/2 {
		t.Errorf("KV a GPU: %v at TP 2, %v at 4, %v at 8", at(2), at(4), at(8))
	}
}
