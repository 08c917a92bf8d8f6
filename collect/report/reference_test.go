package report

import (
	"bytes"
	"strings"
	"testing"

	"hpcbench/results"
)

func TestEveryReferenceIsShownWhole(t *testing.T) {
	tables, err := results.References()
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) < 5 {
		t.Fatalf("%d tables", len(tables))
	}
	for _, r := range tables {
		t.Run(r.Name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Reference(&b, r, false); err != nil {
				t.Fatal(err)
			}
			fits(t, "reference", b.String())
			for _, want := range []string{r.Name, r.Conditions.Model, r.Conditions.EngineVersion, r.Conditions.Image, "--plan " + r.Plan} {
				if !strings.Contains(b.String(), want) {
					t.Errorf("%q is missing in\n%s", want, b.String())
				}
			}
			g := ReferenceGrid(r)
			if len(g.Rows) != len(r.Rows) {
				t.Errorf("%d of %d rows", len(g.Rows), len(r.Rows))
			}
			suspects := 0
			for _, row := range r.Rows {
				if row.Suspect != "" {
					suspects++
				}
			}
			if len(g.Notes) != suspects {
				t.Errorf("%d suspect rows, notes %q", suspects, g.Notes)
			}
		})
	}
}

func TestAPublishedFigureKeepsItsDigits(t *testing.T) {
	r, err := results.LoadReference("karolina-qwen3-4b-bare")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Reference(&b, r, false); err != nil {
		t.Fatal(err)
	}
	want := "2.53/s   2.514  1.584   8.584   31.406   454.656     0 %    300/300"
	if !strings.Contains(b.String(), want) {
		t.Errorf("%q is missing in\n%s", want, b.String())
	}
}

func TestAMatrixReferenceHasItsStates(t *testing.T) {
	all, err := results.MatrixReferences()
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	var b bytes.Buffer
	if err := MatrixReference(&b, all[0], false); err != nil {
		t.Fatal(err)
	}
	fits(t, "reference", b.String())
	for _, want := range []string{"over: beyond the KV cache", "×128", "248K", "11.9K"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
