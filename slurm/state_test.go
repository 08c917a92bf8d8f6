package slurm

import (
	"strings"
	"testing"
)

func TestParseState(t *testing.T) {
	for in, want := range map[string]State{
		"PENDING": StatePending, "pd": StatePending, "CANCELLED by 1000": StateCancelled, "CANCELLED+": StateCancelled,
		"OUT_OF_MEMORY": StateOutOfMemory, "OOM": StateOutOfMemory, "RUNNING,COMPLETING": StateCompleting,
		"RUNNING+COMPLETING": StateCompleting, " REQUEUE_HOLD ": StateRequeueHold, "": "", "BRAND_NEW": "BRAND_NEW",
	} {
		if got, _ := ParseState(in); got != want {
			t.Errorf("ParseState(%q) = %q, want %q", in, got, want)
		}
	}
	if _, by := ParseState("CANCELLED by 1000"); by != "1000" {
		t.Errorf("cancelled by %q", by)
	}
}

// The states that fool tools: none of them may be taken for an end.
func TestStatesThatAreNoEnd(t *testing.T) {
	for _, s := range []State{StateCompleting, StateRequeued, StateRequeueHold, StateSpecialExit, StateSuspended, StateStopped,
		StateConfiguring, StateStageOut, StateResizing, StateSignaling, StateRequeueFed, StateLaunchFailed, "", "SOMETHING_NEW"} {
		if s.Class().Over() {
			t.Errorf("%q counts as ended", s)
		}
	}
	for s, want := range map[State]Class{
		StateCompleted: ClassDone, StateTimeout: ClassFailed, StateOutOfMemory: ClassFailed, StateNodeFail: ClassFailed,
		StatePreempted: ClassFailed, StateBootFail: ClassFailed, StateDeadline: ClassFailed, StateCancelled: ClassCancelled,
		StateRevoked: ClassCancelled, "SOMETHING_NEW": ClassUnknown,
	} {
		if got := s.Class(); got != want {
			t.Errorf("%s is %s, want %s", s, got, want)
		}
	}
	for _, s := range []State{StateNodeFail, StatePreempted, StateBootFail, StateRequeued} {
		if !s.Info().Returns {
			t.Errorf("%s is said never to come back", s)
		}
	}
}

func TestEveryStateHasItsRow(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range States() {
		if s.Words == "" || s.Class == "" || s.Class == ClassUnknown {
			t.Errorf("%s: row not filled: %+v", s.State, s)
		}
		for _, key := range []string{string(s.State), s.Code} {
			if key != "" && seen[key] {
				t.Errorf("%s is in the table twice", key)
			}
			seen[key] = true
		}
	}
}

func FuzzParseState(f *testing.F) {
	f.Add("CANCELLED by 1000")
	f.Add("RUNNING,COMPLETING+")
	f.Fuzz(func(t *testing.T, s string) {
		state, _ := ParseState(s)
		if again, _ := ParseState(string(state)); again != state {
			t.Errorf("%q is read as %q, that as %q", s, state, again)
		}
		if strings.TrimSpace(state.Info().Words) == "" {
			t.Errorf("%q has no words", s)
		}
	})
}
