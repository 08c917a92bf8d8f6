package gate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/compare"
	"hpcbench/sites/conf"
)

// Suite is what a nightly runs: a YAML file.
type Suite struct {
	Name        string `json:"name" yaml:"name"`
	Description string `json:"description,omitempty" yaml:"description"`
	// BudgetGPUHours bounds what one night may cost over all entries, confirmations included; 0 = no bound.
	BudgetGPUHours float64 `json:"budget_gpu_hours,omitempty" yaml:"budget_gpu_hours"`
	// Simulated says that the suite is about the stub: then, and only then, simulated nights are compared with each other.
	Simulated bool    `json:"simulated,omitempty" yaml:"simulated"`
	Entries   []Entry `json:"entries" yaml:"entries"`
}

// Entry is one benchmark of a suite.
type Entry struct {
	Name       string   `json:"name" yaml:"name"`
	Site       string   `json:"site" yaml:"site"`
	Model      string   `json:"model" yaml:"model"`
	GPUs       int      `json:"gpus" yaml:"gpus"`
	Plan       string   `json:"plan" yaml:"plan"`
	Partition  string   `json:"partition,omitempty" yaml:"partition"`
	Image      string   `json:"image,omitempty" yaml:"image"`
	ServerArgs []string `json:"server_args,omitempty" yaml:"server_args"`
	Repeats    int      `json:"repeats,omitempty" yaml:"repeats"` // 5 where 0
	// Steps are the ids of the steps that are judged; empty = all.
	Steps    []string       `json:"steps,omitempty" yaml:"steps"`
	Gates    []compare.Gate `json:"gates" yaml:"gates"`
	Baseline Policy         `json:"baseline" yaml:"baseline"`
}

// Policy says what an entry is compared with.
type Policy struct {
	// Pinned names the promoted baseline; "" = the one with the entry's own name.
	Pinned string `json:"pinned,omitempty" yaml:"pinned"`
	// WindowNights is how many of the last good nights count, 14 where 0; at least 8.
	WindowNights int `json:"window_nights,omitempty" yaml:"window_nights"`
}

const (
	defaultRepeats = 5
	defaultWindow  = 14
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// LoadSuite reads a suite strictly: an unknown or ill-typed key is an error with
// its file, line and the nearest known key, and everything wrong comes at once.
func LoadSuite(path string) (Suite, error) {
	return loadSuite(path, conf.File(path))
}

// ParseSuite is LoadSuite on bytes; name stands in errors.
func ParseSuite(name string, data []byte) (Suite, error) {
	return loadSuite(name, conf.Bytes(name, data))
}

func loadSuite(name string, layer conf.Layer) (Suite, error) {
	s, _, err := conf.Load[Suite](layer)
	if err != nil {
		return Suite{}, err
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Repeats == 0 {
			e.Repeats = defaultRepeats
		}
		if e.Baseline.WindowNights == 0 {
			e.Baseline.WindowNights = defaultWindow
		}
		if e.Baseline.Pinned == "" {
			e.Baseline.Pinned = e.Name
		}
	}
	if problems := s.Check(); len(problems) > 0 {
		errs := make([]error, len(problems))
		for i, p := range problems {
			errs[i] = fmt.Errorf("suite %s: %s", name, p)
		}
		return Suite{}, conf.Join(errs...)
	}
	return s, nil
}

// Check lists everything that is wrong with a suite; nil = nothing.
func (s Suite) Check() []string {
	var out []string
	if !nameForm.MatchString(s.Name) {
		out = append(out, fmt.Sprintf("name %q must be of letters, digits, '.', '_' and '-', at most 64", s.Name))
	}
	if s.BudgetGPUHours < 0 {
		out = append(out, fmt.Sprintf("budget_gpu_hours is %g, it must not be negative", s.BudgetGPUHours))
	}
	if len(s.Entries) == 0 {
		out = append(out, "it has no entries")
	}
	seen := map[string]bool{}
	for i, e := range s.Entries {
		where := fmt.Sprintf("entry %d (%s)", i+1, e.Name)
		if seen[e.Name] {
			out = append(out, where+": the name is taken by an earlier entry")
		}
		seen[e.Name] = true
		for _, p := range e.check() {
			out = append(out, where+": "+p)
		}
	}
	return out
}

func (e Entry) check() []string {
	var out []string
	if !nameForm.MatchString(e.Name) {
		out = append(out, fmt.Sprintf("name %q must be of letters, digits, '.', '_' and '-', at most 64", e.Name))
	}
	for _, f := range [][2]string{{"site", e.Site}, {"model", e.Model}, {"plan", e.Plan}} {
		if f[1] == "" {
			out = append(out, f[0]+" is missing")
		}
	}
	if e.GPUs < 0 {
		out = append(out, fmt.Sprintf("gpus is %d, it must not be negative", e.GPUs))
	}
	if e.Repeats < aggregate.MinRepeats {
		out = append(out, fmt.Sprintf("repeats is %d, no verdict comes from under %d", e.Repeats, aggregate.MinRepeats))
	}
	if w := e.Baseline.WindowNights; w < DefaultRule.MinNights {
		out = append(out, fmt.Sprintf("baseline.window_nights is %d, at least %d are needed", w, DefaultRule.MinNights))
	}
	if len(e.Gates) == 0 {
		out = append(out, "gates are missing; few is better, such as "+strings.Join(suggested, ", "))
	}
	for _, g := range e.Gates {
		out = append(out, checkGate(g)...)
	}
	return out
}

var suggested = []string{"corrected.tpot_ms.p50", "corrected.ttft_ms.p50", "corrected.e2e_ms.p95"}

func checkGate(g compare.Gate) []string {
	var out []string
	m, known := aggregate.MetricByName(g.Metric)
	switch {
	case !known:
		names := make([]string, len(aggregate.Metrics))
		for i, m := range aggregate.Metrics {
			names[i] = m.Name
		}
		return []string{fmt.Sprintf("there is no metric %q%s", g.Metric, nearWords(g.Metric, names))}
	case m.Better == aggregate.Neither:
		out = append(out, g.Metric+" can't be a gate: neither more nor less of it is better")
	case m.Unit == "":
		out = append(out, g.Metric+" can't be a gate: it is a share, which is often 0 and has no logarithm; too many errors make a night invalid anyway")
	}
	if !(g.Tolerance > 0 && g.Tolerance < 1) {
		out = append(out, fmt.Sprintf("the tolerance of %s is %g, it must lie between 0 and 1 (0.05 = 5 %%)", g.Metric, g.Tolerance))
	}
	return out
}

func nearWords(name string, known []string) string {
	if near := conf.Nearest(name, known); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return "; " + strings.Join(suggested, ", ") + " are usual"
}

// Judged says whether a step of a run is judged by this entry.
func (e Entry) Judged(step string) bool {
	return len(e.Steps) == 0 || slices.Contains(e.Steps, step)
}

// GatesByMetric are the entry's gates by their metric.
func (e Entry) GatesByMetric() map[string]compare.Gate {
	out := map[string]compare.Gate{}
	for _, g := range e.Gates {
		out[g.Metric] = g
	}
	return out
}
