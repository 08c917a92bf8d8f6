package check

import (
	"fmt"
	"strings"
	"time"

	"hpcbench/sites/conf"
	"hpcbench/slurm"
)

// partition compares what the controller states of the partition with the profile
// and with what the run asks for. The controller is right.
func partition(s Subject, f Facts) []Finding {
	r := &report{name: "partition"}
	name := s.Site.Partition
	if name == "" {
		return nil // settings says it
	}
	if f.partitions.err != nil && len(f.partitions.is) == 0 {
		r.warn("try again later", "the limits of partition %s could not be asked: %v", name, f.partitions.err)
		return r.found
	}
	p, listed := f.partition(name)
	if !listed {
		var names []string
		for _, q := range f.partitions.is {
			names = append(names, q.Name)
		}
		r.fail("take one of those with --partition; one that you may not use isn't listed", "Slurm lists no partition %s%s; it lists %s", name, conf.DidYouMean(name, names), some(names))
		return r.found
	}
	if p.State != "UP" {
		r.fail("wait, or take another --partition", "partition %s is %s: it starts no jobs", name, p.State)
	}
	r.limits(s, p)
	r.asked(s, p)
	if p.PreemptMode != "" && p.PreemptMode != "OFF" && s.Part.Production {
		r.warn("measure on a partition that doesn't", "partition %s may end a running job for another one (preemption: %s), and the profile says that it is for measurements", name, p.PreemptMode)
	}
	if len(r.found) == 0 {
		r.ok("partition %s is up: at most %s and %s, as the profile says", name, limitWords(p.MaxTime), nodeWords(p.MaxNodes))
	}
	r.found[len(r.found)-1].settled(s.key("max_walltime"), s.key("max_nodes"), s.key("whole_node"))
	return r.found
}

// limits shows where the profile says something else.
func (r *report) limits(s Subject, p slurm.Partition) {
	differ := func(leaf, controller, profile string, value any) {
		r.warn(s.write(leaf, value), "partition %s: the controller says %s, the profile %s; the controller's counts", p.Name, controller, profile)
	}
	if q := s.Part.MaxWalltime; q > 0 && p.MaxTime != q && p.MaxTime != 0 {
		value := any(p.MaxTime)
		if p.MaxTime == slurm.Unlimited {
			value = time.Duration(0)
		}
		differ("max_walltime", "at most "+limitWords(p.MaxTime), "at most "+limitWords(q), value)
	}
	if q := s.Part.DefaultWalltime; q > 0 && p.DefaultTime > 0 && p.DefaultTime != q {
		differ("default_walltime", "a default of "+limitWords(p.DefaultTime), limitWords(q), p.DefaultTime)
	}
	if q := s.Part.MaxNodes; q > 0 && p.MaxNodes > 0 && p.MaxNodes != q {
		differ("max_nodes", nodeWords(p.MaxNodes), nodeWords(q), p.MaxNodes)
	}
	if p.Exclusive != s.Part.WholeNode {
		words := map[bool]string{true: "whole nodes", false: "parts of nodes"}
		differ("whole_node", "it gives "+words[p.Exclusive], "it gives "+words[s.Part.WholeNode], p.Exclusive)
	}
}

// asked refuses what the partition can never start.
func (r *report) asked(s Subject, p slurm.Partition) {
	if s.Spec == nil {
		return
	}
	job := s.Spec.Job
	if want := s.walltime(); p.MaxTime > 0 && want > p.MaxTime {
		r.fail("take fewer --repeats, a shorter plan, or another --partition", "a job asks for %s, and partition %s allows at most %s: it would never start (the profile says at most %s)",
			limitWords(want), p.Name, limitWords(p.MaxTime), limitWords(s.Part.MaxWalltime))
	}
	if p.MaxNodes > 0 && job.Nodes > p.MaxNodes {
		r.fail("take fewer --nodes, or another --partition", "a job asks for %d nodes, and partition %s allows at most %d (the profile says %d)", job.Nodes, p.Name, p.MaxNodes, s.Part.MaxNodes)
	}
	if p.TotalNodes > 0 && job.Nodes > p.TotalNodes {
		r.fail("take fewer --nodes", "a job asks for %d nodes, and partition %s has %d", job.Nodes, p.Name, p.TotalNodes)
	}
	if all := p.TRES.GPUs(); all > 0 && int64(job.GPUs) > all {
		r.fail("take fewer --gpus", "a job asks for %d GPUs, and partition %s has %d", job.GPUs, p.Name, all)
	}
}

func limitWords(d time.Duration) string {
	switch {
	case d == 0:
		return "an unknown time"
	case d == slurm.Unlimited:
		return "any time"
	}
	return strings.TrimPrefix(slurm.FormatTimeLimit(d), "0-")
}

func nodeWords(n int) string {
	switch {
	case n <= 0:
		return "any number of nodes"
	case n == 1:
		return "1 node"
	}
	return fmt.Sprintf("%d nodes", n)
}
