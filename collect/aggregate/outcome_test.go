package aggregate_test

import (
	"os"
	"strings"
	"testing"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
	"hpcbench/results"
	"hpcbench/results/judge"
)

// finding marks a step of some repeats.
func finding(step int, code string, repeats ...int) func(int, *results.Summary) {
	return func(k int, s *results.Summary) {
		for _, r := range repeats {
			if r == k {
				s.Steps[step].Findings = []results.Finding{{Level: results.LevelInvalid, Code: code, Reason: "made up"}}
			}
		}
	}
}

func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		name       string
		summary    func(int, *results.Summary)
		gone       int // a repeat whose folder is removed
		requireAll bool
		want       aggregate.Outcome
		words      string
	}{
		{"all five", nil, 0, true, aggregate.Usable, ""},
		{"one repeat missing", nil, 3, false, aggregate.Usable, ""},
		{"one repeat missing, all required", nil, 3, true, aggregate.Short, "only 4 of 5 repeats"},
		{"one step INVALID once", finding(1, judge.CodeForeign, 2), 0, false, aggregate.Usable, ""},
		{"one step INVALID once, all required", finding(1, judge.CodeForeign, 2), 0, true, aggregate.Short, "constant@3.79req/s (1)"},
		{"one step INVALID everywhere", finding(1, judge.CodeForeign, 1, 2, 3, 4, 5), 0, false, aggregate.Invalid, "constant@3.79req/s"},
		{"one step INVALID in all that are there", finding(1, judge.CodeForeign, 1, 2, 4, 5), 3, false, aggregate.Invalid, "constant@3.79req/s"},
		{"one step cut short everywhere", finding(2, judge.CodeUnfinished, 1, 2, 3, 4, 5), 0, false, aggregate.Usable, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := collecttest.Write(t, collecttest.Setup{DurationS: 20, Summary: c.summary})
			if c.gone > 0 {
				if err := os.RemoveAll(dir.Repeat(c.gone)); err != nil {
					t.Fatal(err)
				}
			}
			run, err := read.Open(string(dir), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, words := aggregate.Of(run).Outcome(c.requireAll)
			if got != c.want || (words == "") != (c.words == "") || !strings.Contains(words, c.words) {
				t.Errorf("%v %q, want %v %q", got, words, c.want, c.words)
			}
		})
	}
}

func TestOutcomeOfNothing(t *testing.T) {
	empty := &aggregate.Table{Asked: 5}
	if got, words := empty.Outcome(false); got != aggregate.Empty || words == "" {
		t.Errorf("%v %q", got, words)
	}
	cut := table(t, collecttest.Setup{DurationS: 20, Repeats: 1, RatesPerS: []float64{3}, Summary: finding(0, judge.CodeUnfinished, 1)})
	if got, words := cut.Outcome(false); got != aggregate.Empty || words == "" {
		t.Errorf("%v %q", got, words)
	}
}
