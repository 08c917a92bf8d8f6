package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/results"
)

// legacyAgain is a made-up run of the published Karolina table at full length.
func legacyAgain() collecttest.Setup {
	return collecttest.Setup{Name: "legacy-again", Seed: 8, RepeatCV: 0.01, TPOTMs: 8, TTFTMs: 29, RatesPerS: []float64{2.53, 3.79, 5.69, 8.54, 12.81, 19.22}}
}

func TestReproduceGolden(t *testing.T) {
	ref, err := results.LoadReference("karolina-qwen3-4b-bare")
	if err != nil {
		t.Fatal(err)
	}
	r := compare.Reproduce(ref, openRun(t, legacyAgain()), compare.Options{})
	var out, md, js bytes.Buffer
	if err := Reproduce(&out, r, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "reproduce.txt", out.Bytes())
	fits(t, "reproduce", out.String())
	if err := ReproduceMarkdown(&md, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "reproduce.md", md.Bytes())
	if err := ReproduceJSON(&js, r); err != nil {
		t.Fatal(err)
	}
	var back compare.Reproduction
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || back.Format != compare.FormatReproduction || len(back.Hidden) != 6 {
		t.Errorf("JSON: %v, %d rates", err, len(back.Hidden))
	}
}

func TestReproducePageDrawsBothLines(t *testing.T) {
	ref, err := results.LoadReference("karolina-qwen3-4b-bare")
	if err != nil {
		t.Fatal(err)
	}
	run := openRun(t, legacyAgain())
	r := compare.Reproduce(ref, run, compare.Options{})
	p := ReproducePage(r, New(run), "x")
	side := p.Sections[0]
	if len(side.Figures) != 6 || len(side.Figures[0].Series[1].Points) != 6 || len(side.Figures[0].Series[2].Points) != 6 {
		t.Errorf("%d figures, the first with %d points", len(side.Figures), len(side.Figures[0].Series[1].Points))
	}
	if !strings.Contains(html(t, p), "would have been") {
		t.Error("the page doesn't say what the published row would have been")
	}
}
