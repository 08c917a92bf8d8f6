package sites

import "time"

// Schedulers, engines, GPU vendors, container runtimes and the other words that a profile may use.
const (
	Slurm = "slurm"
	Local = "local" // the job's script runs here, as a process

	VLLM   = "vllm"
	Stub   = "stub"   // simulated
	OpenAI = "openai" // a server of the user's own

	AMD    = "amd"
	NVIDIA = "nvidia"
	None   = "none"

	Apptainer   = "apptainer"
	Singularity = "singularity"

	Host      = "host"
	Container = "container"

	PerSite = "site" // one folder for all jobs
	PerJob  = "job"  // one writer: a folder for each job
)

// Settings are the values that belong to the user as much as to the site: a
// configuration file may set them for all sites, a profile for one.
type Settings struct {
	Account     string `yaml:"account"`
	Partition   string `yaml:"partition"`
	QOS         string `yaml:"qos"`
	Reservation string `yaml:"reservation"`
	Image       string `yaml:"image"`     // path of a .sif; a template
	RunsDir     string `yaml:"runs_dir"`  // where run folders are made; a template
	CacheDir    string `yaml:"cache_dir"` // where caches are kept; a template
	// Group is the Unix group that may read run folders when GroupReadable is set.
	Group         string `yaml:"group"`
	GroupReadable bool   `yaml:"group_readable"`
	// PollInterval is the shortest time between two questions to Slurm.
	PollInterval time.Duration `yaml:"poll_interval"`
	// ConfirmCostAbove is in the site's unit; a dearer run is asked about first. 0 = never asked.
	ConfirmCostAbove float64 `yaml:"confirm_cost_above"`
	Model            string  `yaml:"model"`
	Plan             string  `yaml:"plan"`
	Repeats          int     `yaml:"repeats"`
}

// Profile is one machine. Templates may name {account}, {account_lower}, {user},
// {home}, {site}, {cache_dir}, and {job} and {node}, which only the job knows.
type Profile struct {
	Name     string `yaml:"-"` // the file's name without .yaml
	Settings `yaml:",inline"`

	Description string `yaml:"description"`
	Scheduler   string `yaml:"scheduler"` // slurm | local
	Engine      string `yaml:"engine"`    // vllm | openai | stub

	Partitions     map[string]Partition `yaml:"partitions"`
	AccountPattern string               `yaml:"account_pattern"` // regular expression; empty = anything
	AccountExample string               `yaml:"account_example"`

	GPU     GPU     `yaml:"gpu"`
	Node    Node    `yaml:"node"`
	Request Request `yaml:"request"`
	Cost    Cost    `yaml:"cost"`

	Runtime Runtime         `yaml:"runtime"`
	Setup   []string        `yaml:"setup"` // shell lines before the environment is scrubbed
	Binds   map[string]Bind `yaml:"binds"` // by path on the host; a template

	Environment map[string]Variable `yaml:"environment"`
	Caches      map[string]Cache    `yaml:"caches"`   // by the variable that says where
	KeepEnv     []string            `yaml:"keep_env"` // the job's allow-list; a trailing * stands for any ending

	// Offline: compute nodes can't reach the internet, so weights and image are fetched before.
	Offline bool `yaml:"offline"`
	// UnixSocket: the server listens on a socket file instead of a port.
	UnixSocket bool `yaml:"unix_socket"`

	Notes []string `yaml:"notes"`
	// Unconfirmed are statements above that nobody has checked on the machine, for doctor to look at.
	Unconfirmed map[string]string `yaml:"unconfirmed"`
}

// Partition is one queue with its limits; 0 = not known, or none.
type Partition struct {
	Use             string        `yaml:"use"` // what it is for
	MaxWalltime     time.Duration `yaml:"max_walltime"`
	DefaultWalltime time.Duration `yaml:"default_walltime"`
	MaxNodes        int           `yaml:"max_nodes"`   // of one job
	MaxJobs         int           `yaml:"max_jobs"`    // of one user, running and pending; an array element is a job
	MaxRunning      int           `yaml:"max_running"` // of one user
	WholeNode       bool          `yaml:"whole_node"`  // allocated and charged by the node
	// Production: nightlies and baselines may use it. Off for queues that are for tries, or that kill jobs.
	Production bool `yaml:"production"`
	// Requeue: jobs here must be able to run again.
	Requeue bool `yaml:"requeue"`
}

// GPU is the accelerator as Slurm counts it.
type GPU struct {
	Kind      string  `yaml:"kind"`
	Vendor    string  `yaml:"vendor"` // amd | nvidia | none
	Unit      string  `yaml:"unit"`   // the word for one: GPU, GCD
	PerNode   int     `yaml:"per_node"`
	MemoryGiB float64 `yaml:"memory_gib"` // of one
	Gres      string  `yaml:"gres"`       // Slurm's name of the kind; empty = not named in requests
	Sampler   string  `yaml:"sampler"`    // nvidia-smi | rocm-smi | amd-smi | none
}

// Node is a node's host side.
type Node struct {
	Cores           int     `yaml:"cores"` // that jobs may use
	CoresPerGPU     int     `yaml:"cores_per_gpu"`
	MemoryGiB       float64 `yaml:"memory_gib"` // that jobs may use
	MemoryGiBPerGPU float64 `yaml:"memory_gib_per_gpu"`
}

// Ways of asking Slurm.
const (
	GPUsPerNode = "gpus-per-node" // always --gpus-per-node=N
	GPUs        = "gpus"          // --gpus=N on one node; on several --gpus-per-node=N all the same
	CPUsPerTask = "cpus-per-task"
	Mem         = "mem" // --mem, of a node
)

// Request says with which flags GPUs, cores and memory are asked for; none =
// they follow from the GPUs.
type Request struct {
	GPUFlag    string `yaml:"gpu_flag"`    // gpus-per-node | gpus
	CPUFlag    string `yaml:"cpu_flag"`    // cpus-per-task | none
	MemoryFlag string `yaml:"memory_flag"` // mem | none
}

// Runtime is the container program.
type Runtime struct {
	Command   string   `yaml:"command"`    // apptainer | singularity | none
	GPUOption string   `yaml:"gpu_option"` // nv | rocm | none
	Options   []string `yaml:"options"`    // further options of exec
}

// Bind is a path of the host inside the container.
type Bind struct {
	Target   string `yaml:"target"` // empty = the same path
	ReadOnly bool   `yaml:"read_only"`
	Optional bool   `yaml:"optional"` // bound only where it exists
	Skip     bool   `yaml:"skip"`     // drops an entry of a lower layer
}

// Variable is one environment variable with its reason.
type Variable struct {
	Value  string `yaml:"value"` // a template
	From   string `yaml:"from"`  // instead of a value: the variable whose value in the job is taken
	Where  string `yaml:"where"` // host | container
	Reason string `yaml:"reason"`
	Skip   bool   `yaml:"skip"` // drops an entry of a lower layer
}

// Cache is one folder, named by a variable, that is kept out of the home folder.
type Cache struct {
	Path     string `yaml:"path"` // a template
	Per      string `yaml:"per"`  // site | job
	ReadOnly bool   `yaml:"read_only"`
	Reason   string `yaml:"reason"`
	Skip     bool   `yaml:"skip"` // drops an entry of a lower layer
}
