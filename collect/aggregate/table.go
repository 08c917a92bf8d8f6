package aggregate

import (
	"fmt"
	"slices"

	"hpcbench/collect/read"
	"hpcbench/results"
	"hpcbench/results/judge"
)

// MinRepeats is how many repeats a verdict needs at least.
const MinRepeats = 3

// Table is one run over its repeats.
type Table struct {
	Run       string `json:"run"`
	Simulated bool   `json:"simulated"`
	Asked     int    `json:"repeats_asked"`
	Good      int    `json:"repeats_good"` // complete ones with numbers
	Over      Over   `json:"over"`
	Steps     []Step `json:"steps"`
	// Missing says of each repeat that isn't good what keeps it from being.
	Missing []string `json:"missing,omitempty"`
	// Findings of repeats as a whole.
	Findings []Finding `json:"findings,omitempty"`
	// Warnings are what a reader must know before the numbers.
	Warnings []string `json:"warnings,omitempty"`
}

// Step is one step over the repeats.
type Step struct {
	Step results.Step `json:"step"`
	// Used are the repeats that count, LeftOut the others with their recorded cause.
	Used      []int                `json:"used"`
	LeftOut   []LeftOut            `json:"left_out,omitempty"`
	Estimates []Estimate           `json:"estimates"`        // only metrics that have a figure, in the order of Metrics
	Pooled    []Pooled             `json:"pooled,omitempty"` // only where the run was read with values
	Findings  []Finding            `json:"findings,omitempty"`
	Counts    results.Counts       `json:"counts"` // summed over the used repeats
	Errors    []results.ErrorCount `json:"errors,omitempty"`
	byName    map[string]int
}

// LeftOut is a repeat that doesn't count in a step.
type LeftOut struct {
	Repeat int    `json:"repeat"`
	Why    string `json:"why"`
}

// Finding is one kind of finding over the repeats of a step.
type Finding struct {
	Level   string `json:"level"`
	Code    string `json:"code"`
	Reason  string `json:"reason"` // the first repeat's words
	Repeats []int  `json:"repeats"`
}

// Estimate finds the estimate of a metric; false where the step has no figure for it.
func (s *Step) Estimate(metric string) (Estimate, bool) {
	i, ok := s.byName[metric]
	if !ok {
		return Estimate{Metric: metric}, false
	}
	return s.Estimates[i], true
}

// Has says whether any repeat has a finding of this code.
func (s *Step) Has(code string) bool {
	for _, f := range s.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}

// StepByID finds a step.
func (t *Table) StepByID(id string) *Step {
	for i := range t.Steps {
		if t.Steps[i].Step.ID == id {
			return &t.Steps[i]
		}
	}
	return nil
}

// Short says how many repeats there are where they are fewer than asked; "" otherwise.
func (t *Table) Short() string {
	if t.Good >= t.Asked {
		return ""
	}
	return fmt.Sprintf("%d of %d repeats", t.Good, t.Asked)
}

// Of makes the table of a run.
func Of(run *read.Run) *Table {
	t := &Table{Run: run.Spec.Name, Simulated: run.Spec.Simulated, Asked: run.Spec.Repeats, Good: run.Good(), Over: over(run)}
	for i := range run.Repeats {
		r := &run.Repeats[i]
		if r.Attempt != nil && r.Attempt.Simulated {
			t.Simulated = true
		}
		if !r.Good() {
			t.Missing = append(t.Missing, missing(r, run))
		}
		if r.Summary != nil {
			t.Simulated = t.Simulated || r.Summary.Simulated
			for _, f := range r.Summary.Findings {
				if !cut[f.Code] { // Missing says it already
					t.Findings = addFinding(t.Findings, f, r.Index)
				}
			}
		}
	}
	t.Warnings = append(t.Warnings, mixed(run)...)
	for _, step := range steps(run, t) {
		t.Steps = append(t.Steps, stepOf(run, step))
	}
	return t
}

// missing is one line on a repeat that isn't good.
func missing(r *read.Repeat, run *read.Run) string {
	line := fmt.Sprintf("repeat %d: %s", r.Index, r.State)
	if r.Why != "" {
		line += ", " + r.Why
	}
	if r.Summary != nil {
		finished := 0
		for i := range r.Summary.Steps {
			if r.Summary.Steps[i].Finished {
				finished++
			}
		}
		line += fmt.Sprintf("; its %d finished steps of %d count", finished, max(len(r.Summary.Steps), plannedSteps(run)))
	}
	return line
}

func plannedSteps(run *read.Run) int {
	n := 0
	for i := range run.Repeats {
		if s := run.Repeats[i].Summary; s != nil {
			n = max(n, len(s.Steps))
		}
	}
	return n
}

// steps lists the steps of all repeats in the order of their index. Repeats
// that ran another step under the same index are warned of.
func steps(run *read.Run, t *Table) []results.Step {
	var out []results.Step
	at := map[int]int{}
	for i := range run.Repeats {
		s := run.Repeats[i].Summary
		if s == nil {
			continue
		}
		for j := range s.Steps {
			step := s.Steps[j].Step
			k, seen := at[step.Index]
			switch {
			case !seen:
				at[step.Index] = len(out)
				out = append(out, step)
			case out[k].ID != step.ID:
				t.Warnings = append(t.Warnings, fmt.Sprintf("repeat %d ran %s as step %d where others ran %s: not averaged together",
					run.Repeats[i].Index, step.ID, step.Index, out[k].ID))
			}
		}
	}
	for i := 1; i < len(out); i++ { // an interrupted repeat may come first and know fewer steps
		for j := i; j > 0 && out[j].Index < out[j-1].Index; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func stepOf(run *read.Run, step results.Step) Step {
	out := Step{Step: step, byName: map[string]int{}}
	raw := make([][]RepeatValue, len(Metrics))
	used := map[int]bool{}
	for i := range run.Repeats {
		r := &run.Repeats[i]
		s := find(r.Summary, step)
		if s == nil {
			why := "the repeat is " + r.State
			if r.Summary != nil {
				why = "it did not get there"
			}
			out.LeftOut = append(out.LeftOut, LeftOut{r.Index, why})
			continue
		}
		for _, f := range s.Findings {
			out.Findings = addFinding(out.Findings, f, r.Index)
		}
		if why := cause(r, s); why != "" {
			out.LeftOut = append(out.LeftOut, LeftOut{r.Index, why})
			continue
		}
		out.Used = append(out.Used, r.Index)
		used[r.Index] = true
		out.Counts = addCounts(out.Counts, s.Counts)
		out.Errors = addErrors(out.Errors, s.Errors)
		for m := range Metrics {
			if v, ok := Metrics[m].Of(s); ok {
				raw[m] = append(raw[m], RepeatValue{Repeat: r.Index, Value: v.X, Unbounded: v.Unbounded})
			}
		}
	}
	for m, values := range raw {
		if len(values) > 0 {
			out.byName[Metrics[m].Name] = len(out.Estimates)
			out.Estimates = append(out.Estimates, Summarise(Metrics[m].Name, values))
		}
	}
	out.Pooled = pool(run, step.Index, used)
	return out
}

func find(s *results.Summary, step results.Step) *results.StepSummary {
	if s == nil {
		return nil
	}
	for i := range s.Steps {
		if s.Steps[i].Step.Index == step.Index && s.Steps[i].Step.ID == step.ID {
			return &s.Steps[i]
		}
	}
	return nil
}

// invalidWord begins the cause of a step that was judged INVALID.
const invalidWord = "INVALID "

// cause is why a repeat's step must not be counted; "" = it counts. A repeat
// that was cut keeps the steps that it finished before.
func cause(r *read.Repeat, s *results.StepSummary) string {
	for _, f := range r.Summary.Findings {
		if f.Level == results.LevelInvalid && !cut[f.Code] {
			return invalidWord + f.Code + ": " + f.Reason
		}
	}
	for _, f := range s.Findings {
		if f.Level == results.LevelInvalid {
			return invalidWord + f.Code + ": " + f.Reason
		}
	}
	if s.Step.NotRun != "" {
		return "not run: " + s.Step.NotRun
	}
	return ""
}

// cut are the findings of a repeat that say only that it didn't come to its end.
var cut = map[string]bool{judge.CodeInterrupted: true, judge.CodeFailed: true, judge.CodeNotEnded: true}

func addFinding(list []Finding, f results.Finding, repeat int) []Finding {
	for i := range list {
		if list[i].Code == f.Code && list[i].Level == f.Level {
			if !slices.Contains(list[i].Repeats, repeat) { // a rule may speak twice of one step, with two figures
				list[i].Repeats = append(list[i].Repeats, repeat)
			}
			return list
		}
	}
	return append(list, Finding{Level: f.Level, Code: f.Code, Reason: f.Reason, Repeats: []int{repeat}})
}

func addCounts(a, b results.Counts) results.Counts {
	return results.Counts{Planned: a.Planned + b.Planned, Sent: a.Sent + b.Sent, Completed: a.Completed + b.Completed, Shed: a.Shed + b.Shed,
		Failed: a.Failed + b.Failed, TimedOut: a.TimedOut + b.TimedOut, OpenAtEnd: a.OpenAtEnd + b.OpenAtEnd, Dropped: a.Dropped + b.Dropped, NotSent: a.NotSent + b.NotSent}
}

func addErrors(list, more []results.ErrorCount) []results.ErrorCount {
next:
	for _, e := range more {
		for i := range list {
			if list[i].Class == e.Class && list[i].Status == e.Status {
				list[i].Count += e.Count
				continue next
			}
		}
		list = append(list, e)
	}
	return list
}
