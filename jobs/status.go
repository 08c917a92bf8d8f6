package jobs

import (
	"context"
	"errors"
	"os"
	"slices"

	"hpcbench/results"
	"hpcbench/slurm"
)

// Phases of a repeat as status shows them.
const (
	PhaseNotSubmitted = "not submitted"
	PhasePending      = "pending"
	PhaseRunning      = "running"
	PhaseUnclear      = "unclear" // Slurm can't say now; ask again
	PhaseComplete     = "complete"
	PhaseInterrupted  = "interrupted"
	PhaseFailed       = "failed"
	PhaseCancelled    = "cancelled"
)

// RepeatStatus is one repeat as its files and Slurm tell it together.
type RepeatStatus struct {
	Index int    `json:"repeat"`
	Phase string `json:"phase"`
	Words string `json:"words"` // one line for people
	JobID string `json:"job_id,omitempty"`
	State string `json:"slurm_state,omitempty"`
	Never bool   `json:"can_never_start,omitempty"`
	// Gone says that the controller no longer knows the job and nobody says how it ended.
	Gone bool `json:"gone,omitempty"`
	// Invalid is why nothing that a complete repeat measured can be used; resume runs it again.
	Invalid  string            `json:"invalid,omitempty"`
	Attempts int               `json:"attempts"`
	Node     string            `json:"node,omitempty"`
	Progress *results.Progress `json:"progress,omitempty"`
}

// Over says that nothing more will happen to the repeat by itself.
func (r RepeatStatus) Over() bool {
	switch r.Phase {
	case PhasePending, PhaseRunning, PhaseUnclear:
		return false
	}
	return true
}

// RunStatus is one run.
type RunStatus struct {
	Name      string         `json:"run"`
	Dir       string         `json:"dir"`
	Site      string         `json:"site"`
	Model     string         `json:"model"`
	Plan      string         `json:"plan"`
	Simulated bool           `json:"simulated"`
	Repeats   []RepeatStatus `json:"repeats"`
	Err       string         `json:"error,omitempty"`
}

// Over says that no repeat is under way.
func (r RunStatus) Over() bool {
	return !slices.ContainsFunc(r.Repeats, func(s RepeatStatus) bool { return !s.Over() })
}

// Complete counts the good repeats.
func (r RunStatus) Complete() int {
	n := 0
	for _, s := range r.Repeats {
		if s.Phase == PhaseComplete {
			n++
		}
	}
	return n
}

// Missing lists the repeats that aren't complete.
func (r RunStatus) Missing() []int {
	var m []int
	for _, s := range r.Repeats {
		if s.Phase != PhaseComplete {
			m = append(m, s.Index)
		}
	}
	return m
}

// onDisk is what a repeat's folder says.
type onDisk struct {
	attempts int
	last     *results.Attempt
	complete bool   // any attempt is
	invalid  string // why the newest complete one can't be used
	progress *results.Progress
	err      error
}

// known is a run with all that is known without asking Slurm.
type known struct {
	entry Entry
	disk  map[int]onDisk
	jobs  map[int]repeatJob
	err   error
}

// repeatJob is the newest submission of a repeat.
type repeatJob struct {
	id        slurm.JobID
	submitted bool
	open      bool // sent, answer unknown
	cancelled bool
	refused   string
}

// Status asks for all runs at once: one question to the queue, and one to the
// accounting for those that it no longer knows.
func Status(ctx context.Context, sched Scheduler, entries []Entry) []RunStatus {
	var all []known
	var ask []slurm.JobID
	for _, e := range entries {
		k := look(e)
		all = append(all, k)
		for index, job := range k.jobs {
			if d := k.disk[index]; job.submitted && (!d.complete || d.invalid != "") {
				ask = append(ask, job.id)
			}
		}
	}
	answers := Ask(ctx, sched, ask)
	var out []RunStatus
	for _, k := range all {
		out = append(out, k.status(answers))
	}
	return out
}

// refresh reads a repeat's folder again where Slurm says that its job is over: the
// folder was read before the question was put, and the job may have written its last
// word in between.
func (k known) refresh(r RepeatStatus, a slurm.Answers) RepeatStatus {
	if j := k.jobs[r.Index]; j.submitted && r.Phase != PhaseComplete && (r.Over() || r.Gone) {
		return judge(r.Index, lookRepeat(k.entry.Dir, r.Index), j, a)
	}
	return r
}

// Ask puts the questions; without ids none.
func Ask(ctx context.Context, sched Scheduler, ids []slurm.JobID) slurm.Answers {
	var a slurm.Answers
	if len(ids) == 0 {
		return a
	}
	a.Queue, a.QueueErr = sched.Queue(ctx, ids...)
	var rest []slurm.JobID
	for _, id := range ids {
		v := slurm.Resolve(id, a)
		if v.Class == slurm.ClassUnknown || v.Gone || v.Class.Over() {
			rest = append(rest, id)
		}
	}
	if len(rest) > 0 {
		a.Accounting, a.AccountingErr = sched.Accounting(ctx, rest...)
	}
	return a
}

func look(e Entry) known {
	k := known{entry: e, disk: map[int]onDisk{}, jobs: map[int]repeatJob{}, err: e.Err}
	if e.Err != nil {
		return k
	}
	for i := 1; i <= e.Spec.Repeats; i++ {
		k.disk[i] = lookRepeat(e.Dir, i)
	}
	for i, d := range k.disk {
		if id, ok := d.byHand(); ok && e.Spec.Site.Scheduler == results.SchedulerSlurm {
			k.jobs[i] = repeatJob{id: id, submitted: true}
		}
	}
	entries, err := ledgerOf(e)
	k.err = err
	for _, sub := range Submissions(entries) {
		for _, r := range sub.Repeats {
			if sub.Event == results.LedgerRefused && k.jobs[r].submitted {
				continue // nothing was sent, so the job before it still counts
			}
			k.jobs[r] = jobOf(sub, r)
		}
	}
	return k
}

// byHand is the job that an attempt says it ran in: a script that somebody sent by
// hand is in no ledger.
func (d onDisk) byHand() (slurm.JobID, bool) {
	if d.last == nil || d.last.Slurm == nil {
		return slurm.JobID{}, false
	}
	s := d.last.Slurm
	text := s.JobID
	if s.ArrayJobID != "" {
		text = s.ArrayJobID + "_" + s.ArrayTaskID
	}
	id, err := slurm.ParseJobID(text)
	return id, err == nil
}

func jobOf(sub Submission, repeat int) repeatJob {
	j := repeatJob{open: sub.Open, cancelled: sub.Cancelled, refused: sub.Words}
	if sub.JobID == "" {
		return j
	}
	id, err := slurm.ParseJobID(sub.JobID)
	if err != nil {
		j.refused = err.Error()
		return j
	}
	if sub.Array != "" {
		id = id.Element(uint64(repeat))
	}
	j.id, j.submitted = id, true
	return j
}

func lookRepeat(run results.RunDir, index int) onDisk {
	var d onDisk
	attempts, err := run.Attempts(index)
	d.err = err
	d.attempts = len(attempts)
	for _, n := range attempts {
		dir := run.Attempt(index, n)
		a, err := results.ReadJSON[results.Attempt](dir.Attempt(), results.FormatAttempt)
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue // it was just made
		case err != nil:
			d.err = err
			continue
		}
		d.last = &a
		if a.State == results.StateComplete {
			d.complete, d.invalid = true, a.Invalid
		}
		d.progress = nil
		if p, err := results.ReadJSON[results.Progress](dir.Progress(), results.FormatProgress); err == nil {
			d.progress = &p
		}
	}
	return d
}

func (k known) status(a slurm.Answers) RunStatus {
	s := RunStatus{
		Name: k.entry.Name, Dir: string(k.entry.Dir), Site: k.entry.Spec.Site.Name,
		Model: k.entry.Spec.Model.Name, Plan: k.entry.Spec.Plan.Name, Simulated: k.entry.Spec.Simulated,
	}
	if k.err != nil {
		s.Err = k.err.Error()
	}
	for i := 1; i <= k.entry.Spec.Repeats; i++ {
		s.Repeats = append(s.Repeats, k.refresh(judge(i, k.disk[i], k.jobs[i], a), a))
	}
	return s
}
