package compare_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

func run(t *testing.T, s collecttest.Setup) *read.Run {
	t.Helper()
	r, err := read.Open(string(collecttest.Write(t, s)), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func night(seed uint64, more ...func(*collecttest.Setup)) collecttest.Setup {
	s := collecttest.Setup{Name: "night", Seed: seed, RepeatCV: 0.01, DurationS: 60}
	for _, m := range more {
		m(&s)
	}
	return s
}

func slower(step int, by float64) func(*collecttest.Setup) {
	return func(s *collecttest.Setup) { s.Slower = map[int]float64{step: by} }
}

func spec(f func(*results.Spec)) func(*collecttest.Setup) {
	return func(s *collecttest.Setup) { s.Spec = f }
}

func row(t *testing.T, c *compare.Comparison, step, metric string) compare.Row {
	t.Helper()
	for _, r := range c.Rows {
		if r.Step == step && r.Metric == metric {
			return r
		}
	}
	t.Fatalf("no row %s %s", step, metric)
	return compare.Row{}
}

func TestRunsFindsTheSlowerStep(t *testing.T) {
	c := compare.Runs(run(t, night(1)), run(t, night(2, slower(2, 1.10))), compare.Options{})
	if c.Verdict != compare.Regressed || !strings.HasPrefix(c.Reason, "TPOT p50 at constant@5.69req/s: +") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
	r := row(t, c, "constant@5.69req/s", "corrected.tpot_ms.p50")
	if r.Verdict != compare.Regressed || math.Abs(*r.Change-0.10) > 0.03 || *r.Low > 0.10 || *r.High < 0.10 || *r.Adjusted < *r.P {
		t.Errorf("change %.4f, interval %.4f…%.4f, p %g adjusted %g: %s", *r.Change, *r.Low, *r.High, *r.P, *r.Adjusted, r.Reason)
	}
	if r.Test != "paired t on logarithms" {
		t.Errorf("the schedules are the same, the test is %s", r.Test)
	}
	if other := row(t, c, "constant@2.53req/s", "corrected.tpot_ms.p50"); other.Verdict == compare.Regressed {
		t.Errorf("the other step is %s: %s", other.Verdict, other.Reason)
	}
	tokens := row(t, c, "constant@5.69req/s", "corrected.output_tokens_per_s")
	if tokens.Decides || !strings.Contains(tokens.Reason, "offered load") || math.Abs(*tokens.Change) > 0.01 {
		t.Errorf("below saturation tokens/s neither moves nor decides: %+v %s", *tokens.Change, tokens.Reason)
	}
}

func TestRunsOtherWay(t *testing.T) {
	c := compare.Runs(run(t, night(1, slower(2, 1.10))), run(t, night(2)), compare.Options{})
	if c.Verdict != compare.Improved {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}

func TestRunsNoChangeAndInconclusive(t *testing.T) {
	quiet := func(s *collecttest.Setup) { s.RepeatCV = 0.002 }
	c := compare.Runs(run(t, night(1, quiet)), run(t, night(2, quiet)), compare.Options{})
	if c.Verdict != compare.NoChange {
		t.Errorf("quiet: %s: %s", c.Verdict, c.Reason)
	}
	noisy := func(s *collecttest.Setup) { s.RepeatCV = 0.12 }
	c = compare.Runs(run(t, night(1, noisy)), run(t, night(2, noisy)), compare.Options{})
	if c.Verdict != compare.Inconclusive || !strings.Contains(c.Reason, "would be found") {
		t.Errorf("noisy: %s: %s", c.Verdict, c.Reason)
	}
}

func TestRunsUnpairedWhereSchedulesDiffer(t *testing.T) {
	other := func(s *collecttest.Setup) { s.Spec = func(s *results.Spec) { s.Plan.Seed = 2 } }
	c := compare.Runs(run(t, night(1)), run(t, night(2, other)), compare.Options{})
	if len(c.Matters) != 0 {
		t.Errorf("another seed is no other plan: %v", c.Matters)
	}
	if r := row(t, c, "constant@2.53req/s", "corrected.tpot_ms.p50"); r.Test != "Welch t on logarithms" {
		t.Errorf("test %s", r.Test)
	}
}

func TestIdenticalValues(t *testing.T) {
	same := func(s *collecttest.Setup) {
		s.Summary = func(_ int, sum *results.Summary) {
			v := 9.0
			for i := range sum.Steps {
				sum.Steps[i].Corrected.TPOTMs.P50 = &v
			}
		}
	}
	c := compare.Runs(run(t, night(1, same)), run(t, night(1, same)), compare.Options{Gates: []compare.Gate{{Metric: "corrected.tpot_ms.p50", Tolerance: 0.05}}})
	if c.Verdict != compare.NoChange {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}

func TestConditionsThatMatter(t *testing.T) {
	for _, tc := range []struct {
		what   string
		change func(*results.Spec)
	}{
		{"model", func(s *results.Spec) { s.Model.Name = "Qwen/Qwen3-8B" }},
		{"GPU kind", func(s *results.Spec) { s.Site.GPUKind = "AMD MI250X (GCD)" }},
		{"GPUs", func(s *results.Spec) { s.Job.GPUs = 2 }},
		{"tensor parallel", func(s *results.Spec) { s.Server.TensorParallel = 2 }},
		{"plan duration_s", func(s *results.Spec) { s.Plan.DurationS = 30 }},
		{"plan output.max", func(s *results.Spec) { s.Plan.Output.Max = 300 }},
		{"plan kind", func(s *results.Spec) { s.Plan.Kind = results.KindPoisson }},
		{"fresh server for each repeat", func(s *results.Spec) { s.Grouping.FreshServer = false }},
	} {
		c := compare.Runs(run(t, night(1)), run(t, night(2, spec(tc.change))), compare.Options{})
		if c.Verdict != compare.NotComparable || len(c.Matters) != 1 || c.Matters[0].What != tc.what {
			t.Errorf("%s: %s, differing %v", tc.what, c.Verdict, c.Matters)
		}
		for _, r := range c.Rows {
			if r.P != nil || r.Verdict != compare.NotComparable || r.Change == nil {
				t.Errorf("%s: a row must be a ratio only: %+v", tc.what, r)
				break
			}
		}
	}
	clock := func(s *collecttest.Setup) {
		s.Attempt = func(_ int, a *results.Attempt) { a.Clock.Kind = results.ClockProcess }
	}
	if c := compare.Runs(run(t, night(1)), run(t, night(2, clock)), compare.Options{}); c.Verdict != compare.NotComparable || c.Matters[0].What != "clock" {
		t.Errorf("clock: %s %v", c.Verdict, c.Matters)
	}
}

func TestConditionsAlsoChanged(t *testing.T) {
	newer := func(s *collecttest.Setup) {
		s.Attempt = func(_ int, a *results.Attempt) { a.Server.Version, a.Node.Driver = "0.15.0", "560.1" }
	}
	c := compare.Runs(run(t, night(1)), run(t, night(2, newer)), compare.Options{})
	var names []string
	for _, d := range c.Also {
		names = append(names, d.What)
	}
	if got := strings.Join(names, ","); got != "engine version,driver" || c.Verdict == compare.NotComparable {
		t.Errorf("also changed %s, verdict %s", got, c.Verdict)
	}
}

func TestMixedEngineVersionsInOneRun(t *testing.T) {
	mixed := func(s *collecttest.Setup) {
		s.Attempt = func(k int, a *results.Attempt) {
			if k == 3 {
				a.Server.Version = "0.15.0"
			}
		}
	}
	c := compare.Runs(run(t, night(1)), run(t, night(2, mixed)), compare.Options{})
	if c.Verdict != compare.NotComparable || !strings.Contains(c.Reason, "engine versions within the repeats of new") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}

func TestSimulatedAgainstMeasured(t *testing.T) {
	sim := func(s *collecttest.Setup) { s.Simulated = true }
	c := compare.Runs(run(t, night(1)), run(t, night(2, sim)), compare.Options{})
	if c.Verdict != compare.NotComparable || c.Reason != "a simulated run is not compared with a measured one" {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
	c = compare.Runs(run(t, night(1)), run(t, night(2, sim)), compare.Options{AllowSimulated: true})
	if c.Verdict == compare.NotComparable || !c.Simulated {
		t.Errorf("asked for: %s: %s", c.Verdict, c.Reason)
	}
	c = compare.Runs(run(t, night(1, sim)), run(t, night(2, sim)), compare.Options{})
	if c.Verdict == compare.NotComparable || !c.Simulated {
		t.Errorf("two simulated runs compare: %s: %s", c.Verdict, c.Reason)
	}
}

func TestTooFewRepeats(t *testing.T) {
	two := func(s *collecttest.Setup) { s.Repeats = 2 }
	c := compare.Runs(run(t, night(1)), run(t, night(2, two, slower(1, 2))), compare.Options{})
	if c.Verdict != compare.Inconclusive || !strings.Contains(c.Reason, "no verdict from under 3") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
	if r := row(t, c, "constant@3.79req/s", "corrected.tpot_ms.p50"); r.P != nil || *r.Change < 0.9 {
		t.Errorf("the ratio is shown all the same: %+v", r)
	}
	dir := collecttest.Write(t, night(3, func(s *collecttest.Setup) { s.Name = "none" }))
	for k := 1; k <= 5; k++ {
		if err := os.RemoveAll(dir.Repeat(k)); err != nil {
			t.Fatal(err)
		}
	}
	none, err := read.Open(string(dir), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c = compare.Runs(run(t, night(1)), none, compare.Options{}); c.Verdict != compare.Invalid {
		t.Errorf("no repeats: %s: %s", c.Verdict, c.Reason)
	}
}

func TestInvalidEverywhere(t *testing.T) {
	bad := func(s *collecttest.Setup) {
		s.Summary = func(_ int, sum *results.Summary) {
			for i := range sum.Steps {
				sum.Steps[i].Findings = []results.Finding{{Level: results.LevelInvalid, Code: "foreign", Reason: "somebody else was there"}}
			}
		}
	}
	c := compare.Runs(run(t, night(1)), run(t, night(2, bad)), compare.Options{})
	if c.Verdict != compare.Invalid {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
	if r := c.Rows[0]; r.Verdict != compare.Invalid || !strings.Contains(r.Reason, "somebody else was there") {
		t.Errorf("row %s: %s", r.Verdict, r.Reason)
	}
}

func TestOtherLengthsSpoilE2EOnly(t *testing.T) {
	longer := func(s *collecttest.Setup) { s.OutputTokens = 190 }
	c := compare.Runs(run(t, night(1)), run(t, night(2, longer)), compare.Options{})
	e2e := row(t, c, "constant@3.79req/s", "corrected.e2e_ms.p95")
	if e2e.Decides || !strings.Contains(e2e.Reason, "tokens on average") {
		t.Errorf("E2E of other work: %+v", e2e)
	}
	if tpot := row(t, c, "constant@3.79req/s", "corrected.tpot_ms.p50"); !tpot.Decides {
		t.Errorf("TPOT stays: %+v", tpot)
	}
}

func TestStepsOfOneSideAndCapped(t *testing.T) {
	fewer := func(s *collecttest.Setup) { s.RatesPerS = []float64{2.53, 3.79} }
	a, b := run(t, night(1, fewer)), run(t, night(2))
	b.Spec.Plan.RatesPerS = a.Spec.Plan.RatesPerS
	c := compare.Runs(a, b, compare.Options{})
	if got := strings.Join(c.Warnings, "\n"); !strings.Contains(got, "constant@5.69req/s was measured in night only") {
		t.Errorf("warnings: %s", got)
	}
	capped := func(s *collecttest.Setup) {
		s.Summary = func(_ int, sum *results.Summary) { sum.Steps[0].Corrected.Valid = false }
	}
	c = compare.Runs(run(t, night(1)), run(t, night(2, capped)), compare.Options{})
	if r := row(t, c, "constant@2.53req/s", "compat.itl_ms.p50"); r.P == nil {
		t.Errorf("where only compat is valid compat is compared: %+v", r)
	}
}

func TestUnboundedRowDoesNotDecide(t *testing.T) {
	over := 9000.0
	open := func(s *collecttest.Setup) {
		s.Summary = func(k int, sum *results.Summary) {
			d := &sum.Steps[0].Corrected.E2EMs
			d.P95, d.P99, d.Max, d.Mean, d.Over, d.Unbounded = nil, nil, nil, nil, &over, []string{"p95", "p99", "max"}
		}
	}
	c := compare.Runs(run(t, night(1)), run(t, night(2, open)), compare.Options{})
	r := row(t, c, "constant@2.53req/s", "corrected.e2e_ms.p95")
	if r.Decides || r.Verdict != compare.Inconclusive || !strings.Contains(r.Reason, "unbounded") {
		t.Errorf("row %+v", r)
	}
}

func TestARunAgainstItselfIsSaid(t *testing.T) {
	r := run(t, night(1))
	c := compare.Runs(r, r, compare.Options{})
	if got := strings.Join(c.Warnings, "\n"); c.Verdict != compare.NoChange || !strings.Contains(got, "5 repeats are the same measurement on both sides") {
		t.Errorf("%s, warnings %q", c.Verdict, got)
	}
	c = compare.Runs(r, run(t, night(2)), compare.Options{})
	if got := strings.Join(c.Warnings, "\n"); strings.Contains(got, "same measurement") {
		t.Errorf("two measurements: %s", got)
	}
}

func TestAnotherKindOfPlanComesFirst(t *testing.T) {
	c := compare.Runs(run(t, night(1)), run(t, collecttest.Matrix()), compare.Options{})
	if c.Verdict != compare.NotComparable || len(c.Matters) == 0 || !strings.HasPrefix(c.Reason, "plan kind differs: ") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}
