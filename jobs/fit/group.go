package fit

import (
	"fmt"
	"strings"

	"hpcbench/results"
)

// Limits are the partition's and the site's; 0 = none.
type Limits struct {
	Partition  string
	WalltimeS  int
	MaxJobs    int // submitted at once by one user
	MaxRunning int // of them running
	// Scheduler is slurm or local: a local machine has one job at a time.
	Scheduler string
}

// Group puts n repeats into jobs. With mode "" it takes the first that fits of
// array, restart, chain; a mode that is named must fit. The error has the arithmetic.
func Group(n int, t Times, l Limits, mode string) (results.Grouping, int, []string, error) {
	if n < 1 {
		return results.Grouping{}, 0, nil, fmt.Errorf("%d repeats: at least 1 is needed", n)
	}
	order := []string{results.ModeArray, results.ModeRestart, results.ModeChain}
	if l.Scheduler == results.SchedulerLocal {
		order = []string{results.ModeRestart}
	}
	if mode != "" {
		order = []string{mode}
	}
	var refused []string
	for _, m := range order {
		g, why := try(n, t, l, m)
		if why != "" {
			refused = append(refused, fmt.Sprintf("%s: %s", m, why))
			continue
		}
		if mode != "" {
			g.Why = "asked for"
		} else if len(refused) > 0 {
			g.Why += " (" + strings.Join(refused, "; ") + ")"
		}
		longest := 0
		for _, job := range g.Jobs {
			longest = max(longest, len(job))
		}
		seconds, sum := Walltime(t, longest, g.FreshServer)
		return g, seconds, sum, nil
	}
	return results.Grouping{}, 0, nil, fmt.Errorf("%d repeats don't fit partition %s: %s", n, l.Partition, strings.Join(refused, "; "))
}

// try answers a grouping, or why that mode can't be.
func try(n int, t Times, l Limits, mode string) (results.Grouping, string) {
	g := results.Grouping{Mode: mode, FreshServer: true}
	fits := func(repeats int) string {
		seconds, sum := Walltime(t, repeats, g.FreshServer)
		if l.WalltimeS > 0 && seconds > l.WalltimeS {
			return fmt.Sprintf("a job of %d would take %s, the limit is %s [%s]", repeats, Clock(seconds), Clock(l.WalltimeS), strings.Join(sum, " "))
		}
		return ""
	}
	switch mode {
	case results.ModeArray:
		if l.Scheduler == results.SchedulerLocal {
			return g, "this site has no Slurm"
		}
		if l.MaxJobs > 0 && n > l.MaxJobs {
			return g, fmt.Sprintf("%d array elements, and each counts against the %d jobs that may be submitted", n, l.MaxJobs)
		}
		if l.MaxRunning == 1 && n > 1 {
			return g, "only one job may run at a time"
		}
		if why := fits(1); why != "" {
			return g, why
		}
		for i := 1; i <= n; i++ {
			g.Jobs = append(g.Jobs, []int{i})
		}
		if l.MaxRunning > 0 && n > l.MaxRunning {
			g.MaxAtOnce = l.MaxRunning
		}
		g.Why = "independent jobs, so that nodes differ"
	case results.ModeRestart, results.ModeReuse:
		g.FreshServer = mode == results.ModeRestart
		if why := fits(n); why != "" {
			return g, why
		}
		g.Jobs = [][]int{span(1, n)}
		g.Why = "one job, the server restarted for each repeat"
		if mode == results.ModeReuse {
			g.Why = "one job and one server: the repeats share its start"
		}
	case results.ModeChain:
		if l.Scheduler == results.SchedulerLocal {
			return g, "this site has no Slurm"
		}
		most := n
		if l.MaxJobs > 0 {
			most = min(n, l.MaxJobs)
		}
		why := "there is nothing to link"
		for jobs := 2; jobs <= most; jobs++ {
			if why = fits((n + jobs - 1) / jobs); why != "" {
				continue
			}
			g.Jobs, g.Chained = split(n, jobs), true
			g.Why = fmt.Sprintf("%d jobs, each after the one before", jobs)
			return g, ""
		}
		return g, why
	default:
		return g, fmt.Sprintf("no such mode; there are %s, %s, %s and %s", results.ModeArray, results.ModeRestart, results.ModeChain, results.ModeReuse)
	}
	return g, ""
}

func span(from, to int) []int {
	var s []int
	for i := from; i <= to; i++ {
		s = append(s, i)
	}
	return s
}

// split deals n repeats to so many jobs, in order, the longer ones first.
func split(n, jobs int) [][]int {
	var all [][]int
	next := 1
	for j := range jobs {
		size := n / jobs
		if j < n%jobs {
			size++
		}
		all = append(all, span(next, next+size-1))
		next += size
	}
	return all
}
