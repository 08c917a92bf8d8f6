package gate

import (
	"fmt"
	"math"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/read"
)

// Parts are the variance parts of one row, measured by running the same
// software again and again. They are standard deviations of logarithms (0.02 =
// 2 %); a nil one can't be told from these runs, and Note says why.
type Parts struct {
	Key
	Nights  int      `json:"nights"`
	Repeats int      `json:"repeats"`
	Repeat  *float64 `json:"repeat_sd,omitempty"` // on one node within a night
	Node    *float64 `json:"node_sd,omitempty"`   // between nodes within a night
	Night   *float64 `json:"night_sd,omitempty"`  // between nights, over what nodes and repeats explain
	Note    string   `json:"note,omitempty"`
}

// Within is the standard deviation between repeats of a night, whatever their node.
func (p Parts) Within() float64 {
	v := 0.0
	for _, s := range []*float64{p.Repeat, p.Node} {
		if s != nil {
			v += *s * *s
		}
	}
	return math.Sqrt(v)
}

// observation is one repeat's figure with what it belongs to.
type observation struct {
	night, node string
	value       float64 // worse, log scale
}

// AA takes the variance parts of every row from runs of the same software, one
// run a night. Methods: pooled variances and differences of mean squares, a
// negative part is 0.
func AA(runs []*read.Run, e Entry) []Parts {
	rows := map[Key][]observation{}
	var order []Key
	for _, run := range runs {
		t := aggregate.Of(run)
		for i := range t.Steps {
			s := &t.Steps[i]
			if !e.Judged(s.Step.ID) {
				continue
			}
			for _, g := range e.Gates {
				k := Key{s.Step.ID, g.Metric}
				if rows[k] == nil {
					order = append(order, k)
				}
				rows[k] = append(rows[k], observations(run, s, g.Metric)...)
			}
		}
	}
	var out []Parts
	for _, k := range order {
		out = append(out, parts(k, rows[k]))
	}
	return out
}

func observations(run *read.Run, s *aggregate.Step, metric string) []observation {
	m, ok := aggregate.MetricByName(metric)
	e, has := s.Estimate(metric)
	if !ok || !has {
		return nil
	}
	nodes := map[int]string{}
	for i := range run.Repeats {
		if a := run.Repeats[i].Attempt; a != nil {
			nodes[run.Repeats[i].Index] = a.Node.Hostname
		}
	}
	var out []observation
	for _, r := range e.Raw {
		if w, ok := worse(r.Value, m.Better); ok && !r.Unbounded {
			out = append(out, observation{night: string(run.Dir), node: nodes[r.Repeat], value: w})
		}
	}
	return out
}

// parts splits the variance of one row.
func parts(k Key, all []observation) Parts {
	p := Parts{Key: k, Repeats: len(all)}
	nights := group(all, func(o observation) string { return o.night })
	p.Nights = len(nights)
	cells := group(all, func(o observation) string { return o.night + "\x00" + o.node })
	repeatVar, repeatDF := pooled(cells)
	nodeVar, nodeKnown := 0.0, false
	perNight := float64(len(all)) / math.Max(1, float64(len(nights)))
	switch {
	case repeatDF > 0:
		sd := math.Sqrt(repeatVar)
		p.Repeat = &sd
		if nodeVar, nodeKnown = between(nights, cells, repeatVar); nodeKnown {
			sd := math.Sqrt(nodeVar)
			p.Node = &sd
		} else {
			p.Note = "each night ran on one node: the node's part is in the night's"
		}
	default:
		within, df := pooled(nights)
		if df == 0 {
			p.Note = "one repeat a night: nothing can be told apart"
			return p
		}
		sd := math.Sqrt(within)
		p.Repeat = &sd
		repeatVar = within
		p.Note = "every repeat had a node of its own: the repeat's part holds the node's"
	}
	if len(nights) < 2 {
		p.Note = joinWords(p.Note, "one night: the night's part isn't known")
		return p
	}
	var means []float64
	cellsANight := 0.0
	for _, n := range nights {
		mean, _ := meanVar(n.values)
		means = append(means, mean)
		cellsANight += float64(len(n.nodes))
	}
	cellsANight /= float64(len(nights))
	_, v := meanVar(means)
	night := math.Sqrt(math.Max(0, v-repeatVar/perNight-nodeVar/cellsANight))
	p.Night = &night
	return p
}

type cell struct {
	values []float64
	nodes  map[string]bool
	night  string
}

func group(all []observation, by func(observation) string) []*cell {
	at := map[string]*cell{}
	var out []*cell
	for _, o := range all {
		c := at[by(o)]
		if c == nil {
			c = &cell{nodes: map[string]bool{}, night: o.night}
			at[by(o)] = c
			out = append(out, c)
		}
		c.values = append(c.values, o.value)
		c.nodes[o.node] = true
	}
	return out
}

// pooled is the variance within groups and its degrees of freedom.
func pooled(groups []*cell) (variance, df float64) {
	ss := 0.0
	for _, g := range groups {
		if len(g.values) > 1 {
			_, v := meanVar(g.values)
			ss += v * float64(len(g.values)-1)
			df += float64(len(g.values) - 1)
		}
	}
	if df == 0 {
		return 0, 0
	}
	return ss / df, df
}

// between is the nodes' part: the variance of node means within nights beyond
// what repeats explain; false where no night had two nodes.
func between(nights, cells []*cell, repeatVar float64) (float64, bool) {
	var groups []*cell
	size, count := 0.0, 0.0
	for _, n := range nights {
		if len(n.nodes) < 2 {
			continue
		}
		g := &cell{}
		for _, c := range cells {
			if c.night == n.night {
				mean, _ := meanVar(c.values)
				g.values = append(g.values, mean)
				size += 1 / float64(len(c.values))
				count++
			}
		}
		groups = append(groups, g)
	}
	v, df := pooled(groups)
	if df == 0 {
		return 0, false
	}
	return math.Max(0, v-repeatVar*size/count), true
}

func joinWords(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// FormatAA stands first in the A/A command's JSON.
const FormatAA = "hpcbench.aa/1"

// AAReport is what the A/A command says of a suite's entry.
type AAReport struct {
	Format string  `json:"format"`
	Parts  []Parts `json:"parts"`
	// Worst is the noisiest row, which the rates are simulated with.
	Worst   *Key  `json:"worst,omitempty"`
	Noise   Noise `json:"noise"`
	Healthy Rates `json:"healthy"`        // nothing changed: Red is the false-alarm rate
	Slower  Rates `json:"ten_pct_slower"` // one step 10 % slower: Red is the power
	// Steps that were simulated.
	Rows  int      `json:"rows"`
	Notes []string `json:"notes,omitempty"`
}

// Rates simulates the whole rule with the measured noise of the noisiest row.
func (r Rule) Rates(parts []Parts, nights int) AAReport {
	out := AAReport{Parts: parts, Rows: len(parts)}
	for i, p := range parts {
		if p.Repeat == nil {
			continue
		}
		n := Noise{Repeat: p.Within()}
		if p.Night != nil {
			n.Night = *p.Night
		}
		if out.Worst == nil || n.Repeat*n.Repeat+n.Night*n.Night > out.Noise.Repeat*out.Noise.Repeat+out.Noise.Night*out.Noise.Night {
			out.Worst, out.Noise = &parts[i].Key, n
		}
	}
	if out.Worst == nil {
		out.Notes = append(out.Notes, "no row has a spread yet: at least two repeats are needed")
		return out
	}
	s := Setting{Noise: out.Noise, Steps: len(parts), Nights: nights, Seed: 1, CommonNight: true}
	out.Healthy = r.Simulate(s)
	s.Slower = 0.10
	out.Slower = r.Simulate(s)
	out.Notes = append(out.Notes, fmt.Sprintf("rates are of %d simulated nights of %d rows, each as noisy as the noisiest (%s at %s)", nights, len(parts), out.Worst.Metric, out.Worst.Step))
	return out
}
