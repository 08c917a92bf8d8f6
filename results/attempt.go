package results

import "time"

// Attempt states.
const (
	StateStarting    = "starting"
	StateRunning     = "running"
	StateComplete    = "complete"    // every step was run to its end
	StateInterrupted = "interrupted" // a signal; what there was is saved
	StateFailed      = "failed"      // the server or the client; Failure says how
)

// Attempt is attempt.json: who ran, on what, and how it ended. It is written
// when the attempt starts and replaced whole at each change of state.
type Attempt struct {
	Format          string `json:"format"`
	RecordsFormat   string `json:"records_format"`
	TelemetryFormat string `json:"telemetry_format"`

	Run       string `json:"run"`
	Repeat    int    `json:"repeat"`  // 1-based
	Attempt   int    `json:"attempt"` // 0-based
	Simulated bool   `json:"simulated"`
	State     string `json:"state"`
	// Failure is the cause in words where State is failed, or what interrupted it.
	Failure *Failure `json:"failure,omitempty"`
	// Invalid is why nothing that a complete attempt measured can be used, as it was judged on the node. Readers judge
	// anew by the rules of their day; this one is for resume, which runs such a repeat again.
	Invalid string `json:"invalid,omitempty"`

	StartedAt time.Time `json:"started_at"`
	// EpochAt is the instant (UTC) that the _us values of records and samples count from.
	EpochAt time.Time `json:"epoch_at"`
	EndedAt time.Time `json:"ended_at,omitzero"`

	SpecDigest     string `json:"spec_digest"`
	ScriptDigest   string `json:"script_digest,omitempty"`
	BinaryDigest   string `json:"binary_digest,omitempty"`
	ToolVersion    string `json:"tool_version"`
	ScheduleDigest string `json:"schedule_digest,omitempty"` // arrivals and lengths of all steps
	Salt           string `json:"salt,omitempty"`            // what makes this repeat's text its own

	Node   NodeFacts    `json:"node"`
	Slurm  *SlurmFacts  `json:"slurm,omitempty"`
	Server ServerFacts  `json:"server"`
	Clock  ClockFacts   `json:"clock"`
	Marks  []Mark       `json:"marks,omitempty"`
	Starts []StartFacts `json:"starts,omitempty"` // every try to start the server
}

// Failure is a classified cause.
type Failure struct {
	Class   string `json:"class"`
	Words   string `json:"words"`
	Line    string `json:"line,omitempty"` // of the server's log
	Remedy  string `json:"remedy,omitempty"`
	Passing bool   `json:"passing,omitempty"` // may go away by itself
}

// NodeFacts is the node as the attempt found it.
type NodeFacts struct {
	Hostname    string   `json:"hostname"`
	Kernel      string   `json:"kernel,omitempty"`
	CPUModel    string   `json:"cpu_model,omitempty"`
	CPUsAllowed string   `json:"cpus_allowed,omitempty"` // list form of the server's cpuset
	MemoryMiB   int64    `json:"memory_mib,omitempty"`
	LoadAverage string   `json:"load_average,omitempty"`
	GPUs        []GPU    `json:"gpus,omitempty"`
	Driver      string   `json:"driver,omitempty"`
	Runtime     string   `json:"runtime,omitempty"`           // the container runtime's version line
	Foreign     []string `json:"foreign_processes,omitempty"` // on our GPUs before the start
	Notes       []string `json:"notes,omitempty"`             // of the preflight: what didn't stop the start and is worth knowing
}

// GPU is one GPU of the node.
type GPU struct {
	Index       string  `json:"index"`
	ID          string  `json:"id,omitempty"` // uuid or PCI address
	Name        string  `json:"name,omitempty"`
	MemoryGiB   float64 `json:"memory_gib,omitempty"`
	FreeMemGiB  float64 `json:"free_memory_gib,omitempty"` // before the start
	PowerLimitW float64 `json:"power_limit_w,omitempty"`
}

// SlurmFacts is the job as Slurm sees it.
type SlurmFacts struct {
	JobID        string `json:"job_id"`
	ArrayJobID   string `json:"array_job_id,omitempty"`
	ArrayTaskID  string `json:"array_task_id,omitempty"`
	RestartCount int    `json:"restart_count"`
	JobName      string `json:"job_name,omitempty"`
	Account      string `json:"account,omitempty"`
	Partition    string `json:"partition,omitempty"`
	NodeList     string `json:"node_list,omitempty"`
	SacctLine    string `json:"sacct_line,omitempty"` // filled in by collect once it's there
}

// ServerFacts is the server as it states itself.
type ServerFacts struct {
	Engine     string `json:"engine"`
	Version    string `json:"version,omitempty"`
	ServedName string `json:"served_name,omitempty"` // without the nonce
	Root       string `json:"root,omitempty"`        // the model it says it loaded
	// AskedName and AskedRoot are what it was told to serve; "" = not known, then nothing is compared.
	AskedName string `json:"asked_name,omitempty"`
	AskedRoot string `json:"asked_root,omitempty"`
	// TemplateTokens is how many tokens the chat template puts in front of the user's text; 0 = none or not known.
	// Its whole blocks are in the prefix cache without being a leak.
	TemplateTokens int       `json:"template_tokens,omitempty"`
	MaxModelLen    int       `json:"max_model_len,omitempty"`
	Argv           []string  `json:"argv,omitempty"` // as started, {port} and {nonce} as words
	StartS         float64   `json:"start_s,omitempty"`
	StartedAt      time.Time `json:"started_at,omitzero"`
	ImagePath      string    `json:"image_path,omitempty"`
	ImageSize      int64     `json:"image_size_bytes,omitempty"`
	ImageModified  time.Time `json:"image_modified_at,omitzero"`
	ImageID        string    `json:"image_id,omitempty"`
	ImageDigest    string    `json:"image_digest,omitempty"`
	KVTokens       int64     `json:"kv_tokens,omitempty"`
	KVSource       string    `json:"kv_tokens_source,omitempty"`
	ExitWords      string    `json:"exit,omitempty"` // how it ended; its exit code is never a proof
}

// StartFacts is one try to start the server.
type StartFacts struct {
	At      time.Time `json:"at"`
	Port    int       `json:"port,omitempty"`
	TookS   float64   `json:"took_s"`
	Failure *Failure  `json:"failure,omitempty"`
}

// ClockFacts is which clock stamps and why.
type ClockFacts struct {
	Kind   string `json:"kind"` // ClockKernel or ClockProcess
	Reason string `json:"reason,omitempty"`
	StepUs int64  `json:"step_us,omitempty"` // the largest jump seen between wall clock and monotonic clock
}

// Mark is something worth knowing that happened at one instant.
type Mark struct {
	At   int64  `json:"at_us"`
	What string `json:"what"`
}

// Progress is progress.json, for status and the live view; replaced whole every
// second or two and of no use afterwards.
type Progress struct {
	Format    string    `json:"format"`
	Repeat    int       `json:"repeat"`
	Attempt   int       `json:"attempt"`
	UpdatedAt time.Time `json:"updated_at"`
	Phase     string    `json:"phase"` // starting | waiting | warmup | step | drain | stopping | done
	Step      string    `json:"step,omitempty"`
	StepIndex int       `json:"step_index"`
	StepCount int       `json:"step_count"` // 0 = not known beforehand
	LeftS     float64   `json:"left_s"`     // of the plan, as expected

	AskedPerS    float64        `json:"asked_per_s,omitempty"`
	AchievedPerS float64        `json:"achieved_per_s,omitempty"`
	InFlight     int            `json:"in_flight"`
	Sent         int            `json:"sent"`
	Completed    int            `json:"completed"`
	TTFTp50Ms    float64        `json:"ttft_p50_ms,omitempty"` // of the last seconds
	TTFTp95Ms    float64        `json:"ttft_p95_ms,omitempty"`
	TPOTp50Ms    float64        `json:"tpot_p50_ms,omitempty"`
	TPOTp95Ms    float64        `json:"tpot_p95_ms,omitempty"`
	TokensPerS   float64        `json:"tokens_per_s,omitempty"`
	Errors       map[string]int `json:"errors,omitempty"` // by class
}
