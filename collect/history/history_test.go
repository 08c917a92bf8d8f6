package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/history"
	"hpcbench/collect/read"
	"hpcbench/results"
)

func entry(t testing.TB, s collecttest.Setup) history.Entry {
	t.Helper()
	run, err := read.Open(string(collecttest.Write(t, s)), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return history.Of(run)
}

func TestEntryIsTheHeadline(t *testing.T) {
	e := entry(t, collecttest.Setup{DurationS: 30, Summary: func(k int, s *results.Summary) {
		if k == 2 {
			s.Steps[1].Findings = []results.Finding{{Level: results.LevelInvalid, Code: "foreign"}}
		}
	}})
	if e.Good != 5 || e.Invalid != 1 || len(e.Steps) != 3 || e.N[1] != 4 || e.N[0] != 5 || e.Version != "0.14.0" || e.Over != "5 nodes" {
		t.Errorf("entry %+v", e)
	}
	if !e.At.Equal(time.Date(2026, 3, 19, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("at %v, want the first repeat's start", e.At)
	}
	if v, n, ok := e.Figure("constant@2.53req/s", "corrected.tpot_ms.p50"); !ok || n != 5 || v < 9 || v > 10 {
		t.Errorf("tpot %v of %d, %v", v, n, ok)
	}
	if _, _, ok := e.Figure("constant@2.53req/s", "corrected.gap_ms.p99"); ok {
		t.Error("a metric that is no headline has no figure")
	}
}

func TestAppendLoadKeepsTheLastLineOfARun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "history.jsonl")
	a := history.Entry{Format: history.FormatEntry, Run: "a", At: time.Unix(200, 0).UTC()}
	b := history.Entry{Format: history.FormatEntry, Run: "b", At: time.Unix(100, 0).UTC()}
	if err := history.Append(path, a, b); err != nil {
		t.Fatal(err)
	}
	a.Verdict = "regressed"
	if err := history.Append(path, a); err != nil {
		t.Fatal(err)
	}
	got, lines, err := history.Load(path)
	if err != nil || lines.Bad+lines.Torn != 0 {
		t.Fatal(err, lines)
	}
	if len(got) != 2 || got[0].Run != "b" || got[1].Verdict != "regressed" {
		t.Errorf("loaded %+v", got)
	}
}

func TestBrokenLinesAreCountedAndTheRestIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	text := `{"format":"hpcbench.history/1","run":"a","steps":[]}` + "\n{broken\n" + `{"format":"other/1","run":"x"}` + "\n" + `{"format":"hpcbench.history/1","run":"torn`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := history.Append(path, history.Entry{Format: history.FormatEntry, Run: "after"}); err != nil {
		t.Fatal(err)
	}
	got, lines, err := history.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[1].Run != "after" || lines.Bad != 3 {
		t.Errorf("loaded %+v, lines %+v", got, lines)
	}
	none, _, err := history.Load(filepath.Join(t.TempDir(), "none"))
	if err != nil || len(none) != 0 {
		t.Errorf("no file: %v %v", none, err)
	}
}

func TestAppendFromSeveralAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := history.Append(path, history.Entry{Format: history.FormatEntry, Run: fmt.Sprint(i), Image: strings.Repeat("x", 5000)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, lines, err := history.Load(path)
	if err != nil || len(got) != 20 || lines.Bad != 0 {
		t.Errorf("%d entries, lines %+v, %v", len(got), lines, err)
	}
}

func TestRebuildFromRunFolders(t *testing.T) {
	root := t.TempDir()
	for i, name := range []string{"one", "two", "three"} {
		dir := collecttest.Write(t, collecttest.Setup{Name: name, Repeats: 3, DurationS: 10, Seed: uint64(i), Attempt: func(k int, a *results.Attempt) {
			a.StartedAt = a.StartedAt.Add(time.Duration(-i) * 24 * time.Hour)
		}})
		if err := os.Rename(string(dir), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(root, "no-run"), 0o700); err != nil {
		t.Fatal(err)
	}
	collecttest.WriteFile(t, filepath.Join(root, "two", "repeat-2", "attempt-0", "summary.json"), []byte("{"))
	path := filepath.Join(root, "history.jsonl")
	if err := history.Append(path, history.Entry{Format: history.FormatEntry, Run: "one", Dir: filepath.Join(root, "one"), Verdict: "no change"},
		history.Entry{Format: history.FormatEntry, Run: "gone", Dir: filepath.Join(root, "gone")}); err != nil {
		t.Fatal(err)
	}
	n, problems, err := history.Rebuild(path, root)
	if err != nil || n != 3 {
		t.Fatalf("%d runs, %v", n, err)
	}
	if len(problems) == 0 || !strings.Contains(problems[0].File, "two") {
		t.Errorf("problems %v", problems)
	}
	got, _, err := history.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].Run != "three" || got[2].Run != "one" || got[2].Verdict != "no change" || got[1].Good != 2 {
		t.Errorf("rebuilt %+v", got)
	}
}

func TestTrend(t *testing.T) {
	var all []history.Entry
	for i := range 6 {
		e := history.Entry{Run: fmt.Sprint(i), At: time.Unix(int64(i), 0), Site: "lumi", Model: "m", Simulated: i == 5,
			Steps: []string{"s", "other"}, N: []int{5, 5}, TPOTMs: []float64{float64(10 + i), 1}}
		if i == 4 {
			e.Site = "karolina"
		}
		if i == 3 {
			e.TPOTMs[0] = -1
		}
		all = append(all, e)
	}
	got := history.Trend(all, history.Filter{Site: "lumi", Model: "m"}, "s", "corrected.tpot_ms.p50")
	if len(got) != 3 || got[2].Value != 12 {
		t.Errorf("trend %+v", got)
	}
	if sim := history.Trend(all, history.Filter{Simulated: true}, "s", "corrected.tpot_ms.p50"); len(sim) != 1 {
		t.Errorf("simulated runs have a trend of their own: %+v", sim)
	}
}

// BenchmarkTrendOfTenThousand loads 10,000 runs of nine steps and draws one trend.
func BenchmarkTrendOfTenThousand(b *testing.B) {
	path := filepath.Join(b.TempDir(), "history.jsonl")
	e := entry(b, collecttest.Setup{Repeats: 3, DurationS: 5, RatesPerS: []float64{.5, .75, 1.12, 1.68, 2.53, 3.79, 5.69, 8.54, 12.81}})
	all := make([]history.Entry, 10000)
	for i := range all {
		all[i] = e
		all[i].Run, all[i].At = fmt.Sprint("run-", i), e.At.Add(time.Duration(i)*time.Hour)
	}
	if err := history.Append(path, all...); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		got, _, err := history.Load(path)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(history.Trend(got, history.Filter{}, "constant@8.54req/s", "corrected.tpot_ms.p50")); n != 10000 {
			b.Fatalf("%d points", n)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"format":"hpcbench.history/1","run":"a","steps":["s"],"n":[5],"tpot_p50_ms":[]}` + "\n"))
	f.Add([]byte("{}\n{"))
	path := filepath.Join(f.TempDir(), "h")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := history.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		history.Trend(got, history.Filter{}, "s", history.Headlines[0])
	})
}

func TestSelectAndTrends(t *testing.T) {
	measured := func(name, model string, at int64, tpot float64) history.Entry {
		return history.Entry{Format: history.FormatEntry, Run: name, Model: model, At: time.Unix(at, 0).UTC(), Steps: history.StepIDs{"low", "high"}, N: []int{5, 4},
			TTFTMs: history.Figures{1, 1}, TPOTMs: history.Figures{tpot, -1}, E2EMs: history.Figures{1, 1}, TokensPerS: history.Figures{1, 1}, ErrorShare: history.Figures{0, 0}}
	}
	pretend := measured("c", "m", 300, 1)
	pretend.Simulated = true
	all := []history.Entry{measured("a", "m", 100, 8), measured("b", "other", 200, 9), pretend, measured("d", "m", 400, 10)}
	var got []string
	for _, e := range history.Select(all, history.Filter{Model: "m"}) {
		got = append(got, e.Run)
	}
	if strings.Join(got, " ") != "a c d" {
		t.Errorf("selected %v", got)
	}
	trends := history.Trends(all, history.Filter{Model: "m"}, "corrected.tpot_ms.p50")
	if len(trends) != 1 || trends[0].Step != "low" || len(trends[0].Points) != 2 || trends[0].Points[1].Value != 10 {
		t.Errorf("%+v", trends)
	}
}
