package gate

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

func openRun(t *testing.T, s collecttest.Setup) *read.Run {
	t.Helper()
	run, err := read.Open(string(collecttest.Write(t, s)), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

var entry = Entry{Name: "e", Repeats: 5, Gates: []compare.Gate{tpotGate}, Baseline: Policy{WindowNights: 14}}

func made(seed uint64, more ...func(*collecttest.Setup)) collecttest.Setup {
	s := collecttest.Setup{Seed: seed, RepeatCV: 0.02, NightCV: 0.01, DurationS: 20}
	for _, m := range more {
		m(&s)
	}
	return s
}

// TestTwentyNightsThroughFiles walks nights from run folders to verdicts: a
// step made 10 % slower goes red for that step and metric, and healthy nights
// don't.
func TestTwentyNightsThroughFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nights.jsonl")
	pinnedRun := openRun(t, made(500))
	pinned, err := Promote(pinnedRun, "e", "tester", "first", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	judge := func(night string, seed uint64, slower func(*collecttest.Setup)) Night {
		nights, lines, err := LoadNights(path)
		if err != nil || lines.Bad+lines.Torn > 0 {
			t.Fatal(err, lines)
		}
		j := Judger{Rule: DefaultRule, Entry: entry, Nights: nights, Pinned: &pinned, Night: night}
		run := openRun(t, made(seed, slower))
		n := j.Screen(run)
		var looks []Look
		for n.State == NeedsPairs {
			quiet := func(s *collecttest.Setup) { s.Repeats, s.NightCV, s.OneNode = 5, 0, true }
			at := seed + 1000*uint64(len(looks)+1)
			looks = append(looks, Look{openRun(t, made(at, quiet)), openRun(t, made(at+500, quiet, slower))})
			if n.Pairs != 5*len(looks) {
				t.Fatalf("%d pairs are wanted at look %d", n.Pairs, len(looks))
			}
			var problems []string
			if n, problems = j.Confirm(run, looks, ""); len(problems) > 0 {
				t.Fatal(problems)
			}
		}
		record := j.Record("s", run, n)
		record.At = time.Unix(int64(seed), 0).UTC()
		if err := AppendNight(path, record); err != nil {
			t.Fatal(err)
		}
		return n
	}
	healthy := func(*collecttest.Setup) {}
	for i := range 8 {
		if n := judge(fmt.Sprintf("2026-03-%02d", i+1), uint64(i+1), healthy); n.State != Learning {
			t.Fatalf("night %d: %s: %s", i, n.State, n.Reason)
		}
	}
	for i := range 6 {
		if n := judge(fmt.Sprintf("2026-04-%02d", i+1), uint64(i+50), healthy); n.State != Green {
			t.Errorf("healthy night %d: %s: %s", i, n.State, n.Reason)
		}
	}
	n := judge("2026-05-01", 90, func(s *collecttest.Setup) { s.Slower = map[int]float64{1: 1.10} })
	if n.State != Red || !strings.Contains(n.Reason, "TPOT p50 at constant@3.79req/s") {
		t.Errorf("slower night: %s: %s", n.State, n.Reason)
	}
	nights, _, err := LoadNights(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(nights.Past("e", "2026-06-01", Key{"constant@3.79req/s", tpot}, 100, nil).Nights); got != 14 {
		t.Errorf("%d nights count as history, want the 14 good ones", got)
	}
}

func TestNightsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x", "nights.jsonl")
	record := func(night string, s State) NightRecord {
		at, err := time.Parse("2006-01-02", night)
		if err != nil {
			t.Fatal(err)
		}
		return NightRecord{Entry: "e", Night: night, At: at, State: s, Figures: []Figures{{Key: Key{"s", tpot}, Values: []float64{1, 2, 3}}}}
	}
	for _, n := range []NightRecord{record("2026-01-01", Green), record("2026-01-02", Inconclusive), record("2026-01-03", Inconclusive), record("2026-01-03", Inconclusive),
		record("2026-01-04", Green), record("2026-01-05", Inconclusive), record("2026-01-06", Red)} {
		if err := AppendNight(path, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := appendText(path, "{broken\n{\"format\":\"x/1\"}\n"); err != nil {
		t.Fatal(err)
	}
	ns, lines, err := LoadNights(path)
	if err != nil || len(ns) != 6 || lines.Bad != 2 {
		t.Fatalf("%d nights, %+v, %v", len(ns), lines, err)
	}
	for night, want := range map[string]int{"2026-01-02": 0, "2026-01-04": 2, "2026-01-05": 0, "2026-01-06": 1, "2026-01-07": 0} {
		if got := ns.InconclusiveRunning("e", night); got != want {
			t.Errorf("before %s: %d inconclusive running, want %d", night, got, want)
		}
	}
	if p := ns.Past("e", "2026-01-05", Key{"s", tpot}, 1, nil); len(p.Nights) != 1 {
		t.Errorf("window: %+v", p)
	}
	if p := ns.Past("other", "2027-01-01", Key{"s", tpot}, 14, nil); len(p.Nights) != 0 {
		t.Errorf("another entry's nights: %+v", p)
	}
}

func appendText(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func TestPairsNeedTheSameSchedule(t *testing.T) {
	base := openRun(t, made(1))
	cand := openRun(t, made(2, func(s *collecttest.Setup) {
		s.Attempt = func(k int, a *results.Attempt) {
			if k == 2 {
				a.ScheduleDigest = "other"
			}
			if k == 4 {
				a.State = results.StateInterrupted
			}
		}
	}))
	k := Key{"constant@2.53req/s", tpot}
	pairs, problems := PairsOf([]Look{{base, cand}}, []Key{k}, func(Key) Past { return pastNights(9, 9) }, DefaultRule)
	if pairs[0].Asked != 5 || len(pairs[0].Base) != 3 || len(problems) != 2 || pairs[0].Prior.DF != 20 {
		t.Errorf("%d pairs, prior %+v, problems %v", len(pairs[0].Base), pairs[0].Prior, problems)
	}
}

func TestNoMorePairsEndsAsInconclusive(t *testing.T) {
	pinned, err := Promote(openRun(t, made(500)), "e", "me", "x", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	var nights Nights
	for i := range 8 {
		nights = append(nights, NightRecord{Entry: "e", Night: fmt.Sprintf("2026-03-%02d", i+1), State: Green, Figures: FiguresOf(openRun(t, made(uint64(i+1))), entry)})
	}
	slow := func(s *collecttest.Setup) { s.Slower = map[int]float64{1: 1.10} }
	run := openRun(t, made(90, slow))
	j := Judger{Rule: DefaultRule, Entry: entry, Nights: nights, Pinned: &pinned, Night: "2026-04-01"}
	if n := j.Screen(run); n.State != NeedsPairs || n.Pairs != 5 {
		t.Fatalf("%s, %d pairs", n.State, n.Pairs)
	}
	one := func(seed uint64, more ...func(*collecttest.Setup)) *read.Run {
		return openRun(t, made(seed, append(more, func(s *collecttest.Setup) { s.NightCV = 0 })...))
	}
	looks := []Look{{one(1001), one(1002, slow)}}
	if n, _ := j.Confirm(run, looks, ""); n.State != NeedsPairs || n.Pairs != 10 {
		t.Errorf("%s, %d pairs: the first look can't be red", n.State, n.Pairs)
	}
	if n, _ := j.Confirm(run, looks, "the budget is spent"); n.State != Inconclusive || n.Pairs != 0 || !strings.Contains(n.Reason, "the budget is spent") {
		t.Errorf("%s, %d pairs: %s", n.State, n.Pairs, n.Reason)
	}
	if n, _ := j.Confirm(run, nil, "the budget is spent"); n.State != Inconclusive || n.Pairs != 0 {
		t.Errorf("without any pair: %s, %d pairs: %s", n.State, n.Pairs, n.Reason)
	}
	broken := func(s *collecttest.Setup) {
		s.Attempt = func(k int, a *results.Attempt) {
			if k > 2 {
				a.State = results.StateFailed
			}
		}
	}
	if n, problems := j.Confirm(run, []Look{{one(1001), one(1002, slow, broken)}}, ""); n.State != NeedsPairs || n.Pairs != 10 || len(problems) != 3 {
		t.Errorf("two valid pairs of five: %s, %d pairs, %v", n.State, n.Pairs, problems)
	}
}

func TestBaselines(t *testing.T) {
	store := Store(filepath.Join(t.TempDir(), "baselines"))
	if _, err := store.Get("e"); !errors.Is(err, ErrNoBaseline) {
		t.Errorf("none yet: %v", err)
	}
	if _, err := store.Get("../../etc/passwd"); !errors.Is(err, ErrNoBaseline) {
		t.Errorf("a path is no name: %v", err)
	}
	run := openRun(t, made(1))
	first, err := Promote(run, "e", "alice", "the release", time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	if got := first.Values(Key{"constant@2.53req/s", tpot}); len(got) != 5 || first.ImageDigest != "sha256:ef96fa3f" || first.EngineVersion != "0.14.0" {
		t.Errorf("baseline %+v", first)
	}
	second := first
	second.By, second.Why = "bob", "a newer image"
	for _, b := range []Baseline{first, second} {
		if err := store.Set(b); err != nil {
			t.Fatal(err)
		}
	}
	got, err := store.Get("e")
	if err != nil || got.By != "bob" {
		t.Errorf("in force: %+v, %v", got.By, err)
	}
	history, lines, err := store.History("e")
	if err != nil || len(history) != 2 || history[0].By != "alice" || lines.Bad > 0 {
		t.Errorf("history: %d, %v", len(history), err)
	}
	collecttest.WriteFile(t, filepath.Join(string(store), "broken.json"), []byte("{"))
	list, problems, err := store.List()
	if err != nil || len(list) != 1 || len(problems) != 1 {
		t.Errorf("list %d, problems %v, %v", len(list), problems, err)
	}
	if none, _, err := Store(filepath.Join(t.TempDir(), "none")).List(); err != nil || len(none) != 0 {
		t.Errorf("no folder: %v %v", none, err)
	}
}

func TestPromoteRefuses(t *testing.T) {
	good := openRun(t, made(1))
	two := openRun(t, made(1, func(s *collecttest.Setup) { s.Repeats = 2 }))
	mixed := openRun(t, made(1, func(s *collecttest.Setup) {
		s.Attempt = func(k int, a *results.Attempt) { a.Server.Version = fmt.Sprint(k) }
	}))
	bad := openRun(t, made(1, func(s *collecttest.Setup) {
		s.Summary = func(_ int, s *results.Summary) {
			s.Findings = []results.Finding{{Level: results.LevelInvalid, Code: "other_model"}}
		}
	}))
	for _, tc := range []struct {
		run             *read.Run
		name, why, want string
	}{
		{good, "a b", "x", "a name is of letters"}, {good, "e", " ", "say why"}, {two, "e", "x", "2 good repeats"},
		{mixed, "e", "x", "different engine versions"}, {bad, "e", "x", "not one step has three valid repeats"},
	} {
		if _, err := Promote(tc.run, tc.name, "me", tc.why, time.Now()); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

func TestJUnitGolden(t *testing.T) {
	key := func(step string) Key { return Key{step, tpot} }
	n := SuiteNight{Suite: "nightly", Night: "2026-03-19", At: time.Date(2026, 3, 19, 3, 0, 0, 0, time.UTC), Entries: []EntryNight{
		{Entry: "slow", TookS: 612.5, Night: Night{State: Red, Screen: []ScreenRow{{Key: key("a"), State: NeedsPairs, Reason: "12 % worse than the last 9 nights"}, {Key: key("b"), State: Green, Reason: "no worse"}},
			Confirm: []ConfirmRow{{Key: key("a"), State: Red, Reason: "+11.0 % <at most +13 %>"}}}},
		{Entry: "noisy", Night: Night{State: Inconclusive, Failed: true, Reason: "inconclusive for 3 nights running", Screen: []ScreenRow{{Key: key("a"), State: NeedsPairs}},
			Confirm: []ConfirmRow{{Key: key("a"), State: Inconclusive, Reason: "a slowdown from 11 % on would have been found"}}}},
		{Entry: "moved", Night: Night{State: MachineChanged, Screen: []ScreenRow{{Key: key("a"), State: NeedsPairs}}, Confirm: []ConfirmRow{{Key: key("a"), State: MachineChanged, Reason: "the baseline as well"}}}},
		{Entry: "new", Night: Night{State: Learning, Screen: []ScreenRow{{Key: key("a"), State: Learning, Reason: "3 of 8 good nights"}}}},
		{Entry: "bad", Night: Night{State: Invalid, Screen: []ScreenRow{{Key: key("a"), State: Invalid, Reason: "2 of 5 repeats"}}}},
		{Entry: "down", Trouble: "sbatch refused: invalid account"},
	}}
	var b strings.Builder
	if err := JUnit(&b, n); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "junit.xml")
	if *update {
		collecttest.WriteFile(t, path, []byte(b.String()))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("JUnit differs (go test -update writes it anew):\n%s", b.String())
	}
}

func TestAAFindsTheVarianceParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var all []observation
	for night := range 400 {
		e := 0.02 * rng.NormFloat64()
		for node := range 3 {
			m := 0.015 * rng.NormFloat64()
			for range 3 {
				all = append(all, observation{fmt.Sprint(night), fmt.Sprint(node), e + m + 0.03*rng.NormFloat64()})
			}
		}
	}
	p := parts(Key{"s", tpot}, all)
	for name, c := range map[string][2]float64{"repeat": {*p.Repeat, 0.03}, "node": {*p.Node, 0.015}, "night": {*p.Night, 0.02}} {
		if math.Abs(c[0]-c[1]) > 0.0025 {
			t.Errorf("%s: %.4f, want %.4f", name, c[0], c[1])
		}
	}
	if w := p.Within(); math.Abs(w-math.Hypot(0.03, 0.015)) > 0.003 {
		t.Errorf("within a night %.4f", w)
	}
}

func TestAASaysWhatCantBeTold(t *testing.T) {
	one := []observation{{"n1", "a", 1}, {"n1", "b", 1.1}}
	if p := parts(Key{}, one); p.Node != nil || p.Night != nil || !strings.Contains(p.Note, "a node of its own") || !strings.Contains(p.Note, "one night") {
		t.Errorf("%+v", p)
	}
	same := []observation{{"n1", "a", 1}, {"n1", "a", 1.1}, {"n2", "a", 1}, {"n2", "a", 1.1}}
	if p := parts(Key{}, same); p.Node != nil || *p.Night != 0 || !strings.Contains(p.Note, "each night ran on one node") {
		t.Errorf("%+v", p)
	}
	if p := parts(Key{}, []observation{{"n1", "a", 1}, {"n2", "b", 1}}); p.Repeat != nil || p.Note == "" {
		t.Errorf("%+v", p)
	}
}

func TestAAFromRuns(t *testing.T) {
	var runs []*read.Run
	for i := range 6 {
		runs = append(runs, openRun(t, made(uint64(i+1), func(s *collecttest.Setup) { s.OneNode = true })))
	}
	got := AA(runs, entry)
	if len(got) != 3 || got[0].Repeat == nil || *got[0].Repeat < 0.008 || *got[0].Repeat > 0.04 || got[0].Nights != 6 || got[0].Repeats != 30 {
		t.Fatalf("parts %+v", got)
	}
	r := DefaultRule.Rates(got, 200)
	if r.Worst == nil || r.Healthy.Red > 0.02 || r.Slower.Red < 0.9 || len(r.Notes) != 1 {
		t.Errorf("report %+v", r)
	}
	if none := DefaultRule.Rates(nil, 10); none.Worst != nil || len(none.Notes) != 1 {
		t.Errorf("no parts: %+v", none)
	}
}
