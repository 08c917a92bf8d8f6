package node

import (
	"os"
	"strings"

	"hpcbench/results"
	"hpcbench/slurm"
)

// ours leaves out the GPUs of other jobs on a shared node. Where the tool shows no
// more than the job has on this node, a cgroup hides the others already and the tool
// numbers ours anew; else Slurm's list says which are ours. Without either nothing
// can be told apart, and all are kept.
func ours(shown []results.GPU, slurmList string, onNode int) []results.GPU {
	if onNode <= 0 || len(shown) <= onNode || slurmList == "" {
		return shown
	}
	indices, err := slurm.IndexList(slurmList)
	if err != nil {
		return shown
	}
	var mine []results.GPU
	for _, g := range shown {
		if indices[g.Index] {
			mine = append(mine, g)
		}
	}
	if len(mine) == 0 {
		return shown
	}
	return mine
}

// slurmGPUs is Slurm's list of the job's GPUs on this node.
func slurmGPUs() string {
	for _, name := range []string{"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"} {
		if list := os.Getenv(name); list != "" {
			return list
		}
	}
	return ""
}

// onOurs keeps the processes that a tool names with the id of one of our GPUs.
func onOurs(lines []string, gpus []results.GPU) []string {
	var kept []string
	for _, line := range lines {
		for _, g := range gpus {
			if g.ID != "" && strings.Contains(line, g.ID) {
				kept = append(kept, line)
				break
			}
		}
	}
	return kept
}

// indices names GPUs for the sampler.
func indices(gpus []results.GPU) []string {
	var list []string
	for _, g := range gpus {
		list = append(list, g.Index)
	}
	return list
}
