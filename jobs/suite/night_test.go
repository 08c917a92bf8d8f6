package suite

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func mkdir(dir string) error { return os.MkdirAll(dir, 0o700) }

func TestNightOf(t *testing.T) {
	prague := time.FixedZone("CET", 3600)
	for want, at := range map[string]time.Time{
		"2026-03-19": time.Date(2026, 3, 19, 12, 0, 0, 0, time.UTC),
		"2026-03-18": time.Date(2026, 3, 19, 11, 59, 59, 0, time.UTC),
		"2026-03-31": time.Date(2026, 4, 1, 0, 30, 0, 0, prague),
		"2025-12-31": time.Date(2026, 1, 1, 7, 0, 0, 0, time.UTC),
	} {
		if got := NightOf(at); got != want {
			t.Errorf("%v belongs to %s, want %s", at, got, want)
		}
	}
	for _, bad := range []string{"", "tonight", "2026-3-19", "2026-02-30", "../2026-03-19"} {
		if CheckNight(bad) == nil {
			t.Errorf("night %q was taken", bad)
		}
	}
}

func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	if got, err := Unfinished(filepath.Join(dir, "none"), "2026-03-20"); got != "" || err != nil {
		t.Errorf("no suite yet: %q, %v", got, err)
	}
	night := func(name string, events ...Event) {
		m := Machine{Dir: filepath.Join(dir, name), Now: time.Now}
		if err := mkdir(m.Dir); err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			e.Entry = "model"
			if err := m.add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	night("2026-03-17", Event{What: EventMade}, Event{What: EventSubmitted})
	night("2026-03-18", Event{What: EventMade}, Event{What: EventSubmitted}, Event{What: EventJudged, Judgement: &Judgement{State: "needs pairs", Pairs: 5}})
	for before, want := range map[string]string{"2026-03-19": "2026-03-18", "2026-03-18": "2026-03-17", "2026-03-17": ""} {
		if got, err := Unfinished(dir, before); got != want || err != nil {
			t.Errorf("before %s: %q, %v; want %q", before, got, err, want)
		}
	}
	night("2026-03-18", Event{What: EventJudged, Look: 1, Judgement: &Judgement{State: "green"}})
	if got, err := Unfinished(dir, "2026-03-19"); got != "" || err != nil {
		t.Errorf("after the judgement: %q, %v", got, err)
	}
	night("2026-03-19", Event{What: EventMade}, Event{What: EventTrouble, Words: "out of memory"})
	if got, err := Unfinished(dir, "2026-03-20"); got != "" || err != nil {
		t.Errorf("in trouble: %q, %v", got, err)
	}
}

func TestTornEventsAreLeftOut(t *testing.T) {
	m := Machine{Dir: t.TempDir(), Now: time.Now}
	if err := m.add(Event{Entry: "model", What: EventMade}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(eventsFile(m.Dir), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"format":"hpcbench.nightly/1","entry":"mod`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := m.add(Event{Entry: "model", What: EventSubmitted}); err != nil {
		t.Fatal(err)
	}
	all, err := readEvents(m.Dir)
	if err != nil || len(all) != 2 || all[1].What != EventSubmitted {
		t.Errorf("%+v, %v", all, err)
	}
}
