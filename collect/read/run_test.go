package read_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
	"hpcbench/results"
)

func open(t *testing.T, dir results.RunDir, o read.Options) *read.Run {
	t.Helper()
	run, err := read.Open(string(dir), o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func words(ps []read.Problem) string {
	var b strings.Builder
	for _, p := range ps {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

func TestOpenWholeRun(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{DurationS: 20})
	run := open(t, dir, read.Options{})
	if got := run.Good(); got != 5 {
		t.Errorf("good repeats: %d, want 5", got)
	}
	if p := run.AllProblems(); len(p) != 0 {
		t.Errorf("problems of a whole run:\n%s", words(p))
	}
	if run.Repeats[2].Summary.Repeat != 3 || run.Repeats[2].Recomputed != "" {
		t.Errorf("repeat 3 read as %+v", run.Repeats[2])
	}
}

func TestOpenNamesEachBadFileAndKeepsTheRest(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 7, DurationS: 20})
	damage := func(path, with string) { collecttest.WriteFile(t, path, []byte(with)) }
	damage(dir.Attempt(1, 0).Summary(), `{"format": "hpcbench.summary/1", "steps": [{"window_s": NaN}]}`)
	damage(dir.Attempt(2, 0).Summary(), ``)
	damage(dir.Attempt(3, 0).Summary(), `{"format": "hpcbench.summary/9"}`)
	damage(dir.Attempt(4, 0).Attempt(), `{"format": "some.tool/1"}`)
	damage(dir.Attempt(5, 0).Summary(), `{"format": "hpcbench.summary/1", "st`)
	if err := os.RemoveAll(dir.Repeat(6)); err != nil {
		t.Fatal(err)
	}
	run := open(t, dir, read.Options{})

	got := words(run.AllProblems())
	for _, want := range []string{"invalid character 'N'", "the file is empty", "newer hpcbench", "some.tool/1", "unexpected end of JSON"} {
		if !strings.Contains(got, want) {
			t.Errorf("no problem says %q:\n%s", want, got)
		}
	}
	states := map[int]string{1: read.StateUnreadable, 2: read.StateUnreadable, 3: read.StateUnreadable,
		4: results.StateComplete, 5: read.StateUnreadable, 6: read.StateMissing, 7: results.StateComplete}
	for i := range run.Repeats {
		if r := run.Repeats[i]; r.State != states[r.Index] {
			t.Errorf("repeat %d is %s (%s), want %s", r.Index, r.State, r.Why, states[r.Index])
		}
	}
	if run.Repeats[5].Why != "it has not started" {
		t.Errorf("the missing repeat says %q", run.Repeats[5].Why)
	}
	if run.Good() != 2 {
		t.Errorf("good repeats: %d, want 2", run.Good())
	}
}

func TestOpenWithoutSpecStillShowsNumbers(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{DurationS: 20})
	collecttest.WriteFile(t, dir.Spec(), []byte("{"))
	run := open(t, dir, read.Options{})
	if run.SpecRead || run.Good() != 5 {
		t.Errorf("spec read: %v, good repeats %d; want false and 5", run.SpecRead, run.Good())
	}
	if run.Spec.Name != "made-up" {
		t.Errorf("name %q, want the folder's", run.Spec.Name)
	}
}

func TestOpenRefusesWhatIsNoRun(t *testing.T) {
	if _, err := read.Open(t.TempDir(), read.Options{}); !errors.Is(err, read.ErrNoRun) {
		t.Errorf("an empty folder: %v, want ErrNoRun", err)
	}
	if _, err := read.Open(filepath.Join(t.TempDir(), "none"), read.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that isn't there: %v", err)
	}
}

func TestAnotherSpecIsSaid(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{DurationS: 20, Attempt: func(k int, a *results.Attempt) {
		if k == 2 {
			a.SpecDigest = strings.Repeat("ab", 32)
		}
	}})
	run := open(t, dir, read.Options{})
	if got := words(run.AllProblems()); !strings.Contains(got, "spec digest abababababab") {
		t.Errorf("an edited spec isn't said:\n%s", got)
	}
}

func TestDuplicatedRepeatIsLeftOut(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{DurationS: 20, Repeats: 3})
	for _, file := range []string{"attempt.json", "summary.json"} {
		b, err := os.ReadFile(filepath.Join(string(dir.Attempt(1, 0)), file))
		if err != nil {
			t.Fatal(err)
		}
		collecttest.WriteFile(t, filepath.Join(string(dir.Attempt(2, 0)), file), b)
	}
	run := open(t, dir, read.Options{})
	if run.Good() != 2 {
		t.Errorf("good repeats: %d, want 2", run.Good())
	}
	got := words(run.AllProblems())
	for _, want := range []string{"a copy of repeat 1", "it says repeat 1, attempt 0, but lies in the folder of repeat 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("no problem says %q:\n%s", want, got)
		}
	}
}
