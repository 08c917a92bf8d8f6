package gate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/compare"
)

// Pairs are one suspect's figures from the confirming job: Base[i] and New[i]
// were measured next to each other, with the same schedule.
type Pairs struct {
	Key
	Base []float64 `json:"base"`
	New  []float64 `json:"new"`
	// Asked is how many pairs were tried; the looks go by it, since a pair that failed was a look as well. 0 = as many as there are.
	Asked int `json:"asked"`
	// Aside is why the two sides can't be compared in this metric, such as answers of other lengths; "" = they can.
	Aside string `json:"aside,omitempty"`
	// Prior is what the step's own history says of the variance of a pair's difference.
	Prior Prior `json:"prior"`
}

// Prior is a variance known before, and how much it counts.
type Prior struct {
	Variance float64 `json:"variance"`
	DF       float64 `json:"df"`
}

// PriorFromRepeats takes the variance of a pair's difference from the repeats
// within earlier nights of the same step and metric: twice the pooled variance
// within a night. History of other steps misleads and must not come in here.
func PriorFromRepeats(nights [][]float64, better aggregate.Direction, maxDF float64) Prior {
	ss, df := 0.0, 0.0
	for _, values := range nights {
		logs := make([]float64, 0, len(values))
		for _, v := range values {
			if w, ok := worse(v, better); ok {
				logs = append(logs, w)
			}
		}
		if len(logs) < 2 {
			continue
		}
		_, variance := meanVar(logs)
		ss += variance * float64(len(logs)-1)
		df += float64(len(logs) - 1)
	}
	if df == 0 {
		return Prior{}
	}
	return Prior{Variance: 2 * ss / df, DF: math.Min(df, maxDF)}
}

// moderated pools the observed variance with the prior: s̃² = (d0·s0² + d·s²)/(d0 + d).
func (p Prior) moderated(variance, df float64) (float64, float64) {
	if p.DF <= 0 {
		return variance, df
	}
	return (p.DF*p.Variance + df*variance) / (p.DF + df), p.DF + df
}

// ConfirmRow is one suspect after the pairs so far.
type ConfirmRow struct {
	Key
	Pairs    int     `json:"pairs"` // valid ones
	Asked    int     `json:"asked"`
	Worse    float64 `json:"worse"`        // estimate, 0.05 = 5 % worse
	Low      float64 `json:"worse_low_95"` // 95 % interval of the estimate
	Upper    float64 `json:"worse_high_95"`
	P        float64 `json:"p"`          // one-sided
	Adjusted float64 `json:"p_adjusted"` // Holm over the rows of the entry
	// Detectable is the smallest slowdown that would have been red four times in five.
	Detectable float64 `json:"detectable"`
	State      State   `json:"state"` // Red, Green, MachineChanged, NeedsPairs, Inconclusive or Invalid
	Reason     string  `json:"reason"`
	logs       struct{ mean, se, df float64 }
}

// Confirm judges the suspects after some pairs. Rows is how many rows (steps ×
// gate metrics) the entry has in all: Holm's correction is over them, since a
// suspect was picked among them. screen holds the suspects' rows by key.
func (r Rule) Confirm(pairs []Pairs, rows int, screen map[Key]ScreenRow, gates map[string]compare.Gate) []ConfirmRow {
	out := make([]ConfirmRow, len(pairs))
	p := make([]float64, max(rows, len(pairs)))
	for i := range p {
		p[i] = 1
	}
	for i, pr := range pairs {
		out[i] = confirmRow(pr)
		if pr.Aside != "" {
			out[i].State, out[i].Reason = Inconclusive, "the two sides can't be compared: "+pr.Aside
			continue
		}
		if out[i].State == Invalid && out[i].Pairs < aggregate.MinRepeats && r.look(out[i].Asked) < len(r.Looks)-1 && known(pr.Metric) {
			out[i].State = NeedsPairs // the next look may have better luck
		}
		if out[i].State == "" {
			p[i] = out[i].P
		}
	}
	adjusted := compare.Holm(p)
	for i := range out {
		if out[i].State != "" {
			continue
		}
		out[i].Adjusted = adjusted[i]
		r.decide(&out[i], pairs[i], len(p), screen[pairs[i].Key], gates[pairs[i].Metric])
	}
	return out
}

// confirmRow makes the estimate and its test; State is Invalid where it can't.
func confirmRow(pr Pairs) ConfirmRow {
	row := ConfirmRow{Key: pr.Key, Pairs: min(len(pr.Base), len(pr.New)), Asked: pr.Asked, P: 1, Adjusted: 1}
	if row.Asked == 0 {
		row.Asked = row.Pairs
	}
	m, known := aggregate.MetricByName(pr.Metric)
	if !known {
		row.State, row.Reason = Invalid, fmt.Sprintf("there is no metric %q", pr.Metric)
		return row
	}
	var d []float64
	for i := range row.Pairs {
		b, okB := worse(pr.Base[i], m.Better)
		n, okN := worse(pr.New[i], m.Better)
		if okB && okN {
			d = append(d, n-b)
		}
	}
	row.Pairs = len(d)
	if len(d) < aggregate.MinRepeats {
		row.State, row.Reason = Invalid, fmt.Sprintf("%d valid pairs, %d are needed", len(d), aggregate.MinRepeats)
		return row
	}
	mean, variance := meanVar(d)
	variance, df := pr.Prior.moderated(variance, float64(len(d)-1))
	se := math.Sqrt(variance / float64(len(d)))
	row.logs.mean, row.logs.se, row.logs.df = mean, se, df
	row.Worse = share(mean)
	row.P = tail(mean, se, df)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}
	half := t.Quantile(0.975) * se
	row.Low, row.Upper = share(mean-half), share(mean+half)
	return row
}

// decide gives a suspect its state after the look that its pairs amount to.
func (r Rule) decide(row *ConfirmRow, pr Pairs, rows int, screen ScreenRow, gate compare.Gate) {
	look := r.look(row.Asked)
	alpha := r.alphaOf(look)
	red, green := scaled(r.RedShare, gate.Tolerance), scaled(r.GreenShare, gate.Tolerance)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: row.logs.df}
	row.Detectable = share(math.Max((t.Quantile(1-alpha/float64(rows))+t.Quantile(0.8))*row.logs.se, math.Log1p(red)))
	words := fmt.Sprintf("%+.1f %% (at most %+.1f %%) over %d pairs", row.Worse*100, row.Upper*100, row.Pairs)
	switch {
	case look >= 1 && row.Adjusted < alpha && row.Worse >= red:
		row.State, row.Reason = Red, fmt.Sprintf("%s, p %.2g over %d rows", words, row.Adjusted, rows)
	case row.Upper < green:
		row.State, row.Reason = Green, words
		if changed := r.machine(pr, screen, gate); changed != "" {
			row.State, row.Reason = MachineChanged, words+": "+changed
		}
	case look < len(r.Looks)-1:
		row.State, row.Reason = NeedsPairs, fmt.Sprintf("%s decides nothing yet", words)
	default:
		row.State, row.Reason = Inconclusive, fmt.Sprintf("%s; a slowdown from %.0f %% on would have been found", words, row.Detectable*100)
	}
}

// look is the index of the last look that so many pairs reach, −1 before the first.
func (r Rule) look(pairs int) int {
	at := -1
	for i, n := range r.Looks {
		if pairs >= n {
			at = i
		}
	}
	return at
}

// alphaOf splits the chance of a false red over the looks that can be red: all but the first.
func (r Rule) alphaOf(look int) float64 {
	if look < 1 {
		return r.Alpha / float64(max(1, len(r.Looks)-1))
	}
	return r.Alpha / float64(len(r.Looks)-1)
}

// machine says that the frozen baseline itself is slower tonight than its
// history, by more than noise between nights explains; "" = it isn't.
func (r Rule) machine(pr Pairs, screen ScreenRow, gate compare.Gate) string {
	m, _ := aggregate.MetricByName(pr.Metric)
	base, ok := meanWorse(pr.Base, m.Better)
	if !ok || screen.History == nil || screen.PHistory == nil || screen.WorseThanHistory == nil {
		return ""
	}
	history, ok := worse(*screen.History, m.Better)
	if !ok {
		return ""
	}
	by := share(base - history)
	if by <= scaled(r.Suspect, gate.Tolerance) || *screen.WorseThanHistory <= scaled(r.Suspect, gate.Tolerance) || *screen.PHistory >= r.Alpha {
		return ""
	}
	return fmt.Sprintf("the frozen baseline itself is %.1f %% worse tonight than in the last %d nights", by*100, screen.Nights)
}

func known(metric string) bool {
	_, ok := aggregate.MetricByName(metric)
	return ok
}

// PairsWanted is how many pairs the next look needs, 0 where nothing is undecided.
func (r Rule) PairsWanted(rows []ConfirmRow) int {
	want := 0
	for _, row := range rows {
		asked := max(row.Asked, row.Pairs)
		if row.State == NeedsPairs && asked < r.Looks[len(r.Looks)-1] {
			want = max(want, r.Looks[min(r.look(asked)+1, len(r.Looks)-1)])
		}
	}
	return want
}
