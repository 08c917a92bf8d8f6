package aggregate

import (
	"math"
	"math/rand/v2"
	"slices"

	"hpcbench/collect/read"
	"hpcbench/results"
)

// Overhead is what going through a gateway adds to one quantity, at one number
// of streams. It is a difference of percentiles in each ABBA block, which is
// not the percentile of differences.
type Overhead struct {
	Quantity string  `json:"quantity"` // "e2e_ms.p50"
	Label    string  `json:"label"`
	Unit     string  `json:"unit"`
	Streams  int     `json:"streams"`
	Primary  bool    `json:"primary"` // the endpoint that decides; the others are shown
	Blocks   int     `json:"blocks"`
	Direct   float64 `json:"direct"` // mean over blocks
	Gateway  float64 `json:"gateway"`
	// Added is the difference; its interval is t over blocks.
	Added Estimate `json:"added"`
	// HodgesLehmann is the median of all pairwise means: robust against one odd block.
	HodgesLehmann float64  `json:"added_hodges_lehmann"`
	P             *float64 `json:"p_sign_flip,omitempty"`   // two-sided
	Share         *float64 `json:"added_share,omitempty"`   // of the direct figure
	Control       *float64 `json:"control_added,omitempty"` // direct against direct: the noise floor
	ControlHalf   *float64 `json:"control_half_width_95,omitempty"`

	direct, gateway []float64 // of each block
}

// Legs are the two ways' own figures of each block.
func (o Overhead) Legs() (direct, gateway []float64) { return o.direct, o.gateway }

var overheadMetrics = []struct {
	metric  string
	primary bool
}{
	{"corrected.e2e_ms.p50", true}, {"corrected.e2e_ms.p95", false}, {"corrected.ttft_ms.p50", false}, {"corrected.ttft_ms.p95", false},
	{"corrected.first_event_ms.p50", false}, {"corrected.gap_ms.p50", false}, {"corrected.tokens_per_event", false},
}

// blockKey is one block of one repeat at one number of streams.
type blockKey struct{ repeat, block, streams int }

// Gateway makes the overhead of every quantity from the blocks of all repeats.
// Steps that don't count are left out, and with them their block; so is a block that
// was cut between two turns, since a drift falls on both ways alike only in a whole one.
func Gateway(run *read.Run) []Overhead {
	arms := map[blockKey]map[string][]*results.StepSummary{}
	spoiled := map[blockKey]bool{}
	var levels []int
	for i := range run.Repeats {
		r := &run.Repeats[i]
		if r.Summary == nil {
			continue
		}
		for j := range r.Summary.Steps {
			s := &r.Summary.Steps[j]
			if s.Step.Arm == "" {
				continue
			}
			k := blockKey{r.Index, s.Step.Block, s.Step.Streams}
			if cause(r, s) != "" {
				spoiled[k] = true
				continue
			}
			if arms[k] == nil {
				arms[k] = map[string][]*results.StepSummary{}
			}
			arms[k][s.Step.Arm] = append(arms[k][s.Step.Arm], s)
			if !slices.Contains(levels, s.Step.Streams) {
				levels = append(levels, s.Step.Streams)
			}
		}
	}
	slices.Sort(levels)
	keys := make([]blockKey, 0, len(arms))
	for k := range arms {
		if !spoiled[k] && whole(arms[k]) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b blockKey) int { return (a.repeat-b.repeat)*1_000_000 + (a.block - b.block) })
	var out []Overhead
	for _, level := range levels {
		for _, q := range overheadMetrics {
			if o, ok := overhead(q.metric, q.primary, level, keys, arms); ok {
				out = append(out, o)
			}
		}
	}
	return out
}

// whole says that every arm had its turn forwards and backwards.
func whole(block map[string][]*results.StepSummary) bool {
	for _, turns := range block {
		if len(turns) != 2 {
			return false
		}
	}
	return len(block) > 1
}

func overhead(metric string, primary bool, level int, keys []blockKey, arms map[blockKey]map[string][]*results.StepSummary) (Overhead, bool) {
	m, ok := MetricByName(metric)
	if !ok {
		return Overhead{}, false
	}
	o := Overhead{Quantity: metric, Label: m.Label, Unit: m.Unit, Streams: level, Primary: primary}
	var added, control []RepeatValue
	for _, k := range keys {
		if k.streams != level {
			continue
		}
		d, okD := armValue(m, arms[k][results.ArmDirect])
		g, okG := armValue(m, arms[k][results.ArmGateway])
		if !okD || !okG {
			continue
		}
		o.Blocks++
		o.Direct += d
		o.Gateway += g
		o.direct, o.gateway = append(o.direct, d), append(o.gateway, g)
		added = append(added, RepeatValue{Repeat: k.block, Value: g - d})
		if c, okC := armValue(m, arms[k][results.ArmControl]); okC {
			control = append(control, RepeatValue{Repeat: k.block, Value: c - d})
		}
	}
	if o.Blocks == 0 {
		return o, false
	}
	o.Direct /= float64(o.Blocks)
	o.Gateway /= float64(o.Blocks)
	o.Added = Summarise(metric, added)
	x, _ := o.Added.Values()
	o.HodgesLehmann = hodgesLehmann(x)
	if len(x) >= 2 {
		p := signFlip(x)
		o.P = &p
	}
	if o.Direct > 0 {
		s := *o.Added.Mean / o.Direct
		o.Share = &s
	}
	if len(control) > 0 {
		c := Summarise(metric, control)
		o.Control, o.ControlHalf = c.Mean, c.Half()
	}
	return o, true
}

// armValue is an arm's figure in a block: the mean of its turns.
func armValue(m Metric, turns []*results.StepSummary) (float64, bool) {
	sum := 0.0
	for _, s := range turns {
		v, ok := m.Of(s)
		if !ok || v.Unbounded {
			return 0, false
		}
		sum += v.X
	}
	return sum / float64(max(1, len(turns))), len(turns) > 0
}

// hodgesLehmann is the median of the means of all pairs, each value with itself too.
func hodgesLehmann(x []float64) float64 {
	var means []float64
	for i := range x {
		for j := i; j < len(x); j++ {
			means = append(means, (x[i]+x[j])/2)
		}
	}
	slices.Sort(means)
	return Quantile(means, 0.5)
}

// signFlip is the two-sided p of the mean under random signs: exact up to
// 2^16 of them, else from 100,000 random ones with a fixed seed.
func signFlip(x []float64) float64 {
	observed := math.Abs(sum(x)) * (1 - 1e-12)
	if len(x) <= 16 {
		hits := 0
		for mask := range 1 << len(x) {
			s := 0.0
			for i, v := range x {
				if mask>>i&1 == 1 {
					v = -v
				}
				s += v
			}
			if math.Abs(s) >= observed {
				hits++
			}
		}
		return float64(hits) / float64(int(1)<<len(x))
	}
	const rounds = 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	hits := 1
	for range rounds {
		s := 0.0
		for _, v := range x {
			if rng.Uint64()&1 == 1 {
				v = -v
			}
			s += v
		}
		if math.Abs(s) >= observed {
			hits++
		}
	}
	return float64(hits) / (rounds + 1)
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}
