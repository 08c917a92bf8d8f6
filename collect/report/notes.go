package report

import (
	"fmt"
	"slices"
	"strings"

	"hpcbench/collect/aggregate"
	"hpcbench/results"
)

// simulatedWords stand wherever numbers of a stub engine do.
const simulatedWords = "SIMULATED: the engine is a stub. These numbers say nothing about a machine or a model."

// Note is one line below the tables.
type Note struct {
	Level string `json:"level"` // invalid, warning, note
	Words string `json:"words"`
}

// Notes are all that a reader must know of the numbers, the worst first. Sets
// limits what is said of repeats that stand out to the shown metric sets; none = all.
func (d *Document) Notes(sets ...string) []Note {
	var out []Note
	for _, m := range d.Missing {
		out = append(out, Note{results.LevelWarning, m})
	}
	for _, w := range d.Warnings {
		out = append(out, Note{results.LevelWarning, w})
	}
	for _, f := range d.Findings {
		out = append(out, Note{f.Level, findingWords("", f, d.Asked)})
	}
	often, said := d.alike(), map[string]bool{}
	var outliers []Note
	for i := range d.Steps {
		s := &d.Steps[i]
		for _, f := range s.Findings {
			if n := often[f.Level+f.Code]; n > maxAlike {
				if !said[f.Level+f.Code] {
					said[f.Level+f.Code] = true
					out = append(out, Note{f.Level, fmt.Sprintf("%d of %d steps: such as %s", n, len(d.Steps), findingWords(StepLabel(s.Step), f, len(s.Used)+len(s.LeftOut)))})
				}
				continue
			}
			out = append(out, Note{f.Level, findingWords(StepLabel(s.Step), f, len(s.Used)+len(s.LeftOut))})
		}
		for _, l := range s.LeftOut {
			if s.Step.NotRun == "" && !strings.HasPrefix(l.Why, "INVALID ") && !strings.HasPrefix(l.Why, "the repeat is ") {
				out = append(out, Note{results.LevelWarning, fmt.Sprintf("%s: repeat %d left out: %s", StepLabel(s.Step), l.Repeat, l.Why)})
			}
		}
		outliers = append(outliers, d.outlierNote(s, sets)...)
	}
	if n := len(outliers); n > maxAlike {
		outliers = []Note{{results.LevelNote, fmt.Sprintf("%d of %d steps: such as %s", n, len(d.Steps), outliers[0].Words)}}
	}
	out = append(out, outliers...)
	for _, p := range d.Problems {
		if d.run != nil { // the run's own folder goes without saying, and its path would fill the line
			p.File = strings.TrimPrefix(p.File, string(d.run.Dir)+"/")
		}
		out = append(out, Note{results.LevelWarning, p.String()})
	}
	var sorted []Note
	for _, level := range []string{results.LevelInvalid, results.LevelWarning, results.LevelNote} {
		for _, n := range out {
			if n.Level == level {
				sorted = append(sorted, n)
			}
		}
	}
	return sorted
}

// maxAlike is in how many steps one finding is spelt out each time; in more of them
// it stands once, with their number. The JSON has all.
const maxAlike = 6

// alike counts the steps that have a finding, by level and code. What makes a step
// INVALID is always spelt out: a reader must know which numbers not to use.
func (d *Document) alike() map[string]int {
	count := map[string]int{}
	for i := range d.Steps {
		seen := map[string]bool{}
		for _, f := range d.Steps[i].Findings {
			if key := f.Level + f.Code; f.Level != results.LevelInvalid && !seen[key] {
				seen[key] = true
				count[key]++
			}
		}
	}
	return count
}

func findingWords(step string, f aggregate.Finding, of int) string {
	words := f.Reason
	if step != "" {
		words = step + ": " + words
	}
	where := "repeat " + list(f.Repeats)
	if len(f.Repeats) == of && of > 1 {
		where = fmt.Sprintf("all %d repeats", of)
	}
	return fmt.Sprintf("%s (%s; %s)", words, f.Code, where)
}

// outlierNote says in one line which repeats of a step stand out, for the
// metrics that the tables show.
func (d *Document) outlierNote(s *aggregate.Step, sets []string) []Note {
	shown := d.shownMetrics(sets)
	var parts []string
	for _, e := range s.Estimates {
		if !shown[e.Metric] {
			continue
		}
		for _, r := range e.Raw {
			if r.Outlier != "" {
				parts = append(parts, fmt.Sprintf("repeat %d in %s", r.Repeat, e.Metric))
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []Note{{results.LevelNote, fmt.Sprintf("%s: stands out (flagged *, counted all the same): %s", StepLabel(s.Step), strings.Join(parts, ", "))}}
}

// shownMetrics are those that the document's tables have a column for.
func (d *Document) shownMetrics(sets []string) map[string]bool {
	shown := map[string]bool{}
	if d.ownTables() {
		for _, m := range []string{"corrected.output_tokens_per_s", "corrected.tpot_ms.p50", ttftMetric(&d.Table)} {
			shown[m] = true
		}
		return shown
	}
	for _, sh := range shapes {
		if len(sets) > 0 && !slices.Contains(sets, sh.set) {
			continue
		}
		for _, c := range sh.columns {
			shown[c.metric] = true
		}
	}
	return shown
}

func list(n []int) string {
	words := make([]string, len(n))
	for i, v := range n {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}
