package read

import (
	"errors"
	"fmt"
	"os"

	"hpcbench/results"
)

// candidate is one attempt of a repeat before one is chosen.
type candidate struct {
	number   int
	dir      results.AttemptDir
	attempt  *results.Attempt
	complete bool
	data     bool
	problems []Problem
}

// read chooses the attempt and loads what it has.
func (r *Repeat) read(run *Run, o Options) {
	numbers, err := run.Dir.Attempts(r.Index)
	if err != nil {
		r.State, r.Why = StateUnreadable, err.Error()
		r.Problems = append(r.Problems, problem(run.Dir.Repeat(r.Index), err))
		return
	}
	var tries []candidate
	for _, n := range numbers {
		tries = append(tries, look(run.Dir.Attempt(r.Index, n), n))
	}
	for _, c := range order(tries) {
		r.take(c, numbers)
		r.load(run, o)
		if r.Summary != nil {
			return
		}
	}
	if len(tries) == 0 {
		r.State, r.Why = StateMissing, "it has not started"
		return
	}
	if r.Chosen < 0 {
		last := tries[len(tries)-1]
		r.Problems = append(r.Problems, last.problems...)
		r.State, r.Attempt, r.Dir = StateMissing, last.attempt, last.dir
		r.Why = fmt.Sprintf("attempt %d left no data", last.number)
		if last.attempt != nil && last.attempt.Failure != nil {
			r.Why += ": " + stateWords(last.attempt)
		}
		r.applyJob(o)
		return
	}
	r.State = StateUnreadable
	if r.Why == "" {
		r.Why = "no attempt gives numbers"
	}
}

// look reads what decides the choice; sizes only, no records.
func look(dir results.AttemptDir, number int) candidate {
	c := candidate{number: number, dir: dir}
	a, err := results.ReadJSON[results.Attempt](dir.Attempt(), results.FormatAttempt)
	if err != nil {
		c.problems = append(c.problems, problem(dir.Attempt(), err))
	} else {
		c.attempt = &a
		c.complete = a.State == results.StateComplete
	}
	if _, err := os.Stat(dir.Summary()); err == nil {
		c.data = true // also an empty one: that it is broken must be said
	}
	if info, err := os.Stat(dir.Records()); err == nil && info.Size() > 0 {
		c.data = true
	}
	return c
}

// order is the complete attempts, newest first, then the others with data,
// newest first.
func order(tries []candidate) []candidate {
	var out []candidate
	for _, complete := range []bool{true, false} {
		for i := len(tries) - 1; i >= 0; i-- {
			if tries[i].complete == complete && tries[i].data {
				out = append(out, tries[i])
			}
		}
	}
	return out
}

func (r *Repeat) take(c candidate, numbers []int) {
	r.Chosen, r.Dir, r.Attempt = c.number, c.dir, c.attempt
	r.Problems = append(r.Problems, c.problems...)
	r.Others = nil
	for _, n := range numbers {
		if n != c.number {
			r.Others = append(r.Others, n)
		}
	}
	r.Why, r.Recomputed = "", ""
	if c.attempt != nil {
		r.State = c.attempt.State
		if !c.complete {
			r.Why = stateWords(c.attempt)
		}
	}
}

func stateWords(a *results.Attempt) string {
	if a.Failure == nil {
		return ""
	}
	words := a.Failure.Words
	if a.Failure.Line != "" {
		words += " (" + a.Failure.Line + ")"
	}
	return words
}

// load fills in the summary, from its file or from the records, and what else was asked for.
func (r *Repeat) load(run *Run, o Options) {
	r.checkIdentity(run)
	r.applyJob(o)
	sum, err := results.ReadJSON[results.Summary](r.Dir.Summary(), results.FormatSummary)
	reason := ""
	switch {
	case errors.Is(err, os.ErrNotExist):
		reason = "summary.json is missing"
	case err != nil:
		r.Problems = append(r.Problems, problem(r.Dir.Summary(), err))
		reason = "summary.json can't be read"
	default:
		r.Summary = &sum
		reason = stale(&sum, r.Attempt)
	}
	if reason == "" && o.Recompute {
		reason = "asked for"
	}
	if reason != "" || o.Values || o.Timelines {
		run.records.Lock()
		defer run.records.Unlock()
	}
	var files *results.AttemptFiles
	if (o.Values || o.Timelines) && onDisk(r.Dir.Records()) {
		if files, err = r.files(); err != nil {
			r.Problems = append(r.Problems, problem(r.Dir.Records(), err))
		}
	}
	if reason != "" {
		r.recompute(reason, files, run.Spec.Plan)
	} else if r.Summary.TornRecords == 0 && cut(r.Dir.Records()) {
		r.Problems = append(r.Problems, Problem{File: r.Dir.Records(), Words: "it ends within a line: it was cut after the summary was made, whose figures stand"})
	}
	if r.Summary == nil {
		return
	}
	if r.Attempt == nil { // identity is gone, the numbers stand
		r.State = r.Summary.State
	}
	if o.Values || o.Timelines {
		r.takeValues(files, o)
	}
}

// checkIdentity compares what the files say of themselves with where they lie.
func (r *Repeat) checkIdentity(run *Run) {
	a := r.Attempt
	if a == nil {
		return
	}
	if a.Repeat != r.Index || a.Attempt != r.Chosen {
		r.Problems = append(r.Problems, Problem{File: r.Dir.Attempt(),
			Words: fmt.Sprintf("it says repeat %d, attempt %d, but lies in the folder of repeat %d, attempt %d", a.Repeat, a.Attempt, r.Index, r.Chosen)})
	}
	if run.Digest != "" && a.SpecDigest != "" && a.SpecDigest != run.Digest {
		r.Problems = append(r.Problems, Problem{File: r.Dir.Attempt(),
			Words: "it was measured under another run.json than the one that is here (spec digest " + short(a.SpecDigest) + ", here " + short(run.Digest) + "): one of them was edited"})
	}
}

func short(digest string) string {
	if len(digest) > 12 {
		return digest[:12]
	}
	return digest
}

// applyJob lets the accounting correct an attempt that couldn't write its own
// end: killed with its node, or by the time limit's KILL.
func (r *Repeat) applyJob(o Options) {
	if r.Attempt == nil || r.Attempt.Slurm == nil {
		return
	}
	job, known := o.Jobs[r.Attempt.Slurm.JobID]
	if !known {
		return
	}
	r.Job = &job
	if job.Line != "" {
		r.Attempt.Slurm.SacctLine = job.Line
	}
	live := r.Attempt.State == results.StateRunning || r.Attempt.State == results.StateStarting
	if live && job.Ended {
		if r.State != StateMissing {
			r.State = results.StateInterrupted
		}
		r.Why = fmt.Sprintf("its job %s ended as %s before the attempt could say so", job.ID, job.State)
	}
}
