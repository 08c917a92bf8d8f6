package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"hpcbench/collect/gate"
)

// Whatever is made of a simulated night says so, also what a CI shows.
func TestSimulatedNightsSaySo(t *testing.T) {
	for _, simulated := range []bool{true, false} {
		n := sampleNight()
		for i := range n.Entries {
			n.Entries[i].Simulated = simulated
		}
		for name, write := range map[string]func(io.Writer) error{
			"terminal": func(w io.Writer) error { return Night(w, n, false) },
			"markdown": func(w io.Writer) error { return NightMarkdown(w, n) },
			"page":     NightPage(n, nil, "test").HTML,
			"junit":    func(w io.Writer) error { return gate.JUnit(w, n) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			word := "SIMULATED"
			if name == "page" {
				word = "Simulated: the engine is a stub"
			}
			if got := strings.Contains(b.String(), word); got != simulated {
				t.Errorf("%s of a night with simulated=%v: says SIMULATED %v", name, simulated, got)
			}
		}
	}
}
