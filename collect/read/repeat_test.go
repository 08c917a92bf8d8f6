package read_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
	"hpcbench/results"
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
	made := errors.New("unset")
	for _, tc := range []struct {
		name   string
		rules  int
		change func(*results.Summary)
		asked  bool
		want   string
	}{
		{"good", 1, func(*results.Summary) {}, false, ""},
		{"asked for", 1, func(*results.Summary) {}, true, "asked for"},
		{"older rules", 2, func(*results.Summary) {}, false, "judged by rules 1, these are rules 2"},
		{"newer rules stay", 1, func(s *results.Summary) { s.RulesVersion = 5 }, false, ""},
		{"another state", 1, func(s *results.Summary) { s.State = results.StateRunning }, false, "summary.json says running"},
		{"another repeat", 1, func(s *results.Summary) { s.Repeat = 4 }, false, "repeat 4"},
		{"another schedule", 1, func(s *results.Summary) { s.ScheduleDigest = "x" }, false, "schedule digest"},
		{"negative time", 1, func(s *results.Summary) { v := -3.0; s.Steps[1].Corrected.TTFTMs.Min = &v }, false, "ttft_ms of step constant@3.79req/s: -3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10, Summary: func(_ int, s *results.Summary) { tc.change(s) }})
			calls := 0
			summarise := func(at results.AttemptDir) (results.Summary, error) {
				calls++
				return results.Summary{Format: results.FormatSummary, State: results.StateComplete, Repeat: 1}, nil
			}
			r := open(t, dir, read.Options{Summarise: summarise, RulesVersion: tc.rules, Recompute: tc.asked}).Repeats[0]
			if (tc.want == "") != (r.Recomputed == "") || !strings.Contains(r.Recomputed, tc.want) {
				t.Errorf("recomputed: %q, want %q", r.Recomputed, tc.want)
			}
			if (calls > 0) != (tc.want != "") {
				t.Errorf("%d calls", calls)
			}
		})
	}
	t.Run("records are gone", func(t *testing.T) {
		dir := collecttest.Write(t, collecttest.Setup{Repeats: 1, DurationS: 10})
		r := open(t, dir, read.Options{RulesVersion: 3, Summarise: func(results.AttemptDir) (results.Summary, error) { return results.Summary{}, made }}).Repeats[0]
		if r.Summary == nil || !strings.Contains(words(r.Problems), "judged by rules 1") {
			t.Errorf("the old summary must stay and the problem be said: %+v", r.Problems)
		}
	})
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
	if got := words(r.Problems); !strings.Contains(got, "1 torn") && !strings.Contains(got, "1 broken") && !strings.Contains(got, "2 torn and broken") {
		t.Errorf("torn and broken lines aren't said:\n%s", got)
	}
	if len(r.Values.Timeline) == 0 {
		t.Error("no timeline")
	}
}
