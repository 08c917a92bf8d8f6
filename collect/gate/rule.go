package gate

import (
	"math"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/compare"
)

// Rule holds the numbers of the rule. Shares are relative: 0.03 = 3 % worse.
type Rule struct {
	MinNights int // good nights needed before a night may be red
	// A row is suspect when it is worse by more than Suspect, or by more than SuspectIfSure with p below SureP.
	Suspect       float64
	SuspectIfSure float64
	SureP         float64

	Looks []int   // pairs after which is looked; the first can't be red
	Alpha float64 // chance of a false red over all rows and looks
	// Red needs an estimate of at least RedShare, green an upper bound below GreenShare; both are for a
	// tolerance of 5 % and go with it.
	RedShare   float64
	GreenShare float64
	// MaxPriorDF bounds how much a step's history counts in its variance.
	MaxPriorDF float64
	// InconclusiveNights in a row fail.
	InconclusiveNights int
}

// DefaultRule was chosen by simulation.
var DefaultRule = Rule{
	MinNights: 8, Suspect: 0.03, SuspectIfSure: 0.02, SureP: 0.05,
	Looks: []int{5, 10, 15}, Alpha: 0.01, RedShare: 0.05, GreenShare: 0.08, MaxPriorDF: 20, InconclusiveNights: 3,
}

// Key is one gate metric of one step.
type Key struct {
	Step   string `json:"step"` // id
	Metric string `json:"metric"`
}

// State is what the gate says of a night.
type State string

// States.
const (
	Green          State = "green"
	Red            State = "red"
	Inconclusive   State = "inconclusive"
	MachineChanged State = "machine changed"
	Learning       State = "learning"
	Invalid        State = "invalid"
	NeedsPairs     State = "needs pairs" // suspects are to be confirmed, or need more pairs
)

// Verdict is the word of comparisons for a state.
func (s State) Verdict() compare.Verdict {
	switch s {
	case Green, Learning:
		return compare.NoChange
	case Red:
		return compare.Regressed
	case MachineChanged:
		return compare.MachineChanged
	case Invalid:
		return compare.Invalid
	}
	return compare.Inconclusive
}

// worse turns a figure into how bad it is on a log scale; false where it has no logarithm.
func worse(x float64, better aggregate.Direction) (float64, bool) {
	if !(x > 0) || math.IsInf(x, 1) {
		return 0, false
	}
	if better == aggregate.HigherBetter {
		return -math.Log(x), true
	}
	return math.Log(x), true
}

// share turns a log difference into a relative one: 0.05 = 5 % worse.
func share(log float64) float64 { return math.Expm1(log) }

// scaled is a limit of the rule for a gate's own tolerance.
func scaled(limit, tolerance float64) float64 {
	if tolerance <= 0 {
		return limit
	}
	return limit * tolerance / 0.05
}
