package aggregate_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
	"hpcbench/results"
)

func table(t *testing.T, s collecttest.Setup) *aggregate.Table {
	t.Helper()
	run, err := read.Open(string(collecttest.Write(t, s)), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return aggregate.Of(run)
}

func TestTableOfFive(t *testing.T) {
	tab := table(t, collecttest.Setup{DurationS: 60, RepeatCV: 0.02})
	if tab.Asked != 5 || tab.Good != 5 || tab.Short() != "" || len(tab.Missing) != 0 || len(tab.Warnings) != 0 {
		t.Errorf("heading: %+v", tab)
	}
	if tab.Over.Kind != aggregate.OverNodes || tab.Over.Words != "5 nodes" {
		t.Errorf("over %+v", tab.Over)
	}
	e, ok := tab.StepByID("constant@2.53req/s").Estimate("corrected.tpot_ms.p50")
	if !ok || e.N != 5 || *e.Mean < 8.5 || *e.Mean > 10.5 || *e.SD == 0 {
		t.Errorf("tpot p50: %+v", e)
	}
	if _, ok := tab.Steps[0].Estimate("corrected.goodput_per_s"); ok {
		t.Error("a figure that no repeat has must not be there")
	}
}

func TestInvalidStepLeavesTheOthersStanding(t *testing.T) {
	tab := table(t, collecttest.Setup{DurationS: 20, Summary: func(k int, s *results.Summary) {
		if k == 3 {
			s.Steps[1].Findings = []results.Finding{{Level: results.LevelInvalid, Code: "foreign_requests", Reason: "12 requests of others (limit 0)"}}
		}
		if k == 4 {
			s.Steps[2].Finished = false
			s.Steps[2].Findings = []results.Finding{{Level: results.LevelInvalid, Code: "unfinished", Reason: "left after 3 s of 20 s"}}
		}
		if k == 5 {
			s.Steps[0].Findings = []results.Finding{{Level: results.LevelNote, Code: "saturated", Reason: "it did not keep up"}}
		}
	}})
	if got := fmt.Sprint(tab.Steps[0].Used, tab.Steps[1].Used, tab.Steps[2].Used); got != "[1 2 3 4 5] [1 2 4 5] [1 2 3 5]" {
		t.Errorf("used: %s", got)
	}
	if l := tab.Steps[1].LeftOut; len(l) != 1 || l[0].Repeat != 3 || l[0].Why != "INVALID foreign_requests: 12 requests of others (limit 0)" {
		t.Errorf("left out: %+v", l)
	}
	if !tab.Steps[0].Has("saturated") || tab.Steps[1].Has("saturated") {
		t.Error("findings stay with their step")
	}
}

func TestInvalidRepeatCountsNowhere(t *testing.T) {
	tab := table(t, collecttest.Setup{DurationS: 20, Summary: func(k int, s *results.Summary) {
		if k == 2 {
			s.Findings = []results.Finding{{Level: results.LevelInvalid, Code: "server_restarted", Reason: "the server restarted"}}
		}
	}})
	for i := range tab.Steps {
		if got := fmt.Sprint(tab.Steps[i].Used); got != "[1 3 4 5]" {
			t.Errorf("step %d uses %s", i, got)
		}
	}
}

func TestMissingAndInterrupted(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{DurationS: 20, Attempt: func(k int, a *results.Attempt) {
		if k == 2 {
			a.State = results.StateInterrupted
			a.Failure = &results.Failure{Class: "signal", Words: "SIGTERM at the time limit"}
		}
	}, Summary: func(k int, s *results.Summary) {
		if k == 2 {
			s.Steps = s.Steps[:1]
		}
	}})
	if err := os.RemoveAll(dir.Repeat(4)); err != nil {
		t.Fatal(err)
	}
	run, err := read.Open(string(dir), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tab := aggregate.Of(run)
	want := "repeat 2: interrupted, SIGTERM at the time limit; its 1 finished steps of 3 count\nrepeat 4: missing, it has not started"
	if got := strings.Join(tab.Missing, "\n"); got != want {
		t.Errorf("missing:\n%s\nwant:\n%s", got, want)
	}
	if tab.Short() != "3 of 5 repeats" {
		t.Errorf("short: %s", tab.Short())
	}
	if got := fmt.Sprint(tab.Steps[0].Used, tab.Steps[2].Used); got != "[1 2 3 5] [1 3 5]" {
		t.Errorf("used: %s", got)
	}
}

func TestOverSaysWhatRepeatsDifferBy(t *testing.T) {
	for _, tc := range []struct {
		mode    string
		oneNode bool
		want    string
	}{
		{results.ModeArray, false, "5 nodes"}, {results.ModeArray, true, "5 jobs on one node"}, {results.ModeRestart, true, "within one job"},
		{results.ModeReuse, true, "one server"}, {results.ModeRemote, true, "within one session"}, {results.ModeChain, false, "5 nodes"},
	} {
		tab := table(t, collecttest.Setup{DurationS: 10, OneNode: tc.oneNode, Spec: func(s *results.Spec) { s.Grouping.Mode = tc.mode }})
		if tab.Over.Words != tc.want {
			t.Errorf("%s: %q, want %q", tc.mode, tab.Over.Words, tc.want)
		}
	}
}

func TestMixedRepeatsAreWarnedOf(t *testing.T) {
	tab := table(t, collecttest.Setup{DurationS: 10, Attempt: func(k int, a *results.Attempt) {
		if k == 5 {
			a.Server.Version = "0.15.0"
		}
	}, Summary: func(k int, s *results.Summary) {
		if k == 4 {
			s.Steps[1].Step.ID = "constant@9.99req/s"
		}
	}})
	got := strings.Join(tab.Warnings, "\n")
	for _, want := range []string{"different engine versions (0.14.0, 0.15.0)", "repeat 4 ran constant@9.99req/s as step 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no warning says %q:\n%s", want, got)
		}
	}
	if n := len(tab.Steps[1].Used); n != 4 {
		t.Errorf("step 1 uses %d repeats, want 4", n)
	}
}

func TestSimulatedIsCarried(t *testing.T) {
	if !table(t, collecttest.Setup{DurationS: 10, Simulated: true}).Simulated {
		t.Error("a simulated run must say so")
	}
	tab := table(t, collecttest.Setup{DurationS: 10, Summary: func(k int, s *results.Summary) { s.Simulated = k == 2 }})
	if !tab.Simulated {
		t.Error("one simulated repeat makes the table simulated")
	}
}

func TestUnboundedPercentileOfOneRepeat(t *testing.T) {
	over := 9000.0
	tab := table(t, collecttest.Setup{DurationS: 10, Summary: func(k int, s *results.Summary) {
		if k == 1 {
			d := &s.Steps[0].Corrected.E2EMs
			d.P99, d.Mean, d.SD, d.Max, d.Over, d.Unbounded = nil, nil, nil, nil, &over, []string{"p99", "max"}
		}
	}})
	e, _ := tab.Steps[0].Estimate("corrected.e2e_ms.p99")
	if e.Unbounded != 1 || e.AtLeast == nil || e.Mean != nil {
		t.Errorf("p99: %+v", e)
	}
	m, _ := tab.Steps[0].Estimate("corrected.e2e_ms.mean")
	if m.N != 5 || m.Unbounded != 1 || m.Mean != nil || m.AtLeast != nil {
		t.Errorf("one unbounded repeat must not be dropped from the mean: %+v", m)
	}
}

func TestNegativeTimesAreNoFigures(t *testing.T) {
	bad := -5.0
	tab := table(t, collecttest.Setup{DurationS: 10, Summary: func(k int, s *results.Summary) {
		if k == 1 {
			s.Steps[0].Corrected.TTFTMs.P50 = &bad
		}
	}})
	if e, _ := tab.Steps[0].Estimate("corrected.ttft_ms.p50"); e.N != 4 {
		t.Errorf("n %d, want 4", e.N)
	}
}

func TestOnlyCompatStandsWhereTheCapDroppedArrivals(t *testing.T) {
	tab := table(t, collecttest.Setup{DurationS: 10, Summary: func(k int, s *results.Summary) { s.Steps[1].Corrected.Valid = false }})
	if _, ok := tab.Steps[1].Estimate("corrected.ttft_ms.p50"); ok {
		t.Error("corrected latency must not be stated")
	}
	if _, ok := tab.Steps[1].Estimate("compat.ttft_ms.p50"); !ok {
		t.Error("compat stands")
	}
	if _, ok := tab.Steps[0].Estimate("corrected.ttft_ms.p50"); !ok {
		t.Error("the other steps stand")
	}
}
