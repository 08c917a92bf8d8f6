package resolve

import (
	"fmt"
	"path/filepath"

	"hpcbench/jobs/fit"
	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/slurm"
)

// host fills in cores and memory; they follow from the GPUs of a node.
func (d *draft) host() {
	job := &d.spec.Job
	if d.site.Scheduler != sites.Slurm || d.site.GPU.PerNode == 0 {
		return
	}
	onNode := job.GPUs / job.Nodes
	job.Requeue = d.part.Requeue
	job.QOS, job.Reservation = d.site.QOS, d.site.Reservation
	job.Account, job.Partition = d.site.Account, d.site.Partition
	if d.site.Request.CPUFlag == sites.CPUsPerTask {
		job.CPUsPerTask = onNode * d.site.Node.CoresPerGPU
		if d.part.WholeNode {
			job.CPUsPerTask = d.site.Node.Cores
		}
	}
	if d.site.Request.MemoryFlag == sites.Mem {
		gib := float64(onNode) * d.site.Node.MemoryGiBPerGPU
		if d.part.WholeNode {
			gib = d.site.Node.MemoryGiB
		}
		job.MemoryMiB = int64(gib * 1024)
	}
}

// directives are the #SBATCH lines in the order a Slurm user expects.
func (d *draft) directives() {
	if d.site.Scheduler != sites.Slurm {
		return
	}
	d.resources("hpcbench-" + d.spec.Name)
	pattern := "%j.log"
	if g := d.spec.Grouping; g.Mode == results.ModeArray {
		array := fmt.Sprintf("1-%d", d.spec.Repeats)
		if d.spec.Repeats == 1 {
			array = "1"
		}
		if g.MaxAtOnce > 0 {
			array += fmt.Sprintf("%%%d", g.MaxAtOnce)
		}
		d.directive("array", array)
		pattern = "%A_%a.log"
	}
	d.directive("output", filepath.Join(results.RunDir(d.spec.Job.Dir).Logs(), pattern))
}

// resources are the lines that every job has.
func (d *draft) resources(name string) {
	job := &d.spec.Job
	d.directive("job-name", name)
	d.directive("account", job.Account)
	d.directive("partition", job.Partition)
	if job.QOS != "" {
		d.directive("qos", job.QOS)
	}
	if job.Reservation != "" {
		d.directive("reservation", job.Reservation)
	}
	d.directive("nodes", fmt.Sprint(job.Nodes))
	d.directive("ntasks-per-node", "1")
	if flag, value := d.gpuFlag(); flag != "" {
		d.directive(flag, value)
	}
	if job.CPUsPerTask > 0 {
		d.directive("cpus-per-task", fmt.Sprint(job.CPUsPerTask))
	}
	if job.MemoryMiB > 0 {
		d.directive("mem", memory(job.MemoryMiB))
	}
	d.directive("time", fit.Clock(job.WalltimeS))
}

func (d *draft) directive(flag, value string) {
	d.spec.Job.Directives = append(d.spec.Job.Directives, [2]string{"--" + flag, value})
	if err := slurm.DirectiveValue(value); err != nil {
		d.fail(fmt.Errorf("--%s: %w", flag, err))
	}
}

// gpuFlag asks for GPUs in the site's way. --gpus alone may split unevenly over
// nodes, so several nodes are asked for by node everywhere.
func (d *draft) gpuFlag() (flag, value string) {
	job := d.spec.Job
	if job.GPUs == 0 {
		return "", ""
	}
	if d.site.Request.GPUFlag == sites.GPUs && job.Nodes == 1 {
		return "gpus", fmt.Sprint(job.GPUs)
	}
	return "gpus-per-node", fmt.Sprint(job.GPUs / job.Nodes)
}

func memory(mib int64) string {
	if mib%1024 == 0 {
		return fmt.Sprintf("%dG", mib/1024)
	}
	return fmt.Sprintf("%dM", mib)
}
