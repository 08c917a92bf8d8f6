package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Spec is run.json: one resolved run. Everything that the script, the node and
// collect need stands here; nothing is looked up after it was written.
type Spec struct {
	Format      string    `json:"format"`
	Name        string    `json:"name"`
	CreatedAt   time.Time `json:"created_at"` // UTC
	ToolVersion string    `json:"tool_version"`
	// Simulated marks a run whose engine is a stub; so is every number made from it.
	Simulated bool `json:"simulated"`
	// Imported names the tool and file that the run was read from; "" = measured by hpcbench.
	Imported string `json:"imported,omitempty"`
	// Service is what a URL's service is, in the words of who measured it ("Go rewrite"); "" = not said.
	Service string `json:"service,omitempty"`

	Site   SiteFacts  `json:"site"`
	Model  ModelFacts `json:"model"`
	Server ServerSpec `json:"server"`
	Plan   Plan       `json:"plan"`

	Repeats  int      `json:"repeats"`
	Grouping Grouping `json:"grouping"`
	// Session is set for runs that were submitted together and whose repeats alternate.
	Session *SessionSpec `json:"session,omitempty"`
	Job     JobSpec      `json:"job"`
	Setup   Setup        `json:"setup"`

	// Origins says where a value came from (flag, environment, file:line, profile), by its name on the command line.
	Origins map[string]string `json:"origins,omitempty"`
	// Warnings are what resolve found worth saying though it wasn't wrong.
	Warnings []string `json:"warnings,omitempty"`
}

// Digest is the sha256 of what the run measures: the spec without its name,
// time, session, tool version, origins and warnings. resume refuses another digest.
func (s Spec) Digest() (string, error) {
	s.Name, s.ToolVersion, s.CreatedAt, s.Origins, s.Warnings, s.Session = "", "", time.Time{}, nil, nil, nil
	s.Job.Dir = ""
	b, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("digest the spec: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// Schedulers.
const (
	SchedulerSlurm = "slurm"
	SchedulerLocal = "local" // the same script as a process, for machines without Slurm
)

// SiteFacts is what a comparison must know of the machine.
type SiteFacts struct {
	Name         string  `json:"name"`
	Scheduler    string  `json:"scheduler"`
	GPUKind      string  `json:"gpu_kind,omitempty"` // "NVIDIA A100-SXM4-40GB", "AMD MI250X (GCD)"; "" = none
	GPUVendor    string  `json:"gpu_vendor,omitempty"`
	GPUMemoryGiB float64 `json:"gpu_memory_gib,omitempty"` // of one GPU as Slurm counts them
	GPUsPerNode  int     `json:"gpus_per_node,omitempty"`
	// PollS is the shortest time between two questions to Slurm.
	PollS float64 `json:"poll_s"`
	// GPUSampler is the argv of a long-running sampler of GPU telemetry; empty = none.
	GPUSampler []string `json:"gpu_sampler,omitempty"`
	// ProjectGroup may read the run folder, "" = the owner alone.
	ProjectGroup string   `json:"project_group,omitempty"`
	Cost         CostSpec `json:"cost"`
}

// CostSpec is the site's price of an hour: Unit x max over Terms of amount x PerHour.
type CostSpec struct {
	Unit          string  `json:"unit,omitempty"` // "GPU-hours", "node-hours"; "" = not charged
	Formula       string  `json:"formula,omitempty"`
	PerHour       float64 `json:"per_hour,omitempty"` // of one job of this run
	ExpectedHours float64 `json:"expected_hours,omitempty"`
	WorstHours    float64 `json:"worst_hours,omitempty"` // all jobs to their walltime
}

// ModelFacts is what is known of the model; 0 = not known.
type ModelFacts struct {
	Name          string  `json:"name"`   // the repository's name, such as Qwen/Qwen3-4B-Instruct-2507
	Source        string  `json:"source"` // what the server is given: the name, a folder, or a snapshot's path
	Revision      string  `json:"revision,omitempty"`
	Heads         int     `json:"attention_heads,omitempty"`
	KVHeads       int     `json:"kv_heads,omitempty"`
	Layers        int     `json:"layers,omitempty"`
	WeightsBytes  int64   `json:"weights_bytes,omitempty"`
	WeightsExact  bool    `json:"weights_exact,omitempty"` // read from safetensors, not estimated
	DType         string  `json:"dtype,omitempty"`
	ContextTokens int     `json:"context_tokens,omitempty"`
	ParamsBillion float64 `json:"params_billion,omitempty"`
}

// Engines.
const (
	EngineVLLM   = "vllm"
	EngineOpenAI = "openai" // any server with an OpenAI API
	EngineStub   = "stub"   // ours; everything from it is simulated
	EngineRemote = "remote" // a URL; no server of ours
)

// ServerSpec is the server: its command line in plain sight and how it is
// started, found ready and ended. In Container and Command the words {port},
// {nonce}, {socket} and {master_port} are filled in by `hpcbench repeat`: port, nonce and
// key are made at run time, and the key goes through the environment only.
type ServerSpec struct {
	Engine string `json:"engine"`
	// Container is the runtime's part of the command line, up to and with the image; empty without a container.
	Container []string `json:"container,omitempty"`
	// Command is the engine's part.
	Command []string `json:"command,omitempty"`
	// RankArgs are added on every node of several, WorkerArgs on every one but the first.
	RankArgs   []string `json:"rank_args,omitempty"`
	WorkerArgs []string `json:"worker_args,omitempty"`
	// Runtime is the container program, "" without one.
	Runtime string `json:"runtime,omitempty"`
	// KeyEnv are the variables that carry the key.
	KeyEnv         []string `json:"key_env,omitempty"`
	ServedName     string   `json:"served_name,omitempty"` // without the nonce's suffix
	Image          string   `json:"image,omitempty"`       // resolved path of the .sif
	ImageAsked     string   `json:"image_asked,omitempty"` // as configured, if a link
	ImageSize      int64    `json:"image_size_bytes,omitempty"`
	ImageID        string   `json:"image_id,omitempty"` // the SIF's own
	ImageDigest    string   `json:"image_digest,omitempty"`
	EngineVersion  string   `json:"engine_version,omitempty"` // if learnt before
	TensorParallel int      `json:"tensor_parallel,omitempty"`
	PipelineStages int      `json:"pipeline_parallel,omitempty"`
	MaxModelLen    int      `json:"max_model_len,omitempty"`
	MaxNumSeqs     int      `json:"max_num_seqs,omitempty"`
	// ExpectedStartS goes into the walltime; DeadlineS ends a start that hangs.
	ExpectedStartS float64 `json:"expected_start_s"`
	DeadlineS      float64 `json:"start_deadline_s"`
	GraceS         float64 `json:"stop_grace_s"` // between TERM and KILL
	StartRetries   int     `json:"start_retries"`
	Socket         bool    `json:"unix_socket,omitempty"`
	URL            string  `json:"url,omitempty"` // remote
}

// Repeat modes: four values of one grouping.
const (
	ModeArray   = "array"   // independent jobs
	ModeRestart = "restart" // one job, the server restarted each time
	ModeChain   = "chain"   // jobs linked by afterany
	ModeReuse   = "reuse"   // one job, one server
	ModeRemote  = "remote"  // no job: load against a URL from here
)

// Grouping says which repeats share a job.
type Grouping struct {
	Mode        string  `json:"mode"`
	Jobs        [][]int `json:"jobs,omitempty"` // repeat indices, 1-based
	Chained     bool    `json:"chained,omitempty"`
	FreshServer bool    `json:"fresh_server"`
	// MaxAtOnce is an array's %k, 0 = no limit.
	MaxAtOnce int `json:"max_at_once,omitempty"`
	// Beside is the folder of the run whose repeats alternate with these in the same job, "" = none.
	Beside string `json:"beside,omitempty"`
	Why    string `json:"why"` // the reason for the choice, in words
}

// SessionSpec says with which other runs a run alternates.
type SessionSpec struct {
	Name string   `json:"name"` // the same word in all of them
	Runs []string `json:"runs"` // their names, in their order; the folders lie side by side
	// OneJob says that they share jobs, in which they run by turns, and Share which part of such a job's time is
	// expected to be this run's: what it cost is told by that.
	OneJob bool    `json:"one_job,omitempty"`
	Share  float64 `json:"share,omitempty"`
}

// JobWord is the word in the names of shared jobs, where a run's own have its name.
func (s SessionSpec) JobWord() string { return s.Name + ".session" }

// Shares says of a job's name whether it is a shared one.
func (s SessionSpec) Shares(jobName string) bool {
	return s.OneJob && strings.HasPrefix(jobName, "hpcbench-"+s.JobWord()+"-")
}

// Part is which part of a job's time is this run's, by the job's name.
func (s *SessionSpec) Part(jobName string) float64 {
	if s == nil || !s.Shares(jobName) {
		return 1
	}
	return s.Share
}

// JobSpec is what is asked of Slurm.
type JobSpec struct {
	Dir         string `json:"dir"` // the run folder, absolute
	Account     string `json:"account,omitempty"`
	Partition   string `json:"partition,omitempty"`
	QOS         string `json:"qos,omitempty"`
	Reservation string `json:"reservation,omitempty"`
	Nodes       int    `json:"nodes"`
	GPUs        int    `json:"gpus"` // of the run, over all its nodes
	CPUsPerTask int    `json:"cpus_per_task,omitempty"`
	MemoryMiB   int64  `json:"memory_mib,omitempty"` // of a node; 0 = the partition's share
	Exclusive   bool   `json:"exclusive,omitempty"`
	Requeue     bool   `json:"requeue"`
	// WalltimeS is asked for each job; Arithmetic says how it was made.
	WalltimeS  int      `json:"walltime_s"`
	Arithmetic []string `json:"walltime_arithmetic,omitempty"`
	SignalS    int      `json:"signal_s"` // TERM comes so long before the end
	// Directives are the #SBATCH lines in their order, such as {"--partition", "qgpu"}; an empty value is a bare flag.
	Directives [][2]string `json:"directives,omitempty"`
}

// Setup is what the script does before the repeats, in its order.
type Setup struct {
	// Lines are the site's shell lines, such as its modules; they run before the environment is scrubbed.
	Lines []string `json:"lines,omitempty"`
	// Keep is the allow-list of the environment; a trailing * stands for any ending.
	Keep    []string `json:"keep_env,omitempty"`
	Exports []Export `json:"exports,omitempty"`
	// Need are the programs that must be found after the lines.
	Need []string `json:"need,omitempty"`
	// MakeDirs are exported variables that name a folder which is made before the server starts, 0700; those in
	// JobDirs belong to one job and are removed after its last repeat.
	MakeDirs []string `json:"make_dirs,omitempty"`
	JobDirs  []string `json:"job_dirs,omitempty"`
	Umask    string   `json:"umask"`
}

// Export is one variable with the reason for it.
type Export struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Why   string `json:"why"`
	// Expand lets the shell fill in ${NAME} references of the value, such as ${SLURM_JOB_ID}; else it is quoted.
	Expand bool `json:"expand,omitempty"`
}
