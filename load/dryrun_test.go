package load

import (
	"testing"

	"hpcbench/load/plans"
	"hpcbench/results"
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
		steps, err := DryRun(p, plans.Facts{})
		if err != nil || len(steps) == 0 || !plans.Static(p.Kind) && len(steps) != 1 {
			t.Errorf("%s: %d steps, %v", name, len(steps), err)
		}
	}
}

func TestDryRunCountsRequestsAndTokens(t *testing.T) {
	p, _, err := plans.Load("legacy-karolina", "")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := DryRun(p, plans.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	var output, requests int64
	for i, want := range []int{304, 455, 683, 1025, 1538, 2307} { // 120 s at 2.53 … 19.22 requests/s
		if steps[i].Requests != want || steps[i].PromptTokens != int64(200*want) {
			t.Errorf("%s: %d requests, %d prompt tokens", steps[i].ID, steps[i].Requests, steps[i].PromptTokens)
		}
		output, requests = output+steps[i].OutputTokens, requests+int64(steps[i].Requests)
	}
	if mean := float64(output) / float64(requests); mean < 198.5 || mean > 200.5 {
		t.Errorf("%.2f output tokens a request", mean)
	}
}

func TestDemoTakesLessThanAMinute(t *testing.T) {
	p, _, err := plans.Load("demo", "")
	if err != nil {
		t.Fatal(err)
	}
	if e := results.EstimatePlan(p); 5*e.Seconds > 40 {
		t.Errorf("five repeats take %.0f s before servers start and stop", 5*e.Seconds)
	}
}
