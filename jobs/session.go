package jobs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// Session sends several runs whose repeats alternate.
type Session struct {
	Runs []Submitter // in their order; all have the same repeats and the same grouping
	// Script is the script of the shared jobs, and Walltime what such a job asks for. Without one every repeat is
	// a job of its own.
	Script   string
	Walltime time.Duration
}

// Submit sends all repeats of all runs. It answers the ids of what was sent, also with
// an error: the rest is then sent by resuming the runs.
func (s Session) Submit(ctx context.Context) ([]slurm.JobID, error) {
	if s.Script != "" {
		return s.shared(ctx)
	}
	return s.rounds(ctx)
}

// rounds sends repeat 1 of every run, then repeat 2, and so on. A round may start once
// all jobs of the one before have started (after:, not afterany:), so that no
// configuration runs ahead of the others, and yet as many run at a time as the
// site allows. Each round begins with the run that was second in the one before.
func (s Session) rounds(ctx context.Context) ([]slurm.JobID, error) {
	var sent, before []slurm.JobID
	n := s.Runs[0].Spec.Repeats
	for r := 1; r <= n; r++ {
		var round []slurm.JobID
		for i := range s.Runs {
			run := s.Runs[(r-1+i)%len(s.Runs)]
			b := batch{group: -1, repeats: []int{r}, array: fmt.Sprint(r), dependency: afterStart(before)}
			id, err := run.send(ctx, OpenLedger(run.Dir), b, nil)
			if err != nil {
				if len(sent) > 0 {
					err = fmt.Errorf("%w (already submitted: %s; `hpcbench resume` of each run sends the rest)", err, join(sent))
				}
				return sent, err
			}
			sent, round = append(sent, id), append(round, id)
		}
		before = round
	}
	return sent, nil
}

// afterStart is the dependency on the start of jobs.
func afterStart(ids []slurm.JobID) string {
	if len(ids) == 0 {
		return ""
	}
	d := "after"
	for _, id := range ids {
		d += ":" + id.String()
	}
	return d
}

// shared sends jobs in which the runs go by turns. The first run's ledger has them
// first, and the others' have the same entries, so that each run can be followed, resumed
// and cancelled alone.
func (s Session) shared(ctx context.Context) ([]slurm.JobID, error) {
	first := s.Runs[0]
	first.Script, first.Walltime, first.Word = s.Script, s.Walltime, first.Spec.Session.JobWord()
	var repeats []int
	for r := 1; r <= first.Spec.Repeats; r++ {
		repeats = append(repeats, r)
	}
	ids, err := first.Submit(ctx, repeats)
	for _, other := range s.Runs[1:] {
		err = errors.Join(err, MirrorSession(first.Dir, other.Dir, *first.Spec.Session))
	}
	return ids, err
}

// MirrorSession writes what one run's ledger says of the shared jobs of its session into another's.
func MirrorSession(from, to results.RunDir, s results.SessionSpec) error {
	return mirror(from, to, func(e results.LedgerEntry) bool { return s.Shares(e.JobName) })
}

// siblings are the folders of the other runs that share an entry's jobs.
func siblings(e Entry) []results.RunDir {
	s := e.Spec.Session
	if s == nil || !s.OneJob {
		return nil
	}
	var others []results.RunDir
	for _, name := range s.Runs {
		dir := results.RunDir(filepath.Join(filepath.Dir(string(e.Dir)), name))
		if name != e.Name && !missing(dir.Spec()) {
			others = append(others, dir)
		}
	}
	return others
}

// ledgerOf is a run's ledger with the shared jobs of its session, also where a
// submitter was killed before it wrote them into this run's own.
func ledgerOf(e Entry) ([]results.LedgerEntry, error) {
	own, err := OpenLedger(e.Dir).Read()
	if err != nil {
		return nil, err
	}
	var all []results.LedgerEntry
	known := map[string]bool{}
	for _, o := range own {
		known[o.JobName] = true
	}
	for _, dir := range siblings(e) {
		theirs, err := OpenLedger(dir).Read()
		if err != nil {
			return nil, err
		}
		for _, o := range theirs {
			if !known[o.JobName] && e.Spec.Session.Shares(o.JobName) {
				all = append(all, o)
			}
		}
		for _, o := range all {
			known[o.JobName] = true
		}
	}
	return append(all, own...), nil
}

// SharedWith names the other runs that a job of a run measures too.
func SharedWith(e Entry, id slurm.JobID) []string {
	entries, err := ledgerOf(e)
	if err != nil || e.Spec.Session == nil {
		return nil
	}
	for _, sub := range Submissions(entries) {
		if sub.JobID != id.String() || !e.Spec.Session.Shares(sub.JobName) {
			continue
		}
		var others []string
		for _, name := range e.Spec.Session.Runs {
			if name != e.Name {
				others = append(others, name)
			}
		}
		return others
	}
	return nil
}
