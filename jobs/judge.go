package jobs

import (
	"errors"
	"fmt"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// judge puts together what the files and Slurm say of a repeat. A finished file
// wins over everything; a poll that failed never ends a repeat.
func judge(index int, d onDisk, j repeatJob, a slurm.Answers) RepeatStatus {
	r := RepeatStatus{Index: index, Attempts: d.attempts}
	if d.last != nil {
		r.Node = d.last.Node.Hostname
	}
	if j.submitted {
		r.JobID = j.id.String()
	}
	if !j.submitted {
		if d.complete {
			return complete(r, d)
		}
		return notSubmitted(r, d, j)
	}
	v := slurm.Resolve(j.id, a)
	if d.complete && (d.invalid == "" || v.Final || v.Class == slurm.ClassUnknown) {
		return complete(r, d)
	}
	r.State, r.Words, r.Never = string(v.State), v.Words, v.Never()
	d = d.of(v)
	switch {
	case v.Final:
		return ended(r, d, v, j.cancelled)
	case v.Gone && (d.last != nil && !d.last.EndedAt.IsZero() || errors.Is(a.AccountingErr, slurm.ErrNoAccounting)):
		// The controller doesn't know it any more, so it won't run again, and its own files say how it ended.
		return ended(r, d, v, j.cancelled)
	case v.Class == slurm.ClassPending || v.Class == slurm.ClassRequeued || v.Class == slurm.ClassHeld:
		r.Phase = PhasePending
	case v.Class == slurm.ClassRunning:
		r.Phase, r.Progress = PhaseRunning, d.progress
		switch {
		case v.State != slurm.StateRunning: // suspended, or its nodes are made ready: that says more
		case d.last == nil:
			r.Words = "running; this repeat hasn't begun"
		case d.progress != nil:
			r.Words = Doing(*d.progress)
		}
		if a.QueueErr != nil {
			r.Words += "; the controller cannot be asked now"
		}
	case a.QueueErr != nil && d.progress != nil && d.measuring() && time.Since(d.progress.UpdatedAt) < silence:
		r.Phase, r.Progress = PhaseRunning, d.progress
		r.Words = Doing(*d.progress) + "; the controller cannot be asked now"
	default:
		r.Phase, r.Gone = PhaseUnclear, v.Gone
	}
	return r
}

func complete(r RepeatStatus, d onDisk) RepeatStatus {
	r.Phase, r.Words, r.Invalid = PhaseComplete, "complete", d.invalid
	if d.invalid != "" {
		r.Words = "complete, but INVALID: " + d.invalid
	}
	return r
}

// of leaves out the last attempt where it is of an earlier job, or of an earlier
// run of this one, which was put back into the queue: what it did says nothing
// about the job that is asked for now.
func (d onDisk) of(v slurm.View) onDisk {
	if d.last == nil || d.last.Slurm == nil {
		return d
	}
	job := d.last.Slurm.ArrayJobID
	if job == "" {
		job = d.last.Slurm.JobID
	}
	other := job != fmt.Sprint(v.ID.Job)
	// The clocks of a node and of the controller may differ a little.
	early := v.Class == slurm.ClassRunning && d.last.StartedAt.Before(v.Start.Add(-2*time.Second))
	if other || early {
		d.last, d.progress = nil, nil
	}
	return d
}

// notSubmitted is a repeat without a job of ours; a script that was sent by hand has none either.
func notSubmitted(r RepeatStatus, d onDisk, j repeatJob) RepeatStatus {
	switch {
	case j.open:
		r.Phase, r.Words = PhaseUnclear, "sbatch gave no answer; `hpcbench resume` looks for the job by its name"
	case d.last != nil && !d.last.EndedAt.IsZero():
		return ended(r, d, slurm.View{Words: "its job isn't in the ledger"}, false)
	case d.progress != nil && d.measuring() && time.Since(d.progress.UpdatedAt) > silence:
		r.Phase = PhaseInterrupted
		r.Words = fmt.Sprintf("nothing was heard of it since %s: it was killed, or its machine is gone", d.progress.UpdatedAt.UTC().Format(time.RFC3339))
	case d.last != nil:
		r.Phase, r.Words, r.Progress = PhaseRunning, "started by hand", d.progress
		if d.progress != nil {
			r.Words = Doing(*d.progress)
		}
	case j.refused != "":
		r.Phase, r.Words = PhaseNotSubmitted, "refused: "+j.refused
	default:
		r.Phase, r.Words = PhaseNotSubmitted, "not submitted"
	}
	return r
}

// silence is how long a load may write no progress, which it does every second or two, until
// it is taken for dead where no job says how it is.
const silence = 2 * time.Minute

// measuring says that the load was at work, so that progress is due all the time; the
// start of a server is silent.
func (d onDisk) measuring() bool {
	switch d.progress.Phase {
	case "starting", "waiting", "stopping", "done":
		return false
	}
	return true
}

// ended is a repeat whose job is over though no attempt is complete.
func ended(r RepeatStatus, d onDisk, v slurm.View, cancelled bool) RepeatStatus {
	switch {
	case cancelled || v.Class == slurm.ClassCancelled:
		r.Phase = PhaseCancelled
	case d.last != nil && d.last.State == results.StateFailed:
		r.Phase = PhaseFailed
	case d.last != nil:
		r.Phase = PhaseInterrupted
	default:
		r.Phase = PhaseFailed
	}
	r.Words = v.Words
	switch {
	case d.err != nil:
		r.Words = d.err.Error()
	case d.last != nil && d.last.Failure != nil:
		r.Words = d.last.Failure.Words
		if d.last.Failure.Remedy != "" {
			r.Words += "; " + d.last.Failure.Remedy
		}
	case d.last == nil:
		r.Words = "its job ended before this repeat began: " + v.Words
	}
	return r
}

// Doing says in a few words what an attempt does now.
func Doing(p results.Progress) string {
	switch p.Phase {
	case "step", "drain", "step_warmup", "window":
		if p.StepCount == 0 { // a search: nobody knows how many there will be
			return fmt.Sprintf("step %d %s", p.StepIndex+1, p.Step)
		}
		return fmt.Sprintf("step %d/%d %s", p.StepIndex+1, p.StepCount, p.Step)
	}
	return p.Phase
}
