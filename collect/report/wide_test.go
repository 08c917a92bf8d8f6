package report

import (
	"fmt"
	"strings"
	"testing"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// Blocks of a gateway run have long names, and a comparison has a row for each.
func TestLongStepNamesFold(t *testing.T) {
	run := openWith(t, collecttest.Gateway(), read.Options{})
	var b strings.Builder
	if err := Compare(&b, compare.Runs(run, run, compare.Options{}), false); err != nil {
		t.Fatal(err)
	}
	fits(t, "gateway against itself", b.String())
	if !strings.Contains(b.String(), "block1.1") && !strings.Contains(b.String(), "direct@c1") {
		t.Errorf("no step is named:\n%s", b.String())
	}
}

func TestAFindingOfManyStepsStandsOnce(t *testing.T) {
	with := func(steps int, level string) *Document {
		d := &Document{}
		for i := range steps {
			d.Steps = append(d.Steps, aggregate.Step{Step: results.Step{ID: fmt.Sprint("s", i)}, Used: []int{1},
				Findings: []aggregate.Finding{{Level: level, Code: "client_busy", Reason: "busy", Repeats: []int{1}}}})
		}
		return d
	}
	if n := with(maxAlike, results.LevelWarning).Notes(); len(n) != maxAlike {
		t.Errorf("%d notes of %d steps", len(n), maxAlike)
	}
	n := with(maxAlike+1, results.LevelWarning).Notes()
	if len(n) != 1 || n[0].Words != "7 of 7 steps: such as s0: busy (client_busy; repeat 1)" {
		t.Errorf("notes %v", n)
	}
	if n := with(maxAlike+1, results.LevelInvalid).Notes(); len(n) != maxAlike+1 {
		t.Errorf("%d notes of INVALID steps, all must be named", len(n))
	}
}
