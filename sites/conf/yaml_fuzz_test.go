package conf

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// FuzzLoad: no text makes the loader panic; what it accepts means to it what it
// means to the YAML library, and each leaf has an origin.
func FuzzLoad(f *testing.F) {
	f.Add(low)
	for _, s := range []string{
		"name: a\n", "a: &x {b: *x}\n", "[[[[", "? {a: b}\n: c\n", "<<: {name: a}", "\x00", "name: \"\\uD800\"",
		"body: {A: {B: [{C: 1.5e3}, ~]}}", "queues: {A: {max_jobs: 1}, a: {max_jobs: 2}}", "nodes: +4\nshare: -.5\n",
		"weights: {^: 1, ^^: 2, A^b: 3}\n", "wall: 2026-01-01\naccount: 2026-01-01\n", "--- |\n name: x\n", "%YAML 1.1\n---\n", "poll: !!int \"3\"\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, origins, err := Load[machine](Bytes("fuzz.yaml", []byte(text)))
		if err != nil {
			for _, p := range Problems(err) {
				if p.Source != "fuzz.yaml" || p.Text == "" {
					t.Errorf("a problem without source or words: %+v", p)
				}
			}
			if len(Problems(err)) == 0 {
				t.Errorf("an error that is not a list of problems: %v", err)
			}
			return
		}
		for _, row := range Rows(got, origins) {
			if row.Origin == "unset" {
				t.Errorf("%s has no origin", row.Key)
			}
		}
		if len(Rows(got, origins)) != origins.Len() {
			t.Errorf("%d rows for %d origins", len(Rows(got, origins)), origins.Len())
		}
		var want machine
		if err := yaml.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("accepted, but the YAML library says %v", err)
		}
		// Empty maps set nothing here, and JSON tags are unknown to the library.
		got.OnlyJSON, want.OnlyJSON = "", ""
		dropEmpty(&got)
		dropEmpty(&want)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(machine{})); diff != "" {
			t.Errorf("the YAML library reads - but this reads +\n%s", diff)
		}
	})
}

func dropEmpty(m *machine) {
	if m.Gpus != nil && *m.Gpus == (gpus{}) {
		m.Gpus = nil
	}
	for name, q := range m.Queues {
		if q == (queue{}) {
			delete(m.Queues, name)
		}
	}
	if len(m.Queues) == 0 {
		m.Queues = nil
	}
	if len(m.Weights) == 0 {
		m.Weights = nil
	}
	if len(m.Body) == 0 {
		m.Body = nil
	}
	if len(m.Steps) == 0 {
		m.Steps = nil
	}
	if len(m.Lines) == 0 {
		m.Lines = nil
	}
	if len(m.Levels) == 0 {
		m.Levels = nil
	}
}
