package slurm

import (
	"errors"
	"time"
)

// Answers are what the controller and the database said about a set of jobs, or
// that they could not be asked. Ask the database after the queue, so that a job
// that leaves the queue in between isn't missed by both.
type Answers struct {
	Queue         []QueueRow
	QueueErr      error // nil: a job without a row is unknown to the controller
	Accounting    []AcctRow
	AccountingErr error
}

// View is what is known about one job or array element.
type View struct {
	ID    JobID
	RawID uint64
	State State // empty where nobody knows the job
	Class Class
	// Final says that the job has ended and will not run again. Exit and the
	// instants are then the database's where it has them.
	Final bool
	// Recorded says that the database has the job's end, so Exit and the instants
	// are exact. The controller's word for an end comes first and has no exit status.
	Recorded bool
	// Gone says that the controller answered and no longer knows the job, while
	// the database has no end for it: it may be late (seconds), stopped, or have
	// lost the record. Not final; whoever waits decides how long to wait, and
	// looks at what the job left behind.
	Gone   bool
	Reason ReasonInfo // for a pending job
	Words  string     // one line for people

	Exit        Exit
	CancelledBy string // uid
	Submit      time.Time
	Start       time.Time // expected, for a pending job
	End         time.Time
	Elapsed     time.Duration
	NodeList    string
	Restarts    int
	Runs        []AcctRow // the database's records of the job itself, oldest first
	Steps       []AcctRow // and of its steps
}

// Never says that the job cannot start as it was submitted.
func (v View) Never() bool { return v.Class == ClassPending && v.Reason.Outlook == OutlookNever }

// Resolve says what the answers mean for one job. It has no clock and asks
// nobody. The controller's word comes first, since only it knows whether a
// job that ended will run again; the database's counts where the controller has
// forgotten the job. What neither can tell stays open: a poll that failed never
// ends a job.
func Resolve(id JobID, a Answers) View {
	v := View{ID: id, RawID: id.Job, Class: ClassUnknown}
	var last, packed *AcctRow
	sibling := false
	for i := range a.Accounting {
		r := &a.Accounting[i]
		switch {
		case r.ID == id:
			v.Runs = append(v.Runs, *r)
			last = r
		case r.ID.StepRef == "" && r.ID.Covers(id):
			packed = r
		case id.Array && r.ID.StepRef == "" && r.ID.Job == id.Job:
			sibling = true
		case r.ID.StepRef != "" && r.ID.Parent() == id:
			v.Steps = append(v.Steps, *r)
		}
	}
	if last == nil && packed != nil {
		// The packed record of an array is written seldom and may still count
		// elements that run, so it speaks only for those without their own.
		last = packed
		v.Runs = append(v.Runs, *packed)
	}
	if last != nil {
		v.fromAccounting(*last)
	}
	q := queueRow(id, a.Queue)
	switch {
	case q != nil:
		v.fromQueue(*q, last)
	case a.QueueErr != nil:
		v.withoutQueue(last, a)
	case last == nil && sibling && a.AccountingErr == nil:
		v.neverRecorded()
	default:
		v.afterQueue(last, a)
	}
	return v
}

// queueRow finds the row of an id. A packed row stands for its elements; the
// row of a running element beats it.
func queueRow(id JobID, rows []QueueRow) *QueueRow {
	var packed *QueueRow
	for i := range rows {
		switch r := &rows[i]; {
		case r.ID == id:
			return r
		case r.ID.Covers(id):
			packed = r
		}
	}
	return packed
}

func (v *View) fromAccounting(r AcctRow) {
	v.RawID, v.State, v.Class = r.RawID, r.State, r.State.Class()
	v.Exit, v.CancelledBy = r.Exit, r.CancelledBy
	v.Submit, v.Start, v.End, v.Elapsed = r.Submit, r.Start, r.End, r.Elapsed
	v.NodeList, v.Restarts = r.NodeList, r.Restarts
	if v.Class == ClassPending && !r.Start.IsZero() && r.End.IsZero() {
		// A step's record that comes before its job's makes an empty one, which
		// sacct calls pending although it has a start (seen on 22.05).
		v.State, v.Class = StateRunning, ClassRunning
	}
	v.Recorded = ended(&r)
}

// ended says whether a record is complete. A database that catches up has the
// final state before the end and the exit status (seen on 22.05).
func ended(r *AcctRow) bool { return r != nil && r.State.Class().Over() && !r.End.IsZero() }

// fromQueue: the controller knows the job.
func (v *View) fromQueue(q QueueRow, last *AcctRow) {
	info := q.State.Info()
	v.RawID, v.State, v.Class = q.RawID, info.State, info.Class
	v.Submit, v.Start = q.Submit, q.Start
	earlier := last != nil && last.Submit.Before(q.Submit)
	if earlier {
		// The database's last record is of an earlier run: requeueing renews the
		// submit time.
		v.Restarts = last.Restarts + 1
	}
	v.Recorded = ended(last) && !earlier && info.Class.Over() && last.State == info.State
	if !v.Recorded {
		v.Exit, v.CancelledBy = Exit{}, ""
	}
	v.Elapsed, v.NodeList, v.Words = q.Elapsed, q.NodeList, info.Words
	switch {
	case info.Class == ClassPending:
		v.End = time.Time{}
		v.Reason = Reason(q.Reason)
		v.Words = "pending: " + v.Reason.Words
		if v.Reason.Remedy != "" {
			v.Words += " (" + v.Reason.Remedy + ")"
		}
	case info.Class.Over():
		// It ended, but squeue doesn't print exit statuses; the database may
		// be behind. The end is final because the controller's state is: a
		// requeued job would be listed as pending.
		v.End = q.End
		v.Final = true
		if v.Recorded {
			v.End = last.End
		}
	default:
		v.End = time.Time{}
	}
}

// withoutQueue: the controller could not be asked.
func (v *View) withoutQueue(last *AcctRow, a Answers) {
	switch {
	case last == nil:
		v.Words = "the controller cannot be asked (" + a.QueueErr.Error() + "), the job's state is not known"
	case v.Recorded && !v.State.Info().Returns:
		v.Final = true
		v.Words = v.State.Info().Words
	case v.Class.Over():
		v.Words = v.State.Info().Words + "; the controller, which may run it again, cannot be asked"
	default:
		v.Words = "the controller cannot be asked; the accounting database last knew: " + v.State.Info().Words
	}
}

// neverRecorded: neither knows this element, while the database has others of
// its array and none that still counts it. The database gets an element's own
// record before the array's packed one is cut, so this one never started: it was
// cancelled while it waited, of which Slurm keeps no record (seen on 22.05).
func (v *View) neverRecorded() {
	v.State, v.Class, v.Final = StateCancelled, ClassCancelled, true
	v.Words = "cancelled before it started"
}

// afterQueue: the controller answered and doesn't know the job.
func (v *View) afterQueue(last *AcctRow, a Answers) {
	switch {
	case v.Recorded:
		v.Final = true
		v.Words = v.State.Info().Words
		return
	case errors.Is(a.AccountingErr, ErrNoAccounting):
		v.Words = "left the queue; this cluster keeps no accounting, so only its files say how it ended"
	case a.AccountingErr != nil:
		v.Words = "left the queue; the accounting database cannot be asked how it ended (" + a.AccountingErr.Error() + ")"
	case last == nil:
		v.Words = "left the queue, not in the accounting database yet"
	default:
		v.Words = "left the queue; the accounting database does not know its end yet"
	}
	v.Gone = true
	v.Class = ClassEnding
}
