package gate

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/compare"
)

// Figures are one row's repeats of one night.
type Figures struct {
	Key
	Values []float64 `json:"values"` // one a valid repeat
	// Repeats asked for; fewer valid ones are said, under three can't be judged.
	Asked int `json:"asked"`
}

// Past is what is known of one row from before.
type Past struct {
	Nights [][]float64 // the repeats of the last good nights, oldest first
	Pinned []float64   // the repeats of the pinned baseline; empty = none
}

// ScreenRow is one row of tonight against the past.
type ScreenRow struct {
	Key
	Tonight float64  `json:"tonight"` // geometric mean
	N       int      `json:"n"`
	Nights  int      `json:"nights"`
	History *float64 `json:"history,omitempty"` // geometric mean of the night means
	Pinned  *float64 `json:"pinned,omitempty"`
	// How much worse than each, with the one-sided p where there is a spread.
	WorseThanHistory *float64 `json:"worse_than_history,omitempty"`
	PHistory         *float64 `json:"p_history,omitempty"`
	WorseThanPinned  *float64 `json:"worse_than_pinned,omitempty"`
	PPinned          *float64 `json:"p_pinned,omitempty"`
	State            State    `json:"state"` // Green, NeedsPairs, Learning or Invalid
	Reason           string   `json:"reason"`
}

// Screen judges one row of tonight against the past.
func (r Rule) Screen(tonight Figures, past Past, gate compare.Gate) ScreenRow {
	m, known := aggregate.MetricByName(tonight.Metric)
	row := ScreenRow{Key: tonight.Key, N: len(tonight.Values), Nights: len(past.Nights)}
	if !known {
		row.State, row.Reason = Invalid, fmt.Sprintf("there is no metric %q", tonight.Metric)
		return row
	}
	x, ok := meanWorse(tonight.Values, m.Better)
	if !ok || row.N < aggregate.MinRepeats {
		row.State = Invalid
		row.Reason = fmt.Sprintf("%d of %d repeats have a valid figure, %d are needed", row.N, tonight.Asked, aggregate.MinRepeats)
		return row
	}
	row.Tonight = unworse(x, m.Better)
	var nights []float64
	for _, values := range past.Nights {
		if y, ok := meanWorse(values, m.Better); ok {
			nights = append(nights, y)
		}
	}
	row.Nights = len(nights)
	sd := row.againstHistory(x, nights, m.Better)
	row.againstPinned(x, past.Pinned, sd, len(nights), m.Better)
	if row.Nights < r.MinNights {
		row.State = Learning
		row.Reason = fmt.Sprintf("%d of %d good nights known", row.Nights, r.MinNights)
		return row
	}
	suspect := func(what string, by, p *float64) string {
		switch {
		case by == nil:
			return ""
		case *by > scaled(r.Suspect, gate.Tolerance):
			return fmt.Sprintf("%.1f %% worse than %s", *by*100, what)
		case *by > scaled(r.SuspectIfSure, gate.Tolerance) && p != nil && *p < r.SureP:
			return fmt.Sprintf("%.1f %% worse than %s (p %.2g)", *by*100, what, *p)
		}
		return ""
	}
	var reasons []string
	for _, words := range []string{suspect(fmt.Sprintf("the last %d nights", row.Nights), row.WorseThanHistory, row.PHistory), suspect("the pinned baseline", row.WorseThanPinned, row.PPinned)} {
		if words != "" {
			reasons = append(reasons, words)
		}
	}
	if len(reasons) > 0 {
		row.State, row.Reason = NeedsPairs, strings.Join(reasons, ", ")
		return row
	}
	row.State, row.Reason = Green, "no worse than before"
	return row
}

// againstHistory compares tonight's mean with those of earlier nights: SE =
// s_night·√(1 + 1/K), K−1 degrees. It answers s_night, 0 where unknown.
func (row *ScreenRow) againstHistory(x float64, nights []float64, better aggregate.Direction) float64 {
	if len(nights) == 0 {
		return 0
	}
	mean, variance := meanVar(nights)
	history := unworse(mean, better)
	by := share(x - mean)
	row.History, row.WorseThanHistory = &history, &by
	if len(nights) < 2 {
		return 0
	}
	sd := math.Sqrt(variance)
	k := float64(len(nights))
	p := tail(x-mean, sd*math.Sqrt(1+1/k), k-1)
	row.PHistory = &p
	return sd
}

// againstPinned compares tonight's mean with the pinned baseline's, which is
// one night as well: SE = s_night·√2.
func (row *ScreenRow) againstPinned(x float64, pinned []float64, sd float64, nights int, better aggregate.Direction) {
	y, ok := meanWorse(pinned, better)
	if !ok {
		return
	}
	base := unworse(y, better)
	by := share(x - y)
	row.Pinned, row.WorseThanPinned = &base, &by
	if nights >= 2 {
		p := tail(x-y, sd*math.Sqrt2, float64(nights-1))
		row.PPinned = &p
	}
}

// tail is the chance of a difference as large in the bad direction.
func tail(diff, se, df float64) float64 {
	if se == 0 {
		if diff > 0 {
			return 0
		}
		return 1
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(diff / se)
}

// meanWorse is the mean badness of repeats; false where there is none or one has no logarithm.
func meanWorse(values []float64, better aggregate.Direction) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	sum := 0.0
	for _, v := range values {
		w, ok := worse(v, better)
		if !ok {
			return 0, false
		}
		sum += w
	}
	return sum / float64(len(values)), true
}

func unworse(w float64, better aggregate.Direction) float64 {
	if better == aggregate.HigherBetter {
		return math.Exp(-w)
	}
	return math.Exp(w)
}

// meanVar is the mean and the variance (n−1) of at least one value; of one the variance is 0.
func meanVar(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	return mean, variance / float64(len(x)-1)
}
