package templates

// ScriptData is all that a script is made of. Every string is used as it stands,
// quoted or checked as its comment says; nothing is looked up.
type ScriptData struct {
	// RunName, Site, Model, Plan and Version are for the comment at the top. They may
	// hold anything that prints on one line. Version is hpcbench's, without a time.
	RunName, Site, Model, Plan, Version string
	// Notes are further comment lines, e.g. how the walltime was computed.
	Notes []string

	// Directives are the #SBATCH lines in their order. Empty means that Slurm isn't
	// asked, as on the site "local": then no #SBATCH line is written at all.
	Directives []Directive
	// Requeue says whether Slurm may start the job again by itself.
	Requeue bool
	// SignalBeforeS is how long before the walltime the script gets TERM, 1..65535 s.
	// Slurm may be up to 60 s early. Not used without Directives.
	SignalBeforeS int

	// RunDir and Binary are absolute: Slurm runs a copy of the script from its spool
	// folder, so that the script's own place says nothing.
	RunDir, Binary string
	// Umask is for what the job writes: "077", or "027" for a group that may read.
	Umask string

	// Profile are the absolute paths of shell files that define `module`, tried in
	// order when it is missing. Empty means /etc/profile.
	Profile []string
	// Setup are the site's own shell lines, such as `module load …`, each a whole command
	// of bash. They run before the environment is scrubbed and come from a trusted
	// profile: they are checked, not quoted.
	Setup []string
	// Need are the programs that must be found after Setup.
	Need []string
	// Keep are variables that survive the scrub beside the fixed list (KeptVars and
	// KeptPrefixes), e.g. SINGULARITY_BIND where a module sets it. A trailing * stands for any ending.
	Keep []string
	// Exports are set after the scrub, in order. Names that end like a secret's (KEY,
	// TOKEN, SECRET, PASSWORD) are refused: those never stand in a script.
	Exports []Export

	// Mode says which repeats this script runs.
	Mode Mode
	// Repeats are the indices of the run's repeats, each > 0.
	Repeats []int
	// RepeatFlags are further options of `hpcbench repeat`.
	RepeatFlags []string
	// Container is the runtime's part of the server's command line, up to and with the
	// image; empty without a container. Server is the engine's part. `hpcbench repeat`
	// fills {port}, {nonce} and {socket} in both when it starts the server.
	Container, Server []string
	// Nodes is set when the server spans several nodes.
	Nodes *MultiNode
}

// Directive is one `#SBATCH --flag=value` line, or `#SBATCH --flag` with no value.
// Flag is a long option of sbatch without dashes.
type Directive struct {
	Flag, Value string
}

// Export is one environment variable with the reason for it as a comment.
type Export struct {
	Name, Value, Reason string
	// Expand replaces ${NAME} in Value when the job runs, by nothing where NAME isn't
	// set. Everything else in Value stays literal; $NAME and $(…) do too.
	Expand bool
}

// Mode is how the repeats of a run are spread over jobs.
type Mode string

const (
	// Array runs the one repeat whose index Slurm gives the array element.
	Array Mode = "array"
	// Restart runs all repeats one after the other, each with a server of its own.
	Restart Mode = "restart"
	// Chain runs the repeats named in HPCBENCH_JOB_REPEATS, which the submitter sets for
	// each job of the chain.
	Chain Mode = "chain"
	// Reuse runs all repeats in one call, against one server.
	Reuse Mode = "reuse"
)

// MultiNode starts the server once a node, as the tasks of one srun step. The load
// runs beside the first task.
type MultiNode struct {
	Count       int // nodes, > 1
	CPUsPerTask int // srun doesn't take it from sbatch, so it is said again
	// SrunFlags are further options of srun.
	SrunFlags []string
	// RankArgs are added to the server's command line on every node; {rank} and
	// {master_addr} in them become the task's number and the first node's address.
	RankArgs []string
	// WorkerArgs are added on every node but the first.
	WorkerArgs []string
}
