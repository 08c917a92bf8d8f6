package fit

import (
	"fmt"
	"strings"

	"hpcbench/results"
)

// Session puts the repeats of several configurations into jobs so that they
// alternate: repeat 1 of each, then repeat 2 of each, and so on, for what drifts must
// not look like a difference between them. Such a turn of all is a round.
//
// array: every repeat is a job of its own, and a round may start once the one before
// has; restart: one job of all rounds; chain: several such jobs, linked. The groups of
// the answer are of rounds. differ says what keeps the configurations from sharing a job,
// "" for nothing. reuse can't alternate, since it keeps one server. The error has
// the arithmetic of every mode that was tried.
func Session(n int, each []Times, l Limits, mode, differ string) (results.Grouping, int, []string, error) {
	if n < 1 || len(each) < 2 {
		return results.Grouping{}, 0, nil, fmt.Errorf("a session of %d configurations with %d repeats: at least 2 and 1 are needed", len(each), n)
	}
	order := []string{results.ModeArray, results.ModeRestart, results.ModeChain}
	if mode != "" {
		order = []string{mode}
	}
	round := sum(each)
	var refused []string
	for _, m := range order {
		g, why := results.Grouping{}, ""
		switch {
		case m == results.ModeReuse:
			why = "one server can't be several configurations by turns; submit them one by one"
		case m == results.ModeArray:
			g, why = sessionArray(n, each, l)
		case differ != "":
			why = "they can't share a job: " + differ
		default:
			g, why = try(n, round, l, m)
			if why == "" {
				g.Why = map[string]string{
					results.ModeRestart: fmt.Sprintf("one job, in which the %d configurations alternate", len(each)),
					results.ModeChain:   fmt.Sprintf("%d jobs, each after the one before, in which the %d configurations alternate", len(g.Jobs), len(each)),
				}[m]
			}
		}
		if why != "" {
			refused = append(refused, fmt.Sprintf("%s: %s", m, why))
			continue
		}
		if mode == "" && len(refused) > 0 {
			g.Why += " (" + strings.Join(refused, "; ") + ")"
		}
		longest := 0
		for _, job := range g.Jobs {
			longest = max(longest, len(job))
		}
		if m == results.ModeArray {
			round, longest = most(each), 1
		}
		seconds, arithmetic := Walltime(round, longest, true)
		return g, seconds, arithmetic, nil
	}
	return results.Grouping{}, 0, nil, fmt.Errorf("%d repeats of %d configurations don't fit partition %s: %s", n, len(each), l.Partition, strings.Join(refused, "; "))
}

// sessionArray is every repeat as a job.
func sessionArray(n int, each []Times, l Limits) (results.Grouping, string) {
	jobs := n * len(each)
	if l.MaxJobs > 0 && jobs > l.MaxJobs {
		return results.Grouping{}, fmt.Sprintf("%d jobs (%d repeats of %d configurations), and %d may be submitted", jobs, n, len(each), l.MaxJobs)
	}
	for _, t := range each {
		if g, why := try(n, t, l, results.ModeArray); why != "" {
			return g, why
		}
	}
	g, why := try(n, each[0], l, results.ModeArray)
	g.MaxAtOnce = 0 // every job is sent alone, so Slurm's own limit holds them
	g.Why = fmt.Sprintf("independent jobs, round by round, so that the %d configurations alternate", len(each))
	return g, why
}

// sum is one round: a repeat of each, and one slow start.
func sum(each []Times) Times {
	var t Times
	for _, e := range each {
		t.StartS, t.LoadS, t.DrainS, t.StopS = t.StartS+e.StartS, t.LoadS+e.LoadS, t.DrainS+e.DrainS, t.StopS+e.StopS
		t.StartReserveS, t.SignalS = max(t.StartReserveS, e.StartReserveS), max(t.SignalS, e.SignalS)
	}
	return t
}

// most is the longest of them.
func most(each []Times) Times {
	longest := each[0]
	for _, e := range each {
		if e.Repeat() > longest.Repeat() {
			longest = e
		}
	}
	return longest
}
