package gate

import (
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/results"
)

func TestConditions(t *testing.T) {
	of := func(change func(*results.Spec), s collecttest.Setup) string {
		s.RatesPerS, s.DurationS, s.Repeats = []float64{2}, 5, 3
		s.Spec = func(spec *results.Spec) {
			if change != nil {
				change(spec)
			}
		}
		return ConditionsOf(openRun(t, s))
	}
	base := of(nil, collecttest.Setup{})
	if base == "" {
		t.Fatal("no digest")
	}
	for what, same := range map[string]string{
		"another night":  of(nil, collecttest.Setup{Seed: 7, Name: "other"}),
		"another image":  of(func(s *results.Spec) { s.Server.Image = "/images/new.sif" }, collecttest.Setup{}),
		"other flags":    of(func(s *results.Spec) { s.Server.Command = []string{"vllm", "serve", "x"} }, collecttest.Setup{}),
		"another seed":   of(func(s *results.Spec) { s.Plan.Seed = 9 }, collecttest.Setup{}),
		"renamed plan":   of(func(s *results.Spec) { s.Plan.Name = "mine" }, collecttest.Setup{}),
		"more repeats":   of(func(s *results.Spec) { s.Grouping.Mode = results.ModeRestart }, collecttest.Setup{}),
		"other account":  of(func(s *results.Spec) { s.Job.Account = "x" }, collecttest.Setup{}),
		"another driver": of(nil, collecttest.Setup{Attempt: func(_ int, a *results.Attempt) { a.Node.Driver = "560" }}),
	} {
		if same != base {
			t.Errorf("%s are other conditions", what)
		}
	}
	for what, other := range map[string]string{
		"simulated":        of(nil, collecttest.Setup{Simulated: true}),
		"model":            of(func(s *results.Spec) { s.Model.Name = "x/y" }, collecttest.Setup{}),
		"GPUs":             of(func(s *results.Spec) { s.Job.GPUs = 2 }, collecttest.Setup{}),
		"tensor parallel":  of(func(s *results.Spec) { s.Server.TensorParallel = 2 }, collecttest.Setup{}),
		"plan":             of(func(s *results.Spec) { s.Plan.Output.Tokens = 100 }, collecttest.Setup{}),
		"one server":       of(func(s *results.Spec) { s.Grouping.FreshServer = false }, collecttest.Setup{}),
		"clock of the sim": of(nil, collecttest.Setup{Attempt: func(_ int, a *results.Attempt) { a.Clock.Kind = results.ClockProcess }}),
	} {
		if other == base {
			t.Errorf("%s: the same conditions", what)
		}
	}
	nights := Nights{{Night: "1", Conditions: base}, {Night: "2", Conditions: "other"}, {Night: "3"}}
	if got := nights.Under(base); len(got) != 2 || got[0].Night != "1" || got[1].Night != "3" {
		t.Errorf("nights under the conditions: %+v", got)
	}
}
