package compare_test

import (
	"math"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/results"
)

func gateway(name string, seed uint64, addsMs float64, more ...func(*results.Spec)) collecttest.Setup {
	s := collecttest.GatewayAdding(addsMs)
	s.Name, s.Seed = name, seed
	own := s.Spec
	s.Spec = func(spec *results.Spec) {
		own(spec)
		for _, m := range more {
			m(spec)
		}
	}
	return s
}

func elsewhere(s *results.Spec) { s.Plan.Gateway.GatewayURL = "https://rewrite.example.org/v1" }

// TestGatewaysByWhatTheyAdd compares two services in front of one server: 2 ms
// against 62 ms is 60 ms more, whatever the server does meanwhile.
func TestGatewaysByWhatTheyAdd(t *testing.T) {
	c := compare.Runs(run(t, gateway("old", 1, 2)), run(t, gateway("rewrite", 2, 62, elsewhere)), compare.Options{})
	if c.Kind != compare.KindGateway || len(c.Matters) != 0 {
		t.Fatalf("kind %q, matters %+v", c.Kind, c.Matters)
	}
	deciding := 0
	for _, r := range c.Rows {
		if !r.Decides {
			if r.Aside == "" {
				t.Errorf("%s %s doesn't decide and doesn't say why", r.Step, r.Metric)
			}
			continue
		}
		deciding++
		if !r.Absolute || r.Unit != "ms" || math.Abs(*r.Change-60) > 20 || *r.Low > 60 || *r.High < 60 {
			t.Errorf("%s %s: %+v %s", r.Step, r.Metric, *r.Change, r.Reason)
		}
	}
	if deciding == 0 || c.Verdict != compare.Regressed || !strings.Contains(c.Reason, " ms") || strings.Contains(c.Reason, "points") {
		t.Errorf("%d rows decide, %s: %s", deciding, c.Verdict, c.Reason)
	}
	if len(c.Also) == 0 {
		t.Error("another address isn't said")
	}
}

func TestTheSameGatewayTwice(t *testing.T) {
	c := compare.Runs(run(t, gateway("one", 3, 2)), run(t, gateway("two", 4, 2)), compare.Options{})
	if c.Verdict == compare.Regressed || c.Verdict == compare.Improved || c.Verdict == compare.NotComparable {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}

// TestGatewaysBeforeOtherServers: another model behind them is no comparison, a
// slower server of the same one is.
func TestGatewaysBeforeOtherServers(t *testing.T) {
	other := func(s *results.Spec) { s.Model.Name = "org/other" }
	c := compare.Runs(run(t, gateway("one", 5, 2)), run(t, gateway("two", 6, 62, other)), compare.Options{})
	if c.Verdict != compare.NotComparable {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
	for _, r := range c.Rows {
		if r.Verdict == compare.Regressed || r.Verdict == compare.Improved {
			t.Errorf("%s %s has the verdict %s", r.Step, r.Metric, r.Verdict)
		}
	}
}

func TestFewBlocksDecideNothing(t *testing.T) {
	few := func(name string, seed uint64, addsMs float64) collecttest.Setup {
		s := gateway(name, seed, addsMs)
		s.Repeats = 1
		var steps []results.Step
		for _, st := range s.Steps {
			if st.Block <= 3 {
				steps = append(steps, st)
			}
		}
		s.Steps = steps
		return s
	}
	c := compare.Runs(run(t, few("one", 7, 2)), run(t, few("two", 8, 9)), compare.Options{})
	if c.Verdict != compare.Inconclusive || !strings.Contains(c.Reason, "blocks") {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
}
