package main

import (
	"strings"
	"testing"

	"hpcbench/jobs"
)

// TestListOfRunsSaysWhyAStateIsUnclear: nobody can do anything with the word alone, and
// a pipe is given no blanks at the ends of lines.
func TestListOfRunsSaysWhyAStateIsUnclear(t *testing.T) {
	runs := []jobs.RunStatus{
		{Name: "night", Site: "karolina", Plan: "short", Repeats: []jobs.RepeatStatus{
			{Index: 1, Phase: jobs.PhaseComplete}, {Index: 2, Phase: jobs.PhaseUnclear, Words: "the controller cannot be asked"},
		}},
		{Name: "a-longer-name", Site: "local", Plan: "demo", Repeats: []jobs.RepeatStatus{{Index: 1, Phase: jobs.PhaseComplete}}},
	}
	var b strings.Builder
	if err := printRuns(&b, runs); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "1 unclear: the controller cannot be asked\n") {
		t.Errorf("no reason in\n%s", b.String())
	}
	b.WriteString("\n")
	if err := printRun(&b, runs[0]); err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(b.String()) {
		if l = strings.TrimSuffix(l, "\n"); l != strings.TrimRight(l, " ") {
			t.Errorf("blanks at the end of %q", l)
		}
	}
}
