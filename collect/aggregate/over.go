package aggregate

import (
	"fmt"
	"sort"
	"strings"

	"hpcbench/collect/read"
	"hpcbench/results"
)

// Kinds of what the repeats of a run differ by, from the widest to the narrowest.
const (
	OverNodes   = "nodes"   // independent jobs, on several nodes
	OverJobs    = "jobs"    // independent jobs that all ran on one node
	OverJob     = "job"     // one job, a fresh server each time
	OverServer  = "server"  // one server
	OverSession = "session" // a service by its URL, from here
)

// Over says what an interval over repeats covers.
type Over struct {
	Kind  string `json:"kind"`
	Nodes int    `json:"nodes"`
	Words string `json:"words"` // "5 nodes", "within one job"
}

// over reads it off the grouping and the nodes that were used.
func over(run *read.Run) Over {
	nodes := map[string]bool{}
	jobs := map[string]bool{}
	for i := range run.Repeats {
		r := &run.Repeats[i]
		if r.Summary == nil || r.Attempt == nil {
			continue
		}
		nodes[r.Attempt.Node.Hostname] = true
		if r.Attempt.Slurm != nil {
			jobs[r.Attempt.Slurm.JobID] = true
		}
	}
	n := len(nodes)
	switch run.Spec.Grouping.Mode {
	case results.ModeRemote:
		return Over{OverSession, n, "within one session"}
	case results.ModeReuse:
		return Over{OverServer, n, "one server"}
	case results.ModeArray, results.ModeChain:
		if n > 1 {
			return Over{OverNodes, n, fmt.Sprintf("%d nodes", n)}
		}
		if len(jobs) == 0 { // a job says of itself which it is; without that each repeat counts as one
			return Over{OverJobs, n, fmt.Sprintf("%d jobs on one node", run.Good())}
		}
		if len(jobs) > 1 {
			return Over{OverJobs, n, fmt.Sprintf("%d jobs on one node", len(jobs))}
		}
	}
	return Over{OverJob, n, "within one job"}
}

// mixed warns where repeats of one run differ in what they measured.
func mixed(run *read.Run) []string {
	var out []string
	for _, q := range []struct {
		what string
		of   func(*results.Attempt) string
	}{
		{"engine versions", func(a *results.Attempt) string { return a.Server.Version }},
		{"images", func(a *results.Attempt) string { return a.Server.ImageDigest }},
		{"drivers", func(a *results.Attempt) string { return a.Node.Driver }},
		{"clocks", func(a *results.Attempt) string { return a.Clock.Kind }},
	} {
		if kinds := Distinct(run, q.of); len(kinds) > 1 {
			out = append(out, fmt.Sprintf("the repeats have different %s (%s): their mean is of different things", q.what, strings.Join(kinds, ", ")))
		}
	}
	rules := map[string]bool{}
	for i := range run.Repeats {
		if s := run.Repeats[i].Summary; s != nil {
			rules[fmt.Sprint(s.RulesVersion)] = true
		}
	}
	if len(rules) > 1 {
		out = append(out, "the repeats were judged by different rules ("+strings.Join(keys(rules), ", ")+")")
	}
	return out
}

// Distinct lists the different values of a fact over the repeats that have numbers, "" left out, sorted.
func Distinct(run *read.Run, of func(*results.Attempt) string) []string {
	seen := map[string]bool{}
	for i := range run.Repeats {
		if r := &run.Repeats[i]; r.Summary != nil && r.Attempt != nil {
			if v := of(r.Attempt); v != "" {
				seen[v] = true
			}
		}
	}
	return keys(seen)
}

func keys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
