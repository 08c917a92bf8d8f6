package suite

import (
	"context"
	"fmt"
	"time"

	"hpcbench/jobs"
	"hpcbench/results"
)

// Part is one thing of an entry's night that takes a job: tonight's run, or some
// pairs of the frozen baseline and the candidate.
type Part struct {
	Entry string
	Look  int // 0 = tonight's run, 1… = pairs
	Pairs int // of this look
}

// Key is the part's name for claims.
func (p Part) Key() string {
	if p.Look == 0 {
		return p.Entry + ".run"
	}
	return fmt.Sprintf("%s.pairs-%d", p.Entry, p.Look)
}

// Made is a part whose run folders are there.
type Made struct {
	Run  jobs.Entry  // tonight's run, or the candidate's side of the pairs
	Base *jobs.Entry // the frozen side of the pairs; nil = none
}

// Draft is a part that is resolved but not there yet.
type Draft struct {
	Spec results.Spec // of tonight's run, or of the candidate's side
	// Publish makes the run folders. The error wraps jobs.ErrExists where somebody else just did.
	Publish func() (Made, error)
}

// Seen is what the judge is shown of an entry.
type Seen struct {
	Entry, Night string
	Run          Made
	Looks        []Made // the pairs so far, in their order
	// NoMore is why no further pairs can be had; "" = they can. The judge then decides with what there is.
	NoMore string
}

// Judgement is what the judge answers. Its words are the judge's own and not understood here.
type Judgement struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
	// Pairs is how many pairs are wanted in all before it can be decided; 0 = it is decided.
	Pairs int `json:"pairs_wanted,omitempty"`
	// Again asks for another look at the same files at the next call: somebody may have mended them.
	Again bool `json:"again,omitempty"`
}

// Machine is one night of a suite.
type Machine struct {
	Dir     string // of the night
	Night   string
	Entries []string // their names, in the suite's order
	// BudgetGPUHours bounds what the night may take; 0 = no bound.
	BudgetGPUHours float64
	// Enough is how many complete repeats of tonight's run can be judged; fewer are trouble.
	Enough int
	Now    func() time.Time
	Say    func(string) // told what is being done; may be nil

	// Open answers a part's runs, false where they aren't there.
	Open func(Part) (Made, bool, error)
	// Resolve makes a part ready to be published.
	Resolve func(context.Context, Part) (Draft, error)
	// Submitter sends a part's jobs.
	Submitter func(Made) (jobs.Submitter, error)
	// Status asks once for all runs.
	Status func(context.Context, []jobs.Entry) ([]jobs.RunStatus, error)
	// Judge decides on an entry, or asks for pairs.
	Judge func(context.Context, Seen) (Judgement, error)
}

// Phases of an entry.
const (
	PhaseWaiting  = "waiting"   // for the budget, or for another hpcbench at work on it
	PhaseUnderWay = "under way" // its jobs are pending or running
	PhaseDecided  = "decided"
	PhaseTrouble  = "trouble"
)

// EntryState is one entry after a call.
type EntryState struct {
	Entry     string     `json:"entry"`
	Phase     string     `json:"phase"`
	Words     string     `json:"words"`
	Run       string     `json:"run,omitempty"`
	Pairs     []string   `json:"pair_runs,omitempty"`
	Judgement *Judgement `json:"judgement,omitempty"`
	GPUHours  float64    `json:"gpu_hours"` // spent, and reserved for what is under way
}

// State is the night after a call.
type State struct {
	Night    string       `json:"night"`
	Entries  []EntryState `json:"entries"`
	GPUHours float64      `json:"gpu_hours"`
}

// Over says that every entry is decided or in trouble.
func (s State) Over() bool {
	for _, e := range s.Entries {
		if e.Phase != PhaseDecided && e.Phase != PhaseTrouble {
			return false
		}
	}
	return true
}

func (m *Machine) say(format string, args ...any) {
	if m.Say != nil {
		m.Say(fmt.Sprintf(format, args...))
	}
}

// load reads what is known of every entry of the suite.
func (m *Machine) load() ([]known, error) {
	events, err := readEvents(m.Dir)
	if err != nil {
		return nil, err
	}
	found := map[string]known{}
	for _, k := range fold(events) {
		found[k.entry] = k
	}
	all := make([]known, len(m.Entries))
	for i, name := range m.Entries {
		k, ok := found[name]
		if !ok {
			k = known{entry: name}
		}
		all[i] = k
	}
	return all, nil
}

// next is the part that an entry needs now.
func (k known) next() Part {
	if k.judgement == nil || k.judgement.Pairs == 0 {
		return Part{Entry: k.entry, Look: k.judged}
	}
	return Part{Entry: k.entry, Look: k.judged + 1, Pairs: k.judgement.Pairs - k.pairs()}
}

// pairs is how many pairs the looks up to the judged one had.
func (k known) pairs() int {
	n := 0
	for _, p := range k.parts {
		if p.look <= k.judged {
			n += p.pairs
		}
	}
	return n
}
