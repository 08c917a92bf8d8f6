package local

import (
	"strconv"
	"strings"
)

// exportEnviron is what of the environment --export lets through.
func exportEnviron(export string, environ []string) []string {
	if export == "" || export == "ALL" {
		return environ
	}
	have := map[string]string{}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok {
			have[name] = value
		}
	}
	var out []string
	parts := strings.Split(export, ",")
	switch parts[0] {
	case "ALL":
		out, parts = append(out, environ...), parts[1:]
	case "NONE", "NIL":
		parts = nil
	}
	if len(out) == 0 {
		out = append(out, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8")
		for _, name := range []string{"HOME", "USER", "LOGNAME", "SHELL"} {
			if v, ok := have[name]; ok {
				out = append(out, name+"="+v)
			}
		}
	}
	for _, p := range parts {
		name, value, has := strings.Cut(p, "=")
		if !has {
			if value, has = have[name]; !has {
				continue
			}
		}
		out = append(out, name+"="+value)
	}
	return out
}

// slurmEnviron is what Slurm would set for an element. SLURM_RESTART_COUNT is
// not among it: nothing is requeued here.
func slurmEnviron(j job, e element, cpus int) []string {
	set := []string{
		"SLURM_JOB_ID=" + strconv.FormatUint(e.Raw, 10),
		"SLURM_JOBID=" + strconv.FormatUint(e.Raw, 10),
		"SLURM_JOB_NAME=" + j.Name,
		"SLURM_JOB_USER=" + j.User,
		"SLURM_JOB_UID=" + strconv.Itoa(j.UID),
		"SLURM_SUBMIT_DIR=" + j.SubmitDir,
		"SLURM_SUBMIT_HOST=" + j.Host,
		"SLURM_CLUSTER_NAME=local",
		"SLURM_JOB_NODELIST=" + j.Host,
		"SLURM_NODELIST=" + j.Host,
		"SLURMD_NODENAME=" + j.Host,
		"SLURM_JOB_NUM_NODES=1",
		"SLURM_NNODES=1",
		"SLURM_NODEID=0",
		"SLURM_PROCID=0",
		"SLURM_LOCALID=0",
		"SLURM_CPUS_ON_NODE=" + strconv.Itoa(cpus),
		"SLURM_JOB_CPUS_PER_NODE=" + strconv.Itoa(cpus),
	}
	for name, value := range map[string]string{"SLURM_JOB_ACCOUNT": j.Account, "SLURM_JOB_PARTITION": j.Partition, "SLURM_JOB_QOS": j.QOS} {
		if value != "" {
			set = append(set, name+"="+value)
		}
	}
	if j.Array {
		low, high := j.Elements[0].Task, j.Elements[0].Task
		for _, el := range j.Elements {
			low, high = min(low, el.Task), max(high, el.Task)
		}
		set = append(set,
			"SLURM_ARRAY_JOB_ID="+strconv.FormatUint(j.ID, 10),
			"SLURM_ARRAY_TASK_ID="+strconv.FormatUint(e.Task, 10),
			"SLURM_ARRAY_TASK_COUNT="+strconv.Itoa(len(j.Elements)),
			"SLURM_ARRAY_TASK_MIN="+strconv.FormatUint(low, 10),
			"SLURM_ARRAY_TASK_MAX="+strconv.FormatUint(high, 10))
	}
	return set
}
