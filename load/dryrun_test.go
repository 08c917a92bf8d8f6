package load

import (
	"strings"
	"testing"

	"hpcbench/load/plans"
)

func TestDryRunOfEveryEmbeddedPlan(t *testing.T) {
	names, err := plans.Names("")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p, _, err := plans.Load(name, "")
		if err != nil {
			t.Fatal(err)
		}
		s, err := DryRun(p, plans.Facts{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(s.Steps) == 0 || s.ExpectedS < p.Warmup.DurationS || s.WorstS < s.ExpectedS || s.Open && s.Most < 2 {
			t.Errorf("%s: %d steps, %.0f to %.0f s, at most %d", name, len(s.Steps), s.ExpectedS, s.WorstS, s.Most)
		}
		for _, line := range s.Lines() {
			if strings.Contains(line, "%!") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

func TestDryRunCountsRequestsAndTokens(t *testing.T) {
	p, _, err := plans.Load("legacy-karolina", "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := DryRun(p, plans.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	// 120 s at 2.53 … 19.22 requests/s.
	if s.Requests != 304+455+683+1025+1538+2307 || s.PromptTokens != int64(s.Requests)*200 {
		t.Errorf("%d requests, %d prompt tokens", s.Requests, s.PromptTokens)
	}
	if mean := float64(s.OutputTokens) / float64(s.Requests); mean < 198.5 || mean > 200.5 {
		t.Errorf("%.2f output tokens a request", mean)
	}
	if s.ExpectedS != 60+6*120 || s.WorstS != 60+6*120+7*120 {
		t.Errorf("%.0f s, at most %.0f s", s.ExpectedS, s.WorstS)
	}
}

func TestDemoTakesLessThanAMinute(t *testing.T) {
	p, _, err := plans.Load("demo", "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := DryRun(p, plans.Facts{})
	if err != nil || 5*s.ExpectedS > 40 {
		t.Errorf("five repeats take %.0f s before servers start and stop (%v)", 5*s.ExpectedS, err)
	}
}
