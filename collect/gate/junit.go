package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"time"
)

// SuiteNight is one night of a whole suite: what reports are made from.
type SuiteNight struct {
	Format  string       `json:"format"`
	Suite   string       `json:"suite"`
	Night   string       `json:"night"`
	At      time.Time    `json:"at"`
	Entries []EntryNight `json:"entries"`
	// GPUHours spent and allowed; 0 = not known, no bound.
	GPUHours       float64 `json:"gpu_hours,omitempty"`
	BudgetGPUHours float64 `json:"budget_gpu_hours,omitempty"`
}

// Simulated says that any entry was measured on the stub.
func (n SuiteNight) Simulated() bool {
	return slices.ContainsFunc(n.Entries, func(e EntryNight) bool { return e.Simulated })
}

// FormatSuiteNight stands first in its JSON.
const FormatSuiteNight = "hpcbench.suite-night/1"

// EntryNight is one entry of it. Trouble is what kept it from being measured,
// "" = nothing: Slurm, the container or the server, or the budget.
type EntryNight struct {
	Entry   string   `json:"entry"`
	Run     string   `json:"run,omitempty"`
	Pairs   []string `json:"pair_runs,omitempty"`
	Night   Night    `json:"judgement"`
	Trouble string   `json:"trouble,omitempty"`
	// Simulated marks an entry measured on the stub.
	Simulated bool    `json:"simulated,omitempty"`
	TookS     float64 `json:"took_s,omitempty"`
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Time     string      `xml:"timestamp,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	Time    string     `xml:"time,attr,omitempty"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
	Out     string     `xml:"system-out,omitempty"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes a night for a CI's test report: one suite an entry, one case a
// row. Red fails, invalid and trouble are errors, inconclusive and learning are
// skipped with their reason, machine changed passes with a warning in its output.
func JUnit(w io.Writer, n SuiteNight) error {
	var out junitSuites
	for _, e := range n.Entries {
		s := junitSuite{Name: n.Suite + "." + e.Entry, Time: n.At.UTC().Format("2006-01-02T15:04:05")}
		for _, c := range cases(n.Suite, e) {
			s.Tests++
			switch {
			case c.Failure != nil:
				s.Failures++
			case c.Error != nil:
				s.Errors++
			case c.Skipped != nil:
				s.Skipped++
			}
			s.Cases = append(s.Cases, c)
		}
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func cases(suite string, e EntryNight) []junitCase {
	class := suite + "." + e.Entry
	took := ""
	if e.TookS > 0 {
		took = fmt.Sprintf("%.3f", e.TookS)
	}
	whole := junitCase{Name: "measured", Class: class, Time: took}
	if e.Simulated {
		whole.Out = "SIMULATED: measured on the stub engine; these numbers say nothing about a machine or a model"
	}
	switch {
	case e.Trouble != "":
		whole.Error = &junitText{Message: e.Trouble}
		return []junitCase{whole}
	case len(e.Night.Screen) == 0:
		whole.Error = &junitText{Message: e.Night.Reason}
		return []junitCase{whole}
	}
	if e.Night.Failed {
		whole.Failure = &junitText{Message: e.Night.Reason}
	}
	out := []junitCase{whole}
	confirmed := map[Key]ConfirmRow{}
	for _, c := range e.Night.Confirm {
		confirmed[c.Key] = c
	}
	for _, s := range e.Night.Screen {
		state, reason := s.State, s.Reason
		if c, ok := confirmed[s.Key]; ok {
			state, reason = c.State, fmt.Sprintf("%s; suspected: %s", c.Reason, s.Reason)
		}
		c := junitCase{Name: s.Step + " " + s.Metric, Class: class}
		switch state {
		case Red:
			c.Failure = &junitText{Message: "slower: " + reason}
		case Invalid:
			c.Error = &junitText{Message: reason}
		case Inconclusive, Learning, NeedsPairs:
			c.Skipped = &junitText{Message: string(state) + ": " + reason}
		case MachineChanged:
			c.Out = "WARNING machine changed: " + reason
		default:
			c.Out = reason
		}
		out = append(out, c)
	}
	return out
}
