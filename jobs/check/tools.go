package check

import (
	"errors"
	"fmt"
	"strings"

	"hpcbench/results"
	"hpcbench/slurm"
)

// slurmTools are the commands that are called.
var slurmTools = []string{"sbatch", "squeue", "sacct", "scancel", "scontrol", "sacctmgr", "sinfo"}

// oldest is the Slurm release from which everything that is used exists: sacct's
// fields and squeue's --array came before; --signal=B: and --parsable2 long before.
const oldest = "20.11"

// tools looks for Slurm's commands and says what of its configuration matters here.
func tools(s Subject, f Facts) []Finding {
	r := &report{name: "slurm"}
	var missing []string
	for _, t := range slurmTools {
		if _, err := s.Look(t); err != nil {
			missing = append(missing, t)
		}
	}
	if len(missing) > 0 {
		r.fail("run it on a login node, or load the site's Slurm module", "not on PATH: %s", strings.Join(missing, ", "))
		return r.found
	}
	if f.version.err != nil {
		r.fail("run it on a login node", "%v", f.version.err)
		return r.found
	}
	if older(f.version.is, oldest) {
		r.warn("", "Slurm %s is older than %s, the oldest that this was made for", f.version.is, oldest)
	}
	if err := f.config.err; err != nil {
		words := "the controller doesn't answer: %v"
		if errors.Is(err, slurm.ErrUnreachable) {
			words = "the controller can't be reached: %v"
		}
		r.fail("try again later; nothing can be submitted meanwhile", words, err)
		return r.found
	}
	c := f.config.is
	if f.version.is != c.Version && c.Version != "" {
		r.warn("", "the commands are of Slurm %s, the controller of %s", f.version.is, c.Version)
	}
	if s.Spec != nil && s.Spec.Grouping.Mode == results.ModeArray && c.MaxArraySize > 0 && s.Spec.Repeats >= c.MaxArraySize {
		r.fail("take fewer --repeats", "an array's highest index here is %d, and the run has %d repeats", c.MaxArraySize-1, s.Spec.Repeats)
	}
	if store := c.Fields["AccountingStorageType"]; store == "" || strings.HasSuffix(store, "/none") {
		r.warn("", "this cluster keeps no accounting: what a run has cost can't be told, and a job that left the queue is known by its files alone")
	}
	if len(r.found) == 0 {
		about := ""
		if c.EnforcePartLimits == "NO" {
			about = "; a job over a partition's limits is accepted and never starts, so they are checked here"
		}
		r.ok("Slurm %s, cluster %s%s", c.Version, c.Cluster, about)
	}
	return r.found
}

// older compares two releases by year and month.
func older(version, than string) bool {
	var y, m, ty, tm int
	if n, _ := fmt.Sscanf(version, "%d.%d", &y, &m); n != 2 {
		return false // a name of its own says nothing
	}
	_, _ = fmt.Sscanf(than, "%d.%d", &ty, &tm)
	return y < ty || y == ty && m < tm
}
