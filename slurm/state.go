package slurm

import "strings"

// State is a job's state by Slurm's long name, such as PENDING. A name that
// this package doesn't know stays as it is and has the class ClassUnknown.
type State string

// The states. The first twelve are base states, the rest are flags, of which
// Slurm's tools print one in place of the base state (job_state_string in
// src/common/slurm_protocol_defs.c, and doc/html/job_state_codes.shtml).
const (
	StatePending     State = "PENDING"
	StateRunning     State = "RUNNING"
	StateSuspended   State = "SUSPENDED"
	StateCompleted   State = "COMPLETED"
	StateCancelled   State = "CANCELLED"
	StateFailed      State = "FAILED"
	StateTimeout     State = "TIMEOUT"
	StateNodeFail    State = "NODE_FAIL"
	StatePreempted   State = "PREEMPTED"
	StateBootFail    State = "BOOT_FAIL"
	StateDeadline    State = "DEADLINE"
	StateOutOfMemory State = "OUT_OF_MEMORY"

	StateCompleting   State = "COMPLETING"
	StateConfiguring  State = "CONFIGURING"
	StateStageOut     State = "STAGE_OUT"
	StateExpediting   State = "EXPEDITING"
	StateResizing     State = "RESIZING"
	StateRequeued     State = "REQUEUED"
	StateRequeueFed   State = "REQUEUE_FED"
	StateRequeueHold  State = "REQUEUE_HOLD"
	StateSpecialExit  State = "SPECIAL_EXIT"
	StateStopped      State = "STOPPED"
	StateRevoked      State = "REVOKED"
	StateResvDelHold  State = "RESV_DEL_HOLD"
	StateSignaling    State = "SIGNALING"
	StateLaunchFailed State = "LAUNCH_FAILED"
	StatePowerUpNode  State = "POWER_UP_NODE"
	StateReconfigFail State = "RECONFIG_FAIL"
	StateUpdateDB     State = "UPDATE_DB"
)

// Class is what a state means for somebody who waits for the job.
type Class string

const (
	ClassPending   Class = "pending"   // waits for its turn
	ClassRunning   Class = "running"   // has its nodes
	ClassEnding    Class = "ending"    // the outcome is not known yet, but soon will be
	ClassRequeued  Class = "requeued"  // will run again under the same id
	ClassHeld      Class = "held"      // will not move until somebody releases it
	ClassDone      Class = "done"      // ended with exit status 0
	ClassFailed    Class = "failed"    // ended otherwise
	ClassCancelled Class = "cancelled" // ended because somebody said so
	ClassUnknown   Class = "unknown"   // not understood: keep waiting
)

// Over says whether the job has ended, as far as the state alone can tell.
func (c Class) Over() bool {
	return c == ClassDone || c == ClassFailed || c == ClassCancelled
}

// StateInfo is one row of the table of states.
type StateInfo struct {
	State State
	Code  string // compact code, as in squeue's ST column; may be empty
	Class Class
	// Returns says that Slurm itself may run the job again under the same id, where the job or
	// the partition allows requeueing. The state is then final only when the
	// controller no longer lists the job.
	Returns bool
	Words   string // what it means, for people
}

// states is the only place that says what a state means.
var states = []StateInfo{
	{StatePending, "PD", ClassPending, false, "waiting in the queue"},
	{StateRunning, "R", ClassRunning, false, "running"},
	{StateSuspended, "S", ClassRunning, true, "suspended: holds its nodes but does not run; what it measures now is not valid"},
	{StateCompleted, "CD", ClassDone, false, "ended with exit status 0"},
	{StateCancelled, "CA", ClassCancelled, false, "cancelled"},
	{StateFailed, "F", ClassFailed, false, "ended with an exit status other than 0"},
	{StateTimeout, "TO", ClassFailed, false, "ended by Slurm at its time limit"},
	{StateNodeFail, "NF", ClassFailed, true, "a node was lost under it"},
	{StatePreempted, "PR", ClassFailed, true, "ended to make room for a job with higher priority"},
	{StateBootFail, "BF", ClassFailed, true, "its nodes did not boot"},
	{StateDeadline, "DL", ClassFailed, false, "ended because it could no longer finish before its deadline"},
	{StateOutOfMemory, "OOM", ClassFailed, false, "used more memory than it asked for"},

	{StateCompleting, "CG", ClassEnding, false, "ending: Slurm is cleaning up its nodes"},
	{StateConfiguring, "CF", ClassRunning, false, "has its nodes and waits for them to be ready"},
	{StateStageOut, "SO", ClassEnding, false, "ended, its data are being staged out"},
	{StateExpediting, "", ClassRequeued, false, "will run again, with the highest priority"},
	{StateResizing, "RS", ClassRunning, false, "its size is being changed"},
	{StateRequeued, "RQ", ClassRequeued, true, "put back into the queue, will run again"},
	{StateRequeueFed, "RF", ClassRequeued, true, "put back into the queue of the federation"},
	{StateRequeueHold, "RH", ClassHeld, true, "put back into the queue and held: somebody must release it (scontrol release)"},
	{StateSpecialExit, "SE", ClassHeld, true, "put back and held after a special exit: somebody must release it (scontrol release)"},
	{StateStopped, "ST", ClassRunning, true, "stopped with SIGSTOP, keeps its nodes"},
	{StateRevoked, "RV", ClassCancelled, false, "runs as another job, on another cluster of the federation"},
	{StateResvDelHold, "RD", ClassHeld, true, "held because its reservation was deleted"},
	{StateSignaling, "SI", ClassEnding, false, "is being sent a signal"},
	{StateLaunchFailed, "", ClassEnding, true, "could not be started on its nodes"},
	{StatePowerUpNode, "", ClassRunning, false, "has its nodes and waits for them to be powered up"},
	{StateReconfigFail, "", ClassEnding, true, "its nodes could not be configured"},
	{StateUpdateDB, "", ClassEnding, false, "is being written to the accounting database"},
}

var stateByName = func() map[string]StateInfo {
	m := make(map[string]StateInfo, 2*len(states))
	for _, s := range states {
		m[string(s.State)] = s
		if s.Code != "" {
			m[s.Code] = s
		}
	}
	return m
}()

// States returns the table, for documentation and tests.
func States() []StateInfo { return append([]StateInfo(nil), states...) }

// Info is the state's row. An unknown state has the class ClassUnknown and
// words that say so.
func (s State) Info() StateInfo {
	if info, ok := stateByName[string(s)]; ok {
		return info
	}
	name := string(s)
	if name == "" {
		name = "no state"
	}
	return StateInfo{State: s, Class: ClassUnknown, Words: name + ": not known to this version, waiting on"}
}

// Class is short for Info().Class.
func (s State) Class() Class { return s.Info().Class }

// ParseState reads a state as any tool writes it: long or compact, any case,
// "CANCELLED by 1000" (by is then the uid), cut short with a plus, or a base
// state with its flags after commas or plus signs, of which the flag counts.
func ParseState(text string) (state State, by string) {
	text = strings.TrimSpace(text)
	head, rest, _ := strings.Cut(text, " ")
	if who, ok := strings.CutPrefix(strings.TrimSpace(rest), "by "); ok {
		by = strings.TrimSpace(who)
	}
	parts := strings.FieldsFunc(strings.ToUpper(head), func(r rune) bool { return r == ',' || r == '+' })
	for i := len(parts) - 1; i >= 0; i-- {
		if info, ok := stateByName[strings.TrimSpace(parts[i])]; ok {
			return info.State, by
		}
	}
	if len(parts) == 0 {
		return "", by
	}
	return State(strings.TrimSpace(parts[0])), by
}
