package templates

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// directiveFlags are the long options of sbatch that a run may need, as listed in
// sbatch(1) of Slurm 24.05. An option that isn't here is refused, so that a typing
// error in a profile is found before sbatch finds it, or doesn't.
var directiveFlags = []string{
	"account", "array", "chdir", "cluster-constraint", "clusters", "comment", "constraint", "contiguous",
	"core-spec", "cores-per-socket", "cpu-freq", "cpus-per-gpu", "cpus-per-task", "deadline", "dependency",
	"distribution", "error", "exclude", "exclusive", "export", "extra-node-info", "gpu-bind", "gpu-freq",
	"gpus", "gpus-per-node", "gpus-per-socket", "gpus-per-task", "gres", "gres-flags", "hint", "hold",
	"input", "job-name", "kill-on-invalid-dep", "licenses", "mail-type", "mail-user", "mem", "mem-bind",
	"mem-per-cpu", "mem-per-gpu", "mincpus", "network", "nice", "nodefile", "nodelist", "nodes", "ntasks",
	"ntasks-per-core", "ntasks-per-gpu", "ntasks-per-node", "ntasks-per-socket", "output", "oversubscribe",
	"partition", "power", "priority", "qos", "reservation", "sockets-per-node", "spread-job", "switches",
	"thread-spec", "threads-per-core", "time", "time-min", "tmp", "use-min-nodes", "wait-all-nodes", "wckey",
}

// ownDirectives are written by the script itself, from fields of ScriptData.
var ownDirectives = map[string]string{
	"requeue":    "Requeue",
	"no-requeue": "Requeue",
	"open-mode":  "it is always append, so that a requeued job keeps its log",
	"signal":     "SignalBeforeS",
}

// directiveValue is what may stand after `=`. sbatch splits these lines itself, by
// rules that aren't bash's: a blank, a quote, a backslash or a # would change the
// meaning, so there is none.
var directiveValue = regexp.MustCompile(`^[A-Za-z0-9_./@%:,=+*&|!()\[\]-]+$`)

func (d ScriptData) checkDirectives() (errs []error) {
	if len(d.Directives) == 0 {
		return nil
	}
	if d.SignalBeforeS < 1 || d.SignalBeforeS > 65535 {
		errs = append(errs, fmt.Errorf("the signal before the walltime: %d s is not within Slurm's 1..65535", d.SignalBeforeS))
	}
	seen := map[string]bool{}
	for _, v := range d.Directives {
		if own, ok := ownDirectives[v.Flag]; ok {
			errs = append(errs, fmt.Errorf("#SBATCH --%s is the script's own (%s)", v.Flag, own))
			continue
		}
		if !slices.Contains(directiveFlags, v.Flag) {
			errs = append(errs, fmt.Errorf("#SBATCH --%s: not an option that a run may set", strings.ToValidUTF8(v.Flag, "?")))
			continue
		}
		if seen[v.Flag] {
			errs = append(errs, fmt.Errorf("#SBATCH --%s is given twice", v.Flag))
		}
		seen[v.Flag] = true
		if v.Value != "" && !directiveValue.MatchString(v.Value) {
			errs = append(errs, fmt.Errorf("#SBATCH --%s=%q: sbatch would misread it; use letters, digits and _ . / @ %% : , = + - only", v.Flag, v.Value))
		}
	}
	return errs
}
