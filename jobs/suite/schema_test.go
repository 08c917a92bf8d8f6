package suite

import (
	"bytes"
	"os"
	"testing"
	"time"

	"hpcbench/results/schematest"
)

func TestSchemaIsCurrent(t *testing.T) {
	schematest.Current(t, schematest.Sources{Import: "hpcbench/jobs/suite", Dirs: []string{"."}},
		schematest.Kind{File: "event.json", Value: Event{}, Format: FormatEvent,
			Enums: []schematest.Enum{{Type: "Event", Property: "event", Words: []string{EventMade, EventSubmitted, EventGone, EventOver, EventJudged, EventTrouble}}}})
}

func TestEventsFitTheirSchema(t *testing.T) {
	b := newBench(t, "model")
	b.finish()
	text, err := os.ReadFile(eventsFile(b.machine.Dir))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range bytes.Split(text, []byte("\n")) {
		if len(line) > 0 {
			schematest.Against(t, "event.json", line)
			n++
		}
	}
	if n < 4 {
		t.Errorf("only %d events", n)
	}
}

// Whatever stands in the file, a night can be read and says what is next.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"format":"hpcbench.nightly/1","entry":"a","event":"made","look":0,"gpu_hours":2}` + "\n"))
	f.Add([]byte(`{"format":"hpcbench.nightly/1","entry":"a","event":"judged","look":3,"judgement":{"state":"x","pairs_wanted":5}}` + "\n{torn"))
	f.Add([]byte(`{"format":"hpcbench.nightly/1","event":"judged"}` + "\n" + `{"format":"hpcbench.nightly/2"}` + "\nnull\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := Machine{Dir: t.TempDir(), Entries: []string{"a", "b"}, BudgetGPUHours: 1, Now: time.Now}
		if err := os.WriteFile(eventsFile(m.Dir), text, 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := m.load()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range all {
			if p := k.next(); p.Look < 0 || p.Pairs < 0 {
				t.Errorf("the next part is %+v", p)
			}
			_, _ = k.final(), k.underWay()
		}
		if _, err := m.overBudget(Part{Entry: "a"}); err != nil {
			t.Fatal(err)
		}
	})
}
