package check

import (
	"slices"
	"strings"

	"hpcbench/slurm"
)

// nodes compares GPUs, cores and memory of the partition's nodes, as Slurm has
// them, with the profile.
func nodes(s Subject, f Facts) []Finding {
	r := &report{name: "nodes"}
	if f.nodes.err != nil {
		r.warn("try again later", "the nodes of partition %s could not be asked: %v", s.Site.Partition, f.nodes.err)
		return r.found
	}
	kinds := f.nodes.is
	if len(kinds) == 0 {
		return nil // partition says it
	}
	count, usable := 0, 0
	var gpuKinds []string
	most := slurm.NodeKind{}
	gpus := 0
	for _, k := range kinds {
		count += k.Nodes
		if !strings.HasPrefix(k.State, "down") && !strings.HasPrefix(k.State, "drain") && !strings.HasPrefix(k.State, "maint") {
			usable += k.Nodes
		}
		kind, n := k.GPUs()
		if kind != "" {
			gpuKinds = append(gpuKinds, kind)
		}
		gpus = max(gpus, n)
		most.CPUs, most.MemoryMiB = max(most.CPUs, k.CPUs), max(most.MemoryMiB, k.MemoryMiB)
	}
	if usable == 0 {
		r.warn("see `sinfo --partition="+s.Site.Partition+" --list-reasons`", "none of the %d nodes of partition %s is in service now", count, s.Site.Partition)
	}
	if g := s.Site.GPU.Gres; g != "" && len(gpuKinds) > 0 && !slices.Contains(gpuKinds, g) {
		r.fail("correct `gpu.gres` and `gpu.kind` in sites/"+s.Site.Name+".yaml, or take another --partition: results are compared by the kind",
			"the nodes of partition %s have GPUs of kind %s, the profile says %s", s.Site.Partition, some(gpuKinds), g)
	}
	if n := s.Site.GPU.PerNode; gpus != n {
		remedy := "correct `gpu.per_node` in sites/" + s.Site.Name + ".yaml"
		if s.Spec != nil && s.Spec.Job.GPUs > gpus*s.Spec.Job.Nodes {
			r.fail(remedy, "a node of partition %s has %d GPUs, the profile says %d, and a job asks for %d on %d node(s): it would never start", s.Site.Partition, gpus, n, s.Spec.Job.GPUs, s.Spec.Job.Nodes)
		} else {
			r.warn(remedy, "a node of partition %s has %d GPUs, the profile says %d", s.Site.Partition, gpus, n)
		}
	}
	r.host(s, most)
	if len(r.found) == 0 {
		kind := ""
		if len(gpuKinds) > 0 {
			kind = " (" + some(gpuKinds) + ")"
		}
		r.ok("%d of %d nodes in service, each %d GPUs%s, %d processors and %d GiB", usable, count, gpus, kind, most.CPUs, most.MemoryMiB/1024)
	}
	return r.found
}

// host compares processors and memory. More than the profile has is fine: it states
// what jobs may use.
func (r *report) host(s Subject, most slurm.NodeKind) {
	if n := s.Site.Node.Cores; n > most.CPUs && most.CPUs > 0 {
		r.warn("correct `node.cores` in sites/"+s.Site.Name+".yaml", "a node has %d processors for jobs, the profile says %d", most.CPUs, n)
	}
	if g := s.Site.Node.MemoryGiB; int64(g*1024) > most.MemoryMiB && most.MemoryMiB > 0 {
		r.warn("correct `node.memory_gib` in sites/"+s.Site.Name+".yaml", "a node has %d GiB for jobs, the profile says %g", most.MemoryMiB/1024, g)
	}
	if s.Spec == nil {
		return
	}
	job := s.Spec.Job
	if most.CPUs > 0 && job.CPUsPerTask > most.CPUs {
		r.fail("correct `node.cores_per_gpu`", "a job asks for %d processors of a node that has %d: it would never start", job.CPUsPerTask, most.CPUs)
	}
	if most.MemoryMiB > 0 && job.MemoryMiB > most.MemoryMiB {
		r.fail("correct `node.memory_gib_per_gpu`", "a job asks for %d GiB of a node that has %d: it would never start", job.MemoryMiB/1024, most.MemoryMiB/1024)
	}
}
