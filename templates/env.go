package templates

import (
	"regexp"
	"slices"
	"strings"
)

// KeptVars and KeptPrefixes are what every script keeps of the environment that it
// was started with: who and where, what Slurm says about the job, and which GPUs it
// gave. LD_LIBRARY_PATH and LD_PRELOAD are not among them: hpcbench is static and
// containers don't inherit them.
var (
	KeptVars = []string{
		"HOME", "USER", "LOGNAME", "SHELL", "PATH", "PWD", "TMPDIR", "TERM",
		"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
		"HPCBENCH_JOB_REPEATS", "HPCBENCH_JOB_WALLTIME_S",
	}
	KeptPrefixes = []string{"SLURM_", "SLURMD_"}
)

// fixedVars belong to the script or would change how bash reads it.
var fixedVars = []string{
	"LC_ALL", "SLURM_TIME_FORMAT", "PYTHONNOUSERSITE", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV",
	"RUN", "HPCBENCH", "HPCBENCH_JOB_REPEATS", "SERVER", "LAUNCH", "MASTER_ADDR", "REPEATS", "N",
	"HOME", "PWD", "IFS", "ENV", "BASH_ENV", "BASHOPTS", "SHELLOPTS", "UID", "EUID", "PPID", "GROUPS",
	"name", "path", "child", "stopped", "interrupted", "status", "rc", "first_node", "_",
}

// keepLines are the patterns of the scrub's case statement, few to a line.
func (d ScriptData) keepLines() []string {
	own := slices.Clone(d.Keep)
	own = slices.DeleteFunc(own, func(name string) bool {
		prefix, any := strings.CutSuffix(name, "*")
		return any && slices.Contains(KeptPrefixes, prefix) || slices.Contains(KeptVars, name)
	})
	slices.Sort(own)
	own = slices.Compact(own)
	var out []string
	for _, group := range [][]string{KeptVars, own} {
		for part := range slices.Chunk(group, 8) {
			out = append(out, strings.Join(part, " | ")+") ;;")
		}
	}
	prefixes := make([]string, len(KeptPrefixes))
	for i, p := range KeptPrefixes {
		prefixes[i] = p + "*"
	}
	return append(out, strings.Join(prefixes, " | ")+") ;;")
}

// reference is a variable of the job in the value of an Export.
var reference = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// word is the right side of the assignment.
func (e Export) word() (string, error) {
	if !e.Expand {
		return q(e.Value)
	}
	return qAround(e.Value, reference, func(match string) string {
		return strings.TrimSuffix(match, "}") + ":-}"
	})
}
