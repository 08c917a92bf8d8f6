package gate

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
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

// A night that was made up for later stands where its name says, not where its time does.
func TestNightsAreInTheOrderOfTheirNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nights.jsonl")
	late := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, n := range []NightRecord{{Night: "2026-03-11", At: late, State: Inconclusive}, {Night: "2026-03-12", At: late.AddDate(0, -8, 0), State: Inconclusive}, {Night: "2026-03-10", At: late, State: Learning}} {
		n.Entry = "e"
		if err := AppendNight(file, n); err != nil {
			t.Fatal(err)
		}
	}
	nights, _, err := LoadNights(file)
	if err != nil || nights[0].Night != "2026-03-10" || nights[2].Night != "2026-03-12" {
		t.Errorf("%+v, %v", nights, err)
	}
	if n := nights.InconclusiveRunning("e", "2026-03-13"); n != 2 {
		t.Errorf("%d inconclusive nights running", n)
	}
}

// Longer answers take longer: E2E decides nothing then, and TPOT does.
func TestPairsOfOtherLengths(t *testing.T) {
	setup := func(tokens float64, tpot float64, seed uint64) collecttest.Setup {
		return collecttest.Setup{Seed: seed, RatesPerS: []float64{3}, DurationS: 30, OneNode: true, OutputTokens: tokens, TPOTMs: tpot, RepeatCV: 0.005}
	}
	look := Look{Base: openRun(t, setup(181, 9, 1)), Candidate: openRun(t, setup(220, 9, 2))}
	step := aggregate.Of(look.Base).Steps[0].Step.ID
	gates := map[string]compare.Gate{"corrected.e2e_ms.p50": {Metric: "corrected.e2e_ms.p50", Tolerance: 0.05}, "corrected.tpot_ms.p50": {Metric: "corrected.tpot_ms.p50", Tolerance: 0.05}}
	suspects := []Key{{step, "corrected.e2e_ms.p50"}, {step, "corrected.tpot_ms.p50"}}
	pairs, _ := PairsOf([]Look{look, look}, suspects, func(Key) Past { return Past{} }, DefaultRule)
	rows := DefaultRule.Confirm(pairs, 2, map[Key]ScreenRow{}, gates)
	if rows[0].State != Inconclusive || !strings.Contains(rows[0].Reason, "tokens on average against") {
		t.Errorf("E2E is %s: %s", rows[0].State, rows[0].Reason)
	}
	if rows[1].State != Green {
		t.Errorf("TPOT is %s: %s", rows[1].State, rows[1].Reason)
	}
}
