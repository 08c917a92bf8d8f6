package results

import "testing"

func TestUnusable(t *testing.T) {
	bad := []Finding{{Level: LevelWarning, Reason: "busy"}, {Level: LevelInvalid, Reason: "no tokens"}}
	step := func(f []Finding) StepSummary { return StepSummary{Step: Step{ID: "a"}, Findings: f} }
	for name, c := range map[string]struct {
		s    Summary
		want string
	}{
		"nothing wrong":      {Summary{Steps: []StepSummary{step(nil)}}, ""},
		"no steps":           {Summary{}, ""},
		"one step of two":    {Summary{Steps: []StepSummary{step(bad), step(bad[:1])}}, ""},
		"every step":         {Summary{Steps: []StepSummary{step(bad), step(bad)}}, "a: no tokens"},
		"the repeat as such": {Summary{Findings: bad, Steps: []StepSummary{step(nil)}}, "no tokens"},
	} {
		if got := c.s.Unusable(); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
