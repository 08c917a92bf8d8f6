package slurm

import "strings"

// scrubbed are the prefixes of variables that change what Slurm's tools do or
// print: defaults for their options beat the script's #SBATCH lines.
var scrubbed = []string{"SLURM_", "SBATCH_", "SQUEUE_", "SACCT_", "SCANCEL_", "SALLOC_", "SINFO_", "SCONTROL_", "SACCTMGR_", "SPRIO_"}

// kept are the exceptions: they say where the cluster is and who is asking.
var kept = map[string]bool{"SLURM_CONF": true, "SLURM_CONF_SERVER": true, "SLURM_JWT": true}

// Scrub returns environ without the variables that steer Slurm's tools, and
// with a locale in which numbers and messages are the same everywhere.
// SLURM_CONF, SLURM_CONF_SERVER and SLURM_JWT stay. Everything else stays too:
// sbatch hands its environment to the job.
func Scrub(environ []string) []string {
	out := make([]string, 0, len(environ)+1)
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if name == "LC_ALL" || !kept[name] && hasAnyPrefix(name, scrubbed) {
			continue
		}
		out = append(out, kv)
	}
	return append(out, "LC_ALL=C.UTF-8")
}

// questionEnviron also fixes how the tools write an instant. sbatch doesn't get
// these two, since the job would inherit them.
func questionEnviron(environ []string) []string {
	var out []string
	for _, kv := range Scrub(environ) {
		if name, _, _ := strings.Cut(kv, "="); name != "TZ" {
			out = append(out, kv)
		}
	}
	return append(out, "TZ=UTC", "SLURM_TIME_FORMAT="+timeFormat)
}

func hasAnyPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
