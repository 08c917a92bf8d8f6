package sites

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"hpcbench/sites/conf"
)

// validator collects what is wrong with a profile whose types are right.
type validator struct {
	profile  Profile
	origins  *conf.Origins
	problems []error
}

// complain names the place of a key; a key that nobody set has none but the profile's.
func (v *validator) complain(key []string, format string, args ...any) {
	at := v.origins.First(key...)
	if at.Source == "" {
		at.Source = v.profile.Name + ".yaml"
	}
	v.problems = append(v.problems, conf.Problem{Source: at.Source, Line: at.Line, Key: conf.PathString(key), Text: fmt.Sprintf(format, args...)})
}

func keyPath(dotted string) []string { return strings.Split(dotted, ".") }

// word demands one of a few words.
func (v *validator) word(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		v.complain(keyPath(key), "%q must be one of %s", value, strings.Join(allowed, ", "))
	}
}

// atLeast demands a number that is not smaller than low.
func atLeast[N int | float64 | time.Duration](v *validator, key []string, value, low N) {
	if value < low {
		v.complain(key, "%v is too small, %v is the least", value, low)
	}
}

func (v *validator) pathTemplate(key []string, text string) {
	if err := checkPathTemplate(text); err != nil {
		v.complain(key, "%s", err)
	}
}

// validate looks at what the types can't say; every problem is reported.
func validate(p Profile, origins *conf.Origins) error {
	v := &validator{profile: p, origins: origins}
	v.word("scheduler", p.Scheduler, Slurm, Local)
	v.word("engine", p.Engine, VLLM, OpenAI, Stub)
	atLeast(v, keyPath("repeats"), p.Repeats, 1)
	atLeast(v, keyPath("poll_interval"), p.PollInterval, time.Second)
	atLeast(v, keyPath("confirm_cost_above"), p.ConfirmCostAbove, 0)
	v.pathTemplate(keyPath("image"), p.Image)
	v.pathTemplate(keyPath("runs_dir"), p.RunsDir)
	v.pathTemplate(keyPath("cache_dir"), p.CacheDir)
	if strings.Contains(p.CacheDir, "{cache_dir}") {
		v.complain(keyPath("cache_dir"), "stands for itself")
	}
	if strings.Contains(p.RunsDir, "{job}") || strings.Contains(p.RunsDir, "{node}") {
		v.complain(keyPath("runs_dir"), "must be known before there is a job; take {job} and {node} out")
	}
	v.partitions()
	v.account()
	v.hardware()
	v.container()
	v.environment()
	return conf.Join(v.problems...)
}

func (v *validator) partitions() {
	p := v.profile
	if len(p.Partitions) == 0 {
		v.complain(keyPath("partitions"), "a site has at least one")
	} else if p.Partition != "" {
		if _, err := p.FindPartition(p.Partition); err != nil {
			v.complain(keyPath("partition"), "%s", err)
		}
	}
	inSmall := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.Partitions)) {
		q, key := p.Partitions[name], []string{"partitions", name}
		if other, twice := inSmall[strings.ToLower(name)]; twice {
			slip, meant := name, other
			if strings.HasPrefix(v.origins.First(key...).Source, embeddedPrefix) {
				slip, meant = other, name // ours is the right one
			}
			v.complain([]string{"partitions", slip}, "differs from %s by letter case only; was that one meant?", meant)
		}
		inSmall[strings.ToLower(name)] = name
		below := func(leaf string) []string { return append(slices.Clone(key), leaf) }
		atLeast(v, below("max_walltime"), q.MaxWalltime, 0)
		atLeast(v, below("default_walltime"), q.DefaultWalltime, 0)
		atLeast(v, below("max_nodes"), q.MaxNodes, 0)
		atLeast(v, below("max_jobs"), q.MaxJobs, 0)
		atLeast(v, below("max_running"), q.MaxRunning, 0)
		if q.MaxWalltime > 0 && q.DefaultWalltime > q.MaxWalltime {
			v.complain(below("default_walltime"), "%s is more than max_walltime, %s", q.DefaultWalltime, q.MaxWalltime)
		}
		if q.MaxJobs > 0 && q.MaxRunning > q.MaxJobs {
			v.complain(below("max_running"), "%d is more than max_jobs, %d", q.MaxRunning, q.MaxJobs)
		}
	}
}

func (v *validator) account() {
	p := v.profile
	pattern, err := regexp.Compile(p.AccountPattern)
	if err != nil {
		v.complain(keyPath("account_pattern"), "not a regular expression: %s", err)
		return
	}
	if p.AccountPattern != "" && !pattern.MatchString(p.AccountExample) {
		v.complain(keyPath("account_example"), "%q does not match account_pattern, %s", p.AccountExample, p.AccountPattern)
	}
}

func (v *validator) hardware() {
	p := v.profile
	v.word("gpu.vendor", p.GPU.Vendor, AMD, NVIDIA, None)
	v.word("gpu.sampler", p.GPU.Sampler, "nvidia-smi", "rocm-smi", "amd-smi", None)
	atLeast(v, keyPath("gpu.per_node"), p.GPU.PerNode, 0)
	atLeast(v, keyPath("gpu.memory_gib"), p.GPU.MemoryGiB, 0)
	if p.GPU.Vendor == AMD || p.GPU.Vendor == NVIDIA {
		atLeast(v, keyPath("gpu.per_node"), p.GPU.PerNode, 1)
		atLeast(v, keyPath("gpu.memory_gib"), p.GPU.MemoryGiB, 1)
		if p.GPU.Kind == "" {
			v.complain(keyPath("gpu.kind"), "a GPU has a name; results are compared by it")
		}
		if p.GPU.Unit == "" {
			v.complain(keyPath("gpu.unit"), "what one GPU is called here, such as GPU or GCD")
		}
	}
	atLeast(v, keyPath("node.cores"), p.Node.Cores, 0)
	atLeast(v, keyPath("node.cores_per_gpu"), p.Node.CoresPerGPU, 0)
	atLeast(v, keyPath("node.memory_gib"), p.Node.MemoryGiB, 0)
	atLeast(v, keyPath("node.memory_gib_per_gpu"), p.Node.MemoryGiBPerGPU, 0)
	if p.Node.Cores > 0 && p.Node.CoresPerGPU*p.GPU.PerNode > p.Node.Cores {
		v.complain(keyPath("node.cores_per_gpu"), "%d for each of %d GPUs is more than the node's %d", p.Node.CoresPerGPU, p.GPU.PerNode, p.Node.Cores)
	}
	if p.Node.MemoryGiB > 0 && p.Node.MemoryGiBPerGPU*float64(p.GPU.PerNode) > p.Node.MemoryGiB {
		v.complain(keyPath("node.memory_gib_per_gpu"), "%g for each of %d GPUs is more than the node's %g", p.Node.MemoryGiBPerGPU, p.GPU.PerNode, p.Node.MemoryGiB)
	}
	atLeast(v, keyPath("cost.per_node_hour"), p.Cost.PerNodeHour, 0)
	atLeast(v, keyPath("cost.cores_per_gpu"), p.Cost.CoresPerGPU, 0)
	atLeast(v, keyPath("cost.memory_gib_per_gpu"), p.Cost.MemoryGiBPerGPU, 0)
	if p.Cost.PerNodeHour > 0 && p.Cost.Unit == "" {
		v.complain(keyPath("cost.unit"), "what is charged, such as node-hours")
	}
	if p.Scheduler != Slurm {
		return
	}
	v.word("request.gpu_flag", p.Request.GPUFlag, GPUsPerNode, GPUs)
	v.word("request.cpu_flag", p.Request.CPUFlag, CPUsPerTask, None)
	v.word("request.memory_flag", p.Request.MemoryFlag, Mem, None)
	if p.Request.CPUFlag == CPUsPerTask {
		atLeast(v, keyPath("node.cores_per_gpu"), p.Node.CoresPerGPU, 1)
	}
	if p.Request.MemoryFlag == Mem {
		atLeast(v, keyPath("node.memory_gib_per_gpu"), p.Node.MemoryGiBPerGPU, 1)
	}
}

func (v *validator) container() {
	p := v.profile
	v.word("runtime.command", p.Runtime.Command, Apptainer, Singularity, None)
	v.word("runtime.gpu_option", p.Runtime.GPUOption, "nv", "rocm", None)
	for i, line := range p.Setup {
		if strings.TrimSpace(line) == "" || strings.ContainsAny(line, "\n\x00") {
			v.complain(keyPath("setup"), "line %d is empty or has a line break: one shell line each", i+1)
		}
	}
	for _, host := range slices.Sorted(maps.Keys(p.Binds)) {
		key := []string{"binds", host}
		for _, side := range []string{host, p.Binds[host].Target} {
			v.pathTemplate(key, side)
			if side != "" && !path.IsAbs(side) && !strings.HasPrefix(side, "{") {
				v.complain(key, "%q is not an absolute path", side)
			}
		}
	}
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (v *validator) environment() {
	p := v.profile
	for _, name := range slices.Sorted(maps.Keys(p.Environment)) {
		e, key := p.Environment[name], []string{"environment", name}
		if e.Skip {
			continue
		}
		v.variable(key, name, e.Reason)
		if err := checkTemplate(e.Value); err != nil {
			v.complain(key, "%s", err)
		}
		if e.Where != Host && e.Where != Container {
			v.complain(key, "where must be host or container")
		}
		if e.From != "" && (e.Value != "" || !variableName.MatchString(e.From)) {
			v.complain(key, "has either a value or from, the name of another variable")
		}
		if _, twice := p.Caches[name]; twice {
			v.complain(key, "is a cache, too; keep one")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Caches)) {
		c, key := p.Caches[name], []string{"caches", name}
		if c.Skip {
			continue
		}
		v.variable(key, name, c.Reason)
		v.pathTemplate(key, c.Path)
		if c.Path == "" {
			v.complain(key, "has no path")
		}
		switch inJob := strings.Contains(c.Path, "{job}"); {
		case c.Per != PerSite && c.Per != PerJob:
			v.complain(key, "per must be site or job")
		case c.Per == PerJob && !inJob:
			v.complain(key, "one folder a job needs {job} in its path")
		case c.Per == PerSite && inJob:
			v.complain(key, "is one for all jobs, but its path has {job}")
		case c.Per == PerJob && c.ReadOnly:
			v.complain(key, "a folder made for a job can't be read only")
		}
	}
	for _, name := range p.KeepEnv {
		if !variableName.MatchString(strings.TrimSuffix(name, "*")) {
			v.complain(keyPath("keep_env"), "%q is not the name of a variable; a * may stand at the end", name)
		}
	}
}

// variable checks what all environment entries share.
func (v *validator) variable(key []string, name, reason string) {
	if !variableName.MatchString(name) {
		v.complain(key, "not the name of a variable")
	}
	if strings.HasPrefix(name, EnvPrefix) {
		v.complain(key, "names beginning with %s are the program's own", EnvPrefix)
	}
	if reason == "" {
		v.complain(key, "has no reason; say why the site needs it")
	}
}
