package vllm

import (
	"bytes"
	"regexp"
	"strings"

	"hpcbench/engine"
)

// Classes of causes.
const (
	ClassGPUMemory    = "gpu_memory"
	ClassGPUBusy      = "gpu_busy"
	ClassKVCache      = "kv_cache_too_small"
	ClassWeights      = "weights_missing"
	ClassNoModel      = "model_not_found"
	ClassArchitecture = "architecture_unsupported"
	ClassPort         = "port_taken"
	ClassNCCL         = "collective_communication"
	ClassDriver       = "driver_mismatch"
	ClassNoGPU        = "no_gpu"
	ClassHostMemory   = "host_memory"
	ClassNUMA         = "numa_binding"
	ClassTP           = "tensor_parallel"
	ClassMaxModelLen  = "max_model_len"
	ClassBlockSize    = "block_size"
	ClassFlag         = "unknown_flag"
	ClassDisk         = "disk_full"
	ClassFiles        = "too_many_files"
	ClassCompile      = "compile"
	ClassDType        = "dtype"
	ClassQuantization = "quantization"
	ClassTrust        = "trust_remote_code"
	ClassGated        = "gated_model"
	ClassInstruction  = "illegal_instruction"
	ClassEngineDied   = "engine_died"
)

// causeRow is one row of the table: the log line that tells, and what it means.
type causeRow struct {
	line  *regexp.Regexp
	cause engine.Cause
}

func row(pattern string, c engine.Cause) causeRow {
	return causeRow{line: regexp.MustCompile(pattern), cause: c}
}

// causes go from the most telling line to the least: the first row that
// matches anywhere wins, because an engine's log ends with what followed from
// the cause and not with the cause.
var causes = []causeRow{
	row(`\[Errno 98\]|[Aa]ddress already in use`, engine.Cause{Class: ClassPort,
		Words: "another process took the server's port first", Remedy: "the start is tried again on another port", Passing: true, NewPort: true}),
	row(`unrecognized arguments:|error: argument |invalid choice:`, engine.Cause{Class: ClassFlag,
		Words: "this vLLM doesn't understand an argument of its command line", Remedy: "correct --server-arg, or take an image whose vLLM has the flag"}),
	row(`Free memory on device .* is less than desired GPU memory utilization`, engine.Cause{Class: ClassGPUBusy,
		Words: "the GPU's memory is still in use by something else", Remedy: "look at its other processes; the start is tried again once the memory is free", Passing: true, OtherNode: true}),
	row(`No available memory for the cache blocks|[Tt]o serve at least one request with the models?'s max seq len|is larger than the (?:maximum number of tokens that can be stored|available KV cache memory)`, engine.Cause{Class: ClassKVCache,
		Words: "the KV cache can't hold one request of the full context", Remedy: "lower --max-model-len, raise --gpu-memory-utilization, or take more GPUs"}),
	row(`(?:CUDA|HIP) out of memory|torch\.(?:cuda\.)?OutOfMemoryError|CUDA_ERROR_OUT_OF_MEMORY|hipErrorOutOfMemory`, engine.Cause{Class: ClassGPUMemory,
		Words: "the GPU's memory is too small for the model and its settings", Remedy: "take more GPUs (--gpus), or lower --max-model-len or --max-num-seqs"}),
	row(`oom-kill|Out of memory: Killed process|oom_kill event|Detected \d+ oom|MemoryError|Cannot allocate memory|DefaultCPUAllocator: can't allocate memory`, engine.Cause{Class: ClassHostMemory,
		Words: "the job's host memory ran out", Remedy: "ask for more memory (on LUMI /tmp counts against it too)"}),
	row(`Not enough allowed NUMA nodes to bind threads`, engine.Cause{Class: ClassNUMA,
		Words: "vLLM's CPU build found fewer NUMA nodes than workers", Remedy: "set VLLM_CPU_OMP_THREADS_BIND, or lower the tensor parallel size"}),
	row(`must be divisible by tensor parallel size|[Tt]otal number of attention heads|num_(?:attention|key_value)_heads.*divisible`, engine.Cause{Class: ClassTP,
		Words: "the model's heads can't be split over so many GPUs", Remedy: "take a tensor parallel size that divides the attention heads (--tp)"}),
	row(`is greater than the derived max_model_len`, engine.Cause{Class: ClassMaxModelLen,
		Words: "the context asked for is longer than the model's own", Remedy: "lower --max-model-len to at most what the model's config.json allows"}),
	row(`No common block size for`, engine.Cause{Class: ClassBlockSize,
		Words: "this attention backend can't use the block size asked for", Remedy: "leave --block-size out, or take a multiple of what the line names"}),
	row(`GatedRepoError|401 Client Error|Access to model .* is restricted`, engine.Cause{Class: ClassGated,
		Words: "the hub gives this model only to those who accepted its licence", Remedy: "accept the licence, and let `hpcbench prepare` fetch the model with your token on a login node"}),
	row(`LocalEntryNotFoundError|OfflineModeIsEnabled|couldn't connect to ['"]https?://|Cannot find the requested files in the (?:local|disk) cache|outgoing traffic has been disabled|Cannot find any model weights|NameResolutionError|Temporary failure in name resolution`, engine.Cause{Class: ClassWeights,
		Words: "files of the model aren't in the cache, and the node can't or mustn't fetch them", Remedy: "run `hpcbench prepare --site S --model M` on a login node"}),
	row(`HFValidationError|Repo id must be|RepositoryNotFoundError|is not a local folder and is not a valid model identifier|No such file or directory: .*config\.json|Invalid repository ID or local directory`, engine.Cause{Class: ClassNoModel,
		Words: "there is no model of this name, or its folder isn't there", Remedy: "check the model's path as the compute node sees it, and that it is bound into the container"}),
	row(`requires you to execute the (?:configuration file|custom code)|trust_remote_code=True`, engine.Cause{Class: ClassTrust,
		Words: "the model brings its own code, which isn't run unasked", Remedy: "read that code, then pass --server-arg --trust-remote-code"}),
	row(`[Mm]odel architectures? .* (?:are|is) not supported|does not recognize this architecture|Cannot find model module`, engine.Cause{Class: ClassArchitecture,
		Words: "this vLLM doesn't know the model's architecture", Remedy: "take an image with a newer vLLM"}),
	row(`[Bb]float16 is only supported on GPUs|torch\.float16 is not supported`, engine.Cause{Class: ClassDType,
		Words: "this GPU can't compute in the model's number format", Remedy: "pass another --server-arg --dtype"}),
	row(`[Uu]nknown quantization method|quantization method .* is not supported|is not supported for the current GPU|[Cc]annot find the config file for`, engine.Cause{Class: ClassQuantization,
		Words: "this vLLM or GPU can't run the model's quantisation", Remedy: "take another variant of the model"}),
	row(`CUDA driver version is insufficient|driver on your system is too old|forward compatibility was attempted|CUDA_ERROR_SYSTEM_DRIVER_MISMATCH|Error 80[34]: |hipErrorInsufficientDriver|nvidia-smi has failed because it couldn't communicate`, engine.Cause{Class: ClassDriver,
		Words: "the node's GPU driver is too old for the image, or not loaded", Remedy: "take an image made for this driver; a single bad node can be left out", Passing: true, OtherNode: true}),
	row(`No CUDA GPUs are available|no ROCm-capable device|No HIP GPUs are available|hipErrorNoDevice|CUDA-capable device\(s\) is/are busy or unavailable|Failed to infer device type`, engine.Cause{Class: ClassNoGPU,
		Words: "the server sees no usable GPU", Remedy: "check the GPUs that the job asked for and that the container was given them (--nv on NVIDIA)", Passing: true, OtherNode: true}),
	row(`ncclSystemError|ncclInternalError|ncclRemoteError|ncclUnhandledCudaError|unhandled (?:system|cuda|hip) error|NCCL error|Watchdog caught collective operation timeout|DistNetworkError|Connection closed by peer|DistBackendError`, engine.Cause{Class: ClassNCCL,
		Words: "the GPUs couldn't talk to each other (NCCL or RCCL)", Remedy: "the start is tried again without this node; set NCCL_DEBUG=INFO to learn more", Passing: true, OtherNode: true}),
	row(`No space left on device|Disk quota exceeded|\[Errno (?:28|122)\]`, engine.Cause{Class: ClassDisk,
		Words: "a disk or quota is full where the server writes", Remedy: "make room, or point its caches elsewhere"}),
	row(`Too many open files|\[Errno 24\]`, engine.Cause{Class: ClassFiles,
		Words: "the server ran into its limit of open files", Remedy: "raise ulimit -n in the site's module lines"}),
	row(`Illegal instruction`, engine.Cause{Class: ClassInstruction,
		Words: "the server's build uses instructions that this processor refuses", Remedy: "take an image built for this processor"}),
	row(`torch\._inductor\.exc\.|InductorError|BackendCompilerFailed|torch\._dynamo\.exc\.`, engine.Cause{Class: ClassCompile,
		Words: "compiling the model failed", Remedy: "empty the compile cache; if it stays, pass --server-arg --enforce-eager and compare only with runs that did"}),
	row(`EngineCore encountered an issue|EngineDeadError|Engine core initialization failed|EngineCore failed to start`, engine.Cause{Class: ClassEngineDied,
		Words: "the engine process died", Remedy: "the server's log has its stack trace above this line"}),
}

// warning lines tell of things that were borne, such as the limit of open
// files at every start, so they are no causes.
var warning = regexp.MustCompile(`(?:^|\s|\))(?:WARNING|INFO|DEBUG) \d\d-\d\d |^INFO: `)

// Classify finds the cause in the end of a server's log. Where no line is
// known the class is engine.ClassUnknown and Line the last line that isn't empty.
func Classify(tail []byte) engine.Cause {
	lines := strings.Split(string(bytes.ToValidUTF8(tail, []byte("\uFFFD"))), "\n")
	for _, c := range causes {
		for _, l := range lines {
			if c.line.MatchString(l) && !warning.MatchString(l) {
				found := c.cause
				found.Line = clean(l)
				return found
			}
		}
	}
	unknown := engine.Cause{Class: engine.ClassUnknown, Words: "the server ended for a reason that isn't known", Remedy: "read its log"}
	for i := len(lines) - 1; i >= 0; i-- {
		if l := clean(lines[i]); l != "" {
			unknown.Line = l
			break
		}
	}
	return unknown
}

var (
	process  = regexp.MustCompile(`^(?:\([A-Za-z0-9_-]+ pid=\d+\) )+`)
	prologue = regexp.MustCompile(`^(?:ERROR|WARNING|INFO|DEBUG) \d\d-\d\d \d\d:\d\d:\d\d (?:\[[^\]]+\] )?`)
)

// clean is a log line without the process and time in front, at most 300 bytes long.
func clean(l string) string {
	l = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' ' // no escape sequences on a user's terminal
		}
		return r
	}, l)
	l = prologue.ReplaceAllString(process.ReplaceAllString(strings.TrimSpace(l), ""), "")
	l = strings.TrimSpace(l)
	if len(l) > 300 {
		l = strings.ToValidUTF8(l[:300], "") + "…"
	}
	return l
}
