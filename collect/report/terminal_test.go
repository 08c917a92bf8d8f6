package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/read"
	"hpcbench/results"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with testdata/name, or writes it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", path, got)
	}
}

// calm takes the judge's findings out before a test puts in its own, so that
// golden files don't change with every new rule.
func calm(s collecttest.Setup) collecttest.Setup {
	own := s.Summary
	s.Summary = func(k int, sum *results.Summary) {
		sum.Findings = nil
		for i := range sum.Steps {
			sum.Steps[i].Findings = nil
		}
		if own != nil {
			own(k, sum)
		}
	}
	return s
}

func document(t *testing.T, s collecttest.Setup, o read.Options) *Document {
	t.Helper()
	run, err := read.Open(string(collecttest.Write(t, calm(s))), o)
	if err != nil {
		t.Fatal(err)
	}
	d := New(run)
	for i := range d.Problems { // temporary folders have other names each time
		d.Problems[i].File = strings.TrimPrefix(d.Problems[i].File, filepath.Dir(string(run.Dir)))
	}
	return d
}

// troubled is a run with one of everything: a missing repeat, an interrupted
// one, an INVALID step, a saturated step, an outlier and errors.
func troubled() collecttest.Setup {
	return collecttest.Setup{
		Name: "qwen3-4b-0319", RepeatCV: 0.02, Seed: 3, DurationS: 60, RatesPerS: []float64{2.53, 8.54, 19.22},
		Attempt: func(k int, a *results.Attempt) {
			if k == 2 {
				a.State = results.StateInterrupted
				a.Failure = &results.Failure{Class: "signal", Words: "SIGTERM before the time limit"}
			}
		},
		Summary: func(k int, s *results.Summary) {
			switch k {
			case 1:
				s.Steps[1].Findings = []results.Finding{{Level: results.LevelInvalid, Code: "foreign_requests", Reason: "the server started 12 requests that we did not send (limit 0)"}}
			case 2:
				s.Steps[2].Finished = false
				s.Steps[2].Findings = []results.Finding{{Level: results.LevelInvalid, Code: "unfinished", Reason: "its window was left after 41 s of 60 s"}}
			case 4:
				ttft := *s.Steps[0].Compat.TTFTMs
				ttft.Avg *= 3
				s.Steps[0].Compat.TTFTMs = &ttft
			}
			s.Steps[2].Findings = append(s.Steps[2].Findings, results.Finding{Level: results.LevelNote, Code: "saturated", Reason: "completed 18.1 of 19.2 requests/s offered, and requests in flight kept rising"})
			s.Steps[2].Compat.Failed = 11
			s.Steps[2].Compat.TotalReqs += 11
		},
	}
}

// fits checks that no line is wider than a terminal.
func fits(t *testing.T, name, printed string) {
	t.Helper()
	for i, l := range strings.Split(printed, "\n") {
		if w := text.StringWidthWithoutEscSequences(l); w > width {
			t.Errorf("%s: line %d is %d wide: %s", name, i+1, w, l)
		}
	}
}

func TestTerminalGolden(t *testing.T) {
	for _, tc := range []struct {
		name   string
		setup  collecttest.Setup
		colour bool
	}{
		{"five.txt", collecttest.Setup{Name: "qwen3-4b-0319", RepeatCV: 0.01, DurationS: 60, RatesPerS: []float64{2.53, 8.54, 19.22}}, false},
		{"troubled.txt", troubled(), false},
		{"troubled-colour.txt", troubled(), true},
		{"simulated-one.txt", collecttest.Setup{Name: "demo", Repeats: 1, DurationS: 10, Simulated: true}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.colour {
				text.EnableColors()
				defer text.DisableColors()
			}
			var buf bytes.Buffer
			if err := document(t, tc.setup, read.Options{}).Terminal(&buf, tc.colour); err != nil {
				t.Fatal(err)
			}
			golden(t, tc.name, buf.Bytes())
			fits(t, tc.name, buf.String())
			if !tc.colour && strings.Contains(buf.String(), "\x1b") {
				t.Error("an escape code where no colour was asked for")
			}
		})
	}
}

func TestNotesOfTheShownSetOnly(t *testing.T) {
	run, err := read.Open(string(collecttest.Write(t, collecttest.Setup{DurationS: 20, RepeatCV: 0.01, RatesPerS: []float64{2.53, 8.54, 19.22}})), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	words := func(sets ...string) string {
		var all []string
		for _, n := range New(run).Notes(sets...) {
			all = append(all, n.Words)
		}
		return strings.Join(all, "\n")
	}
	if all := words(); !strings.Contains(all, "compat.") || !strings.Contains(all, "corrected.") {
		t.Fatalf("the made-up run has no repeat that stands out in both sets:\n%s", all)
	}
	if got := words("corrected"); strings.Contains(got, "compat.") || !strings.Contains(got, "corrected.") {
		t.Errorf("of the corrected set:\n%s", got)
	}
}
