package read_test

import (
	"os"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
	"hpcbench/results"
	"hpcbench/results/judge"
)

// addAttempt writes one more attempt of repeat 1, with a copy of the first one's summary unless told otherwise.
func addAttempt(t *testing.T, dir results.RunDir, number int, state string, withSummary bool) {
	t.Helper()
	a, err := results.ReadJSON[results.Attempt](dir.Attempt(1, 0).Attempt(), results.FormatAttempt)
	if err != nil {
		t.Fatal(err)
	}
	a.Attempt, a.State, a.Salt = number, state, state
	if state == results.StateFailed {
		a.Failure = &results.Failure{Class: "oom", Words: "the GPU's memory is full", Line: "torch.OutOfMemoryError"}
	}
	at := dir.Attempt(1, number)
	collecttest.WriteJSON(t, at.Attempt(), a)
	if !withSummary {
		return
	}
	s, err := results.ReadJSON[results.Summary](dir.Attempt(1, 0).Summary(), results.FormatSummary)
	if err != nil {
		t.Fatal(err)
	}
	s.Attempt, s.State = number, state
	if s.Digest, err = s.ContentDigest(); err != nil {
		t.Fatal(err)
	}
	collecttest.WriteJSON(t, at.Summary(), s)
}

func TestAttemptChoice(t *testing.T) {
	type try struct {
		state   string
		summary bool
	}
	for _, tc := range []struct {
		name  string
		first string // state of attempt 0
		more  []try
		want  int
		state string
	}{
		{"one complete", results.StateComplete, nil, 0, results.StateComplete},
		{"newest complete wins", results.StateComplete, []try{{results.StateComplete, true}}, 1, results.StateComplete},
		{"complete beats a newer interrupted one", results.StateComplete, []try{{results.StateInterrupted, true}}, 0, results.StateComplete},
		{"newest with data where none is complete", results.StateInterrupted, []try{{results.StateInterrupted, true}, {results.StateFailed, false}}, 1, results.StateInterrupted},
		{"a later one without data changes nothing", results.StateComplete, []try{{results.StateFailed, false}}, 0, results.StateComplete},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10, Attempt: func(_ int, a *results.Attempt) { a.State = tc.first }})
			for i, m := range tc.more {
				addAttempt(t, dir, i+1, m.state, m.summary)
			}
			r := open(t, dir, read.Options{}).Repeats[0]
			if r.Chosen != tc.want || r.State != tc.state {
				t.Errorf("chosen attempt %d, %s; want %d, %s", r.Chosen, r.State, tc.want, tc.state)
			}
			if len(r.Others) != len(tc.more) {
				t.Errorf("others %v, want %d of them", r.Others, len(tc.more))
			}
		})
	}
}

func TestAttemptWithoutDataSaysWhy(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10})
	addAttempt(t, dir, 1, results.StateFailed, false)
	if err := os.RemoveAll(string(dir.Attempt(1, 0))); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, read.Options{}).Repeats[0]
	if r.State != read.StateMissing || !strings.Contains(r.Why, "the GPU's memory is full (torch.OutOfMemoryError)") {
		t.Errorf("state %s, why %q", r.State, r.Why)
	}
}

func TestSummaryIsMadeAgainWhere(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*results.Summary)
		asked  bool
		want   string
	}{
		{"good", func(*results.Summary) {}, false, ""},
		{"asked for", func(*results.Summary) {}, true, "asked for"},
		{"older rules", func(s *results.Summary) { s.RulesVersion = 0 }, false, "judged by rules 0, these are rules"},
		{"newer rules stay", func(s *results.Summary) { s.RulesVersion = 99 }, false, ""},
		{"another state", func(s *results.Summary) { s.State = results.StateRunning }, false, "summary.json says running"},
		{"another repeat", func(s *results.Summary) { s.Repeat = 4 }, false, "repeat 4"},
		{"another schedule", func(s *results.Summary) { s.ScheduleDigest = "x" }, false, "schedule digest"},
		{"negative time", func(s *results.Summary) { v := -3.0; s.Steps[1].Corrected.TTFTMs.Min = &v }, false, "ttft_ms of step constant@3.79req/s: -3"},
		{"negative window", func(s *results.Summary) { s.Steps[0].WindowS = -1 }, false, "window of step constant@2.53req/s: -1 s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10, Records: true, Summary: func(_ int, s *results.Summary) { tc.change(s) }})
			r := open(t, dir, read.Options{Recompute: tc.asked}).Repeats[0]
			if (tc.want == "") != (r.Recomputed == "") || !strings.Contains(r.Recomputed, tc.want) {
				t.Errorf("recomputed: %q, want %q", r.Recomputed, tc.want)
			}
			if tc.want != "" && r.Summary.RulesVersion != judge.RulesVersion {
				t.Errorf("the new summary was judged by rules %d", r.Summary.RulesVersion)
			}
		})
	}
}

func TestRecomputedSummaryIsTheSameBytes(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10, Records: true})
	want, err := os.ReadFile(dir.Attempt(1, 0).Summary())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(dir.Attempt(1, 0).Summary()); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, read.Options{}).Repeats[0]
	got, err := results.EncodeJSON(r.Summary)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) || r.Recomputed != "summary.json is missing" {
		t.Errorf("made again (%s) the summary differs", r.Recomputed)
	}
}

func TestEditedSummaryGivesWayToTheRecords(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10, Records: true})
	file := dir.Attempt(1, 0).Summary()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(b), `"completed": 25`, `"completed": 26`, 1)
	if edited == string(b) {
		t.Fatal("nothing was edited")
	}
	collecttest.WriteFile(t, file, []byte(edited))
	r := open(t, dir, read.Options{}).Repeats[0]
	if r.Recomputed != "summary.json was edited (its digest differs)" || r.Summary.Steps[0].Counts.Completed != 25 {
		t.Errorf("recomputed %q, completed %d", r.Recomputed, r.Summary.Steps[0].Counts.Completed)
	}
	if !strings.Contains(words(r.Problems), "it was edited (its digest differs): the figures were made again from the records") {
		t.Errorf("problems:\n%s", words(r.Problems))
	}

	// Without records nothing vouches for the figures.
	if err := os.Remove(dir.Attempt(1, 0).Records()); err != nil {
		t.Fatal(err)
	}
	r = open(t, dir, read.Options{}).Repeats[0]
	if r.Summary != nil || r.Good() || !strings.Contains(r.Why, "edited (its digest differs), and the records give none") {
		t.Errorf("an edited summary without records: good %v, why %q", r.Good(), r.Why)
	}
}

func TestRecordsThatWereCutAreSaid(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10, Records: true})
	file := dir.Attempt(1, 0).Records()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	collecttest.WriteFile(t, file, b[:len(b)-40])
	r := open(t, dir, read.Options{}).Repeats[0]
	if !r.Good() || !strings.Contains(words(r.Problems), "it ends within a line: it was cut after the summary was made") {
		t.Errorf("good %v, problems:\n%s", r.Good(), words(r.Problems))
	}
}

func TestOldSummaryStaysWhereTheRecordsAreGone(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10, Summary: func(_ int, s *results.Summary) { s.RulesVersion = 0 }})
	r := open(t, dir, read.Options{}).Repeats[0]
	if r.Summary == nil || r.Summary.RulesVersion != judge.RulesVersion {
		t.Error("the old summary must stay, judged by the new rules")
	}
	if got := words(r.Problems); !strings.Contains(got, "judged by rules 0") || !strings.Contains(got, "there are no records") {
		t.Errorf("problems:\n%s", got)
	}
}

func TestAccountingCorrectsAKilledAttempt(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 2, DurationS: 10, Attempt: func(k int, a *results.Attempt) {
		if k == 1 {
			a.State = results.StateRunning
		}
	}})
	jobs := map[string]read.Job{"4001": {ID: "4001", State: "NODE_FAIL", Ended: true, Line: "4001|NODE_FAIL"}}
	run := open(t, dir, read.Options{Jobs: jobs})
	if r := run.Repeats[0]; r.State != results.StateInterrupted || !strings.Contains(r.Why, "NODE_FAIL") || r.Attempt.Slurm.SacctLine != "4001|NODE_FAIL" {
		t.Errorf("state %s, why %q", r.State, r.Why)
	}
	if r := run.Repeats[1]; r.State != results.StateComplete || r.Job != nil {
		t.Errorf("the other repeat changed: %s", r.State)
	}
}

func TestValuesAreThoseOfTheWindow(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 20, Records: true, Record: func(_ int, r *results.Record) bool {
		if r.Seq == 3 {
			r.Outcome, r.TFirstToken = results.OutcomeOpen, 0
		}
		if r.Seq == 4 {
			r.Phase = results.PhaseWarmup
		}
		return true
	}})
	f, err := os.OpenFile(dir.Attempt(1, 0).Records(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("{broken}\n{\"seq\": 9"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, read.Options{Values: true, Timelines: true}).Repeats[0]
	s := r.Values.Steps[0]
	if s == nil || len(s.E2EMs) != 48 || s.OpenE2E != 1 || s.OpenTTFT != 1 {
		t.Fatalf("step 0: %d values, %d open; want 48 and 1", len(s.E2EMs), s.OpenE2E)
	}
	if got := words(r.Problems); !strings.Contains(got, "1 torn and 1 broken lines") {
		t.Errorf("torn and broken lines aren't said:\n%s", got)
	}
	if len(r.Values.Timeline) == 0 {
		t.Error("no timeline")
	}
}
