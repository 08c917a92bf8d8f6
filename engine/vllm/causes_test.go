package vllm

import (
	"strings"
	"testing"

	"hpcbench/engine"
)

func TestClassify(t *testing.T) {
	tests := []struct {
		log     string
		class   string
		passing bool
	}{
		// Seen from vLLM 0.32 on a CPU.
		{"OSError: [Errno 98] Address already in use", ClassPort, true},
		{"  Value error, Total number of attention heads (4) must be divisible by tensor parallel size (3). [type=value_error]", ClassTP, false},
		{"  Value error, User-specified max_model_len (100000) is greater than the derived max_model_len (max_position_embeddings=32768.0 or model_max_length=32768", ClassMaxModelLen, false},
		{"huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/no/such/folder'.", ClassNoModel, false},
		{"(EngineCore pid=9) RuntimeError: Not enough allowed NUMA nodes to bind threads of 2 local CPUWorkers. Please try to bind threads manually or decrease DP/TP/PP.\nRuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {'EngineCore': 1}", ClassNUMA, false},
		{"ValueError: No common block size for 16 (CPU_ATTN: [MultipleOf(32)])", ClassBlockSize, false},
		{"Fatal Python error: Illegal instruction", ClassInstruction, false},
		{"vllm: error: unrecognized arguments: --frobnicate", ClassFlag, false},
		{"RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}", ClassEngineDied, false},
		// Known of GPUs.
		{"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB.", ClassGPUMemory, false},
		{"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\nRuntimeError: Engine core initialization failed.", ClassGPUMemory, false},
		{"ValueError: Free memory on device cuda:0 (2.1/39.4 GiB) on startup is less than desired GPU memory utilization (0.92, 36.2 GiB).", ClassGPUBusy, true},
		{"ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.", ClassKVCache, false},
		{"ValueError: To serve at least one request with the models's max seq len (262144), (24.00 GiB KV cache is needed, which is larger than the available KV cache memory (9.60 GiB).", ClassKVCache, false},
		{"huggingface_hub.errors.LocalEntryNotFoundError: Cannot find an appropriate cached snapshot folder for the specified revision on the local disk and outgoing traffic has been disabled.", ClassWeights, false},
		{"OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.", ClassWeights, false},
		{"ValueError: Model architectures ['NewForCausalLM'] are not supported for now.", ClassArchitecture, false},
		{"torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:3690, unhandled system error", ClassNCCL, true},
		{"RuntimeError: NCCL error: unhandled cuda error", ClassNCCL, true},
		{"RuntimeError: The NVIDIA driver on your system is too old (found version 12020).", ClassDriver, true},
		{"RuntimeError: No CUDA GPUs are available", ClassNoGPU, true},
		{"slurmstepd: error: Detected 1 oom_kill event in StepId=12.batch. Some of the step tasks have been OOM Killed.", ClassHostMemory, false},
		{"OSError: [Errno 122] Disk quota exceeded: '/scratch/x'", ClassDisk, false},
		{"Bfloat16 is only supported on GPUs with compute capability of at least 8.0.", ClassDType, false},
		{"torch._inductor.exc.InductorError: RuntimeError: x", ClassCompile, false},
		{"the end\n\n  \n", engine.ClassUnknown, false},
	}
	for _, tt := range tests {
		got := Classify([]byte("INFO 12-01 13:54:25 [model.py:733] Resolved architecture: Qwen3ForCausalLM\n" + tt.log))
		if got.Class != tt.class || got.Passing != tt.passing {
			t.Errorf("%q\nis %s (passing %v), want %s (%v)", tt.log, got.Class, got.Passing, tt.class, tt.passing)
		}
		if got.Words == "" || got.Remedy == "" || got.Line == "" {
			t.Errorf("%q: %+v", tt.log, got)
		}
	}
}

// A good start has lines that look like failures but are warnings.
func TestAGoodStartIsNoCause(t *testing.T) {
	f := open(t, "server-log-start.txt")
	var b strings.Builder
	if _, err := f.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if got := Classify([]byte(b.String())); got.Class != engine.ClassUnknown {
		t.Errorf("%+v", got)
	}
}

func TestLinesAreCleaned(t *testing.T) {
	log := "(EngineCore pid=9) ERROR 12-01 13:54:25 [core.py:1] \x1b[31mtorch.OutOfMemoryError: CUDA out of memory." + strings.Repeat("x", 500)
	got := Classify([]byte(log))
	if !strings.HasPrefix(got.Line, "[31mtorch.OutOfMemoryError: CUDA") || len(got.Line) > 310 || strings.Contains(got.Line, "\x1b") {
		t.Errorf("line %q", got.Line)
	}
}
