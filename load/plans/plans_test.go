package plans

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
)

func load(t *testing.T, name string) results.Plan {
	t.Helper()
	p, _, err := Load(name, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryEmbeddedPlanLoadsUnderItsOwnName(t *testing.T) {
	names, err := Names("")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, name := range names {
		p := load(t, name)
		if p.Name != name || p.Description == "" {
			t.Errorf("plan %s calls itself %q and says %q", name, p.Name, p.Description)
		}
		if p.Gateway != nil { // its two URLs are the user's to say
			p.Gateway.DirectURL, p.Gateway.GatewayURL = "http://127.0.0.1:1", "http://127.0.0.1:2"
		}
		if err := p.Check(); err != nil {
			t.Errorf("plan %s: %v", name, err)
		}
		kinds[p.Kind] = true
	}
	for _, kind := range results.Kinds {
		if !kinds[kind] {
			t.Errorf("no embedded plan of kind %s", kind)
		}
	}
}

func TestUnknownPlanNamesTheNearest(t *testing.T) {
	_, _, err := Load("legacy-karolin", "")
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "legacy-karolina") {
		t.Errorf("got %v", err)
	}
	if _, _, err := Load("defaults", ""); !errors.Is(err, ErrUnknown) {
		t.Errorf("the defaults can be run as a plan: %v", err)
	}
	if _, _, err := Load("../plans/x", t.TempDir()); !errors.Is(err, ErrUnknown) {
		t.Errorf("a name that leaves the folder: %v", err)
	}
}

func TestOwnPlanHidesTheEmbeddedOneAndErrorsHaveLines(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("demo.yaml", "kind: rate\nrates_per_s: [1]\nduration_s: 3\nprompt: {tokens: 10}\noutput: {tokens: 5}\n")
	write("wrong.yaml", "kind: rate\nrates_per_s: [1]\nduraton_s: 3\n")
	p, origins, err := Load("demo", dir)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "demo" || p.DurationS != 3 || p.Request.API != "chat" || p.Prompt.Source != "synthetic" || p.Request.TimeoutS != 120 {
		t.Errorf("%+v", p)
	}
	if got := origins.Of("duration_s").String(); !strings.Contains(got, "demo.yaml:3") {
		t.Errorf("duration_s comes from %s", got)
	}
	if _, _, err := Load("wrong", dir); err == nil || !strings.Contains(err.Error(), "wrong.yaml:3") || !strings.Contains(err.Error(), "duration_s") {
		t.Errorf("got %v", err)
	}
	infos, err := List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range infos {
		switch {
		case i.Name == "demo" && !strings.HasSuffix(i.Source, "demo.yaml"):
			t.Errorf("demo is listed from %s", i.Source)
		case i.Name == "wrong" && i.Err == nil:
			t.Errorf("a broken file is listed as good")
		case i.Name == "sweep" && i.Source != "embedded":
			t.Errorf("sweep is listed from %s", i.Source)
		}
	}
}

func ids(steps []results.Step) []string {
	var out []string
	for i, s := range steps {
		if s.Index != i {
			out = append(out, "wrong index")
		}
		out = append(out, s.ID)
	}
	return out
}

func steps(t *testing.T, p results.Plan, f Facts) []results.Step {
	t.Helper()
	s, err := Steps(p, f)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRateStepsAreNamedAsTheTablesNameThem(t *testing.T) {
	s := steps(t, load(t, "legacy-karolina"), Facts{})
	want := []string{"constant@2.53req/s", "constant@3.79req/s", "constant@5.69req/s", "constant@8.54req/s", "constant@12.81req/s", "constant@19.22req/s"}
	if diff := cmp.Diff(want, ids(s)); diff != "" {
		t.Error(diff)
	}
	if s[0].MaxInFlight != 800 || s[0].DurationS != 120 || s[0].Loop != results.LoopOpen {
		t.Errorf("%+v", s[0])
	}
	p := load(t, "demo")
	p.RatesPerS = []float64{0.001, 0.002, 1}
	if diff := cmp.Diff([]string{"constant@0.001req/s", "constant@0.002req/s", "constant@1.00req/s"}, ids(steps(t, p, Facts{}))); diff != "" {
		t.Error(diff)
	}
}

func TestSweepGoesUpToItsFractionOfTheMeasuredMaximum(t *testing.T) {
	p := load(t, "sweep")
	next, err := New(p, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	var done []results.StepSummary
	var rates []float64
	for s, ok := next(done); ok; s, ok = next(done) {
		sum := results.StepSummary{Step: s}
		if len(done) == 0 {
			if s.Loop != results.LoopClosed || s.Streams != 128 {
				t.Fatalf("first step %+v", s)
			}
			sum.Corrected.AchievedPerS = 10
		} else {
			rates = append(rates, s.RatePerS)
		}
		done = append(done, sum)
	}
	if diff := cmp.Diff([]float64{1.2, 2.4, 3.6, 4.8, 6, 7.2, 8.4, 9.6, 10.8, 12}, rates); diff != "" {
		t.Error(diff)
	}
	if _, ok := next([]results.StepSummary{{}}); ok {
		t.Error("it goes on though nothing was completed")
	}
}

func TestMatrixPlansThePublishedCellsAsOverCapacity(t *testing.T) {
	p := load(t, "matrix-parity")
	all := steps(t, p, Facts{KVTokens: 450_000, KVSource: "test", MaxModelLen: 262144, MaxNumSeqs: 128})
	// The published page: cells that ran, by context.
	ran := map[int]int{0: 6, 16384: 5, 32768: 4, 65536: 3, 131072: 2, 253952: 1}
	got := map[int]int{}
	cells := 0
	for _, s := range all {
		if s.Phase != PhaseDecode {
			continue
		}
		cells++
		ctx := s.PromptTokens
		if ctx == 64 {
			ctx = 0
		}
		if s.NotRun == "" {
			got[ctx]++
		} else if !strings.HasPrefix(s.NotRun, OverCapacity+": ") {
			t.Errorf("%s: %s", s.ID, s.NotRun)
		}
	}
	if diff := cmp.Diff(ran, got); diff != "" || cells != 48 {
		t.Errorf("%d cells; %s", cells, diff)
	}
	order := ids(all)[5:]
	if order[0] != "ctx0@c1" || order[1] != "ctx16384@c1" || order[5] != "ctx253952@c1" || order[6] != "ctx0@c2" || order[13] != "ctx16384@c2" {
		t.Errorf("order %v", order)
	}
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s.ID] {
			t.Errorf("two steps are called %s", s.ID)
		}
		seen[s.ID] = true
	}
	over := steps(t, p, Facts{MaxModelLen: 100_000, MaxNumSeqs: 16})
	for _, s := range over {
		want := ""
		if s.Phase == PhaseDecode && s.PromptTokens > 92_000 || s.PromptTokens >= 100_000 {
			want = OverModelLen
		} else if s.Streams > 16 {
			want = OverMaxNumSeqs
		}
		if first, _, _ := strings.Cut(s.NotRun, ":"); first != want {
			t.Errorf("%s: %q, want %q", s.ID, s.NotRun, want)
		}
	}
}

func TestGatewayBlocksAreBalanced(t *testing.T) {
	p := load(t, "gateway")
	all := steps(t, p, Facts{})
	if len(all) != 10*6 {
		t.Fatalf("%d steps", len(all))
	}
	var order []string
	for _, s := range all[:12] {
		order = append(order, s.Arm[:1])
	}
	if got := strings.Join(order, ""); got != "dcggcd"+"gcddcg" {
		t.Errorf("arms run as %s", got)
	}
	count := map[string]int{}
	position := map[string]int{}
	for i, s := range all {
		count[s.Arm] += s.MaxRequests
		position[s.Arm] += i % 6
	}
	if count["direct"] != 2000 || count["gateway"] != 2000 || count["control"] != 2000 {
		t.Errorf("requests %v", count)
	}
	if position["direct"] != position["gateway"] || position["direct"] != position["control"] {
		t.Errorf("mean position in a block differs: %v", position)
	}
}

// server is a machine with a p95 that rises above cap streams.
func server(cap int) func(results.Step) results.StepSummary {
	return func(s results.Step) results.StepSummary {
		load := float64(s.Streams) / float64(cap)
		if s.Loop == results.LoopOpen {
			load = s.RatePerS / float64(cap)
		}
		p95 := 100 * max(1, 3*load)
		n := s.MaxRequests
		if n == 0 {
			n = int(s.RatePerS * s.DurationS)
		}
		spread := 0.2 * p95 / math.Sqrt(float64(n))
		low, high := p95-spread, p95+spread
		return results.StepSummary{
			Step:   s,
			Counts: results.Counts{Sent: n, Completed: n},
			Corrected: results.Corrected{
				AchievedPerS: 10 * min(max(float64(s.Streams), 1), float64(cap)),
				E2EMs:        results.Dist{N: n, P95: &p95, P95Lower: &low, P95Upper: &high},
			},
		}
	}
}

func search(t *testing.T, p results.Plan, run func(results.Step) results.StepSummary) ([]results.StepSummary, results.Knee) {
	t.Helper()
	next, err := New(p, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	var done []results.StepSummary
	for s, ok := next(done); ok; s, ok = next(done) {
		done = append(done, run(s))
		if len(done) > 60 {
			t.Fatal("the search doesn't end")
		}
	}
	return done, results.FindKnee(p, done)
}

func TestCapacityBracketsTheKnee(t *testing.T) {
	p := load(t, "capacity")
	for _, cap := range []int{3, 7, 16, 25, 100, 333} {
		done, k := search(t, p, server(cap))
		if k.FirstFailing == nil || k.MaxPassing > float64(cap) || *k.FirstFailing < float64(cap) {
			t.Errorf("cap %d: %v to %v", cap, k.MaxPassing, k.FirstFailing)
			continue
		}
		if gap := *k.FirstFailing - k.MaxPassing; k.MaxPassing > 0 && gap > 1 && gap/k.MaxPassing > 0.1 {
			t.Errorf("cap %d: bracket %v to %v after %d steps", cap, k.MaxPassing, *k.FirstFailing, len(done))
		}
		for _, l := range k.Levels {
			if (l.At == k.MaxPassing || l.At == *k.FirstFailing) && !l.Decided {
				t.Errorf("cap %d: level %v decides with %d requests", cap, l.At, l.Requests)
			}
		}
	}
	_, k := search(t, p, server(10_000))
	if k.FirstFailing != nil || k.MaxPassing != 512 {
		t.Errorf("a knee beyond the highest level: %+v", k)
	}
}

func TestCapacityOpenLoopFindsTheRate(t *testing.T) {
	done, k := search(t, load(t, "capacity-open"), server(70))
	if k.FirstFailing == nil || k.MaxPassing > 70 || *k.FirstFailing < 70 || *k.BracketShare > 0.1 {
		t.Errorf("%+v after %d steps", k, len(done))
	}
	for _, s := range done[1:] {
		if s.Step.Loop != results.LoopOpen || s.Step.Arrival != "poisson" {
			t.Errorf("step %+v", s.Step)
		}
	}
}

func TestCapacityEndsWhereThePlanCannotDecide(t *testing.T) {
	// Time runs out before the requests are sent: every level stays inconclusive.
	_, k := search(t, load(t, "capacity"), func(s results.Step) results.StepSummary {
		sum := server(16)(s)
		sum.Counts.Sent, sum.Counts.Completed = 30, 30
		sum.Corrected.E2EMs.N, sum.Corrected.E2EMs.P95Lower, sum.Corrected.E2EMs.P95Upper = 30, nil, nil
		return sum
	})
	if k.MaxPassing != 0 {
		t.Errorf("%+v", k)
	}
}

func TestCapacityClimbsWhereOneStreamEndsTooFew(t *testing.T) {
	// One stream of a slow server ends 30 requests in the window, two end 60, four enough.
	steps, k := search(t, load(t, "capacity"), func(s results.Step) results.StepSummary {
		sum := server(16)(s)
		if s.Streams <= 2 {
			n := 30 * s.Streams
			sum.Counts.Sent, sum.Counts.Completed = n, n
			sum.Corrected.E2EMs.N, sum.Corrected.E2EMs.P95Lower, sum.Corrected.E2EMs.P95Upper = n, nil, nil
		}
		return sum
	})
	if k.MaxPassing < 8 || k.FirstFailing == nil || k.MaxInFlight < 7 {
		t.Errorf("%d steps: %+v", len(steps), k)
	}
}

func TestFixedStepsAreRunAsFrozen(t *testing.T) {
	next := Fixed([]results.Step{{ID: "a"}, {ID: "b"}})
	if s, ok := next(make([]results.StepSummary, 1)); !ok || s.ID != "b" || s.Index != 1 {
		t.Errorf("%+v %v", s, ok)
	}
	if _, ok := next(make([]results.StepSummary, 2)); ok {
		t.Error("there is a third step of two")
	}
}
