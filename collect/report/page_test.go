package report

import (
	"bytes"
	"strings"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// samplePages are the pages that the tests look at.
func samplePages(t *testing.T) map[string]Page {
	t.Helper()
	whole := read.Options{Values: true, Timelines: true}
	rates := collecttest.Setup{Name: "qwen3-4b-0319", RepeatCV: 0.02, Seed: 5, Records: true, DurationS: 120, RatesPerS: []float64{2.53, 3.79, 5.69, 8.54, 12.81, 19.22}}
	slow := rates
	slow.Name, slow.Seed, slow.Slower = "qwen3-4b-0320", 6, map[int]float64{4: 1.12}
	hurt := rates
	hurt.Name, hurt.Simulated = "demo", true
	hurt.Attempt = troubled().Attempt
	hurt.RatesPerS, hurt.DurationS = []float64{2.53, 8.54, 19.22}, 60
	hurt.Summary = troubled().Summary
	ref, err := results.LoadReference("karolina-qwen3-4b-bare")
	if err != nil {
		t.Fatal(err)
	}
	again := openWith(t, legacyAgain(), read.Options{})
	base, cand := openWith(t, rates, whole), openWith(t, slow, whole)
	c := compare.Runs(base, cand, compare.Options{})
	return map[string]Page{
		"reproduce": ReproducePage(compare.Reproduce(ref, again, compare.Options{}), New(again), "hpcbench test"),
		"night":     NightPage(sampleNight(), sampleTrends(), "hpcbench test"),
		"run":       RunPage([]*Document{New(base)}, nil, "hpcbench test"),
		"compare":   RunPage([]*Document{New(base), New(cand)}, c, "hpcbench test"),
		"troubled":  RunPage([]*Document{document(t, hurt, whole)}, nil, "hpcbench test"),
		"matrix":    RunPage([]*Document{document(t, collecttest.Matrix(), whole)}, nil, "hpcbench test"),
		"capacity":  RunPage([]*Document{document(t, collecttest.Capacity(), read.Options{})}, nil, "hpcbench test"),
		"gateway":   RunPage([]*Document{document(t, collecttest.Gateway(), read.Options{})}, nil, "hpcbench test"),
	}
}

func openWith(t *testing.T, s collecttest.Setup, o read.Options) *read.Run {
	t.Helper()
	run, err := read.Open(string(collecttest.Write(t, calm(s))), o)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func html(t *testing.T, p Page) string {
	t.Helper()
	var buf bytes.Buffer
	if err := p.HTML(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestPagesAreSmallAndNeedNothing(t *testing.T) {
	for name, p := range samplePages(t) {
		text := html(t, p)
		if n := len(text); n > 2_000_000 {
			t.Errorf("%s has %d bytes, want under 2 MB", name, n)
		}
		own := strings.Replace(text, echartsScript, "", 1)
		for _, bad := range []string{`href="http`, "src=", "@import", "url(", "fetch(", "XMLHttpRequest"} {
			if i := strings.Index(own, bad); i >= 0 {
				t.Errorf("%s reaches outside: …%s…", name, own[max(0, i-40):min(len(own), i+60)])
			}
		}
		if !strings.Contains(text, `aria-label="`) || !strings.Contains(text, "Copy as CSV") {
			t.Errorf("%s lacks alternative text or the copy buttons", name)
		}
	}
}

func TestPageIsTheSameBytes(t *testing.T) {
	s := collecttest.Setup{DurationS: 20, Records: true}
	a := html(t, RunPage([]*Document{document(t, s, read.Options{Values: true, Timelines: true})}, nil, "x"))
	b := html(t, RunPage([]*Document{document(t, s, read.Options{Values: true, Timelines: true})}, nil, "x"))
	if a != b {
		t.Error("two pages of one run differ")
	}
}

func TestPageEscapesWhatOthersWrote(t *testing.T) {
	evil := `</script><img src=x onerror=alert(1)>"'&`
	d := document(t, collecttest.Setup{DurationS: 10, Summary: func(_ int, s *results.Summary) {
		s.Steps[0].Findings = []results.Finding{{Level: results.LevelWarning, Code: "errors", Reason: evil}}
	}}, read.Options{})
	d.Run, d.Conditions.Model = evil, evil
	p := RunPage([]*Document{d}, nil, evil)
	p.Sections[0].Figures[0].Title = evil
	if text := strings.Replace(html(t, p), echartsScript, "", 1); strings.Contains(text, "<img src=x") || strings.Contains(text, `onerror=alert(1)>"`) {
		t.Error("markup of others got into the page")
	}
}

func TestEmbeddedScriptIsTheReleasedOne(t *testing.T) {
	if got := digestOf(echartsScript); got != echartsDigest {
		t.Errorf("assets/echarts.min.js has the digest %s, assets/SOURCE.md says %s", got, echartsDigest)
	}
}

func TestGridCSV(t *testing.T) {
	v := 31.4159
	g := Grid{Columns: []Column{left("step"), right("TTFT ms"), right("n")}, Rows: [][]Cell{
		{word("2.53/s"), {Text: "31.42", Spread: "±0.5", Value: &v}, word("5")}, {word("a,b"), {Text: "> 31.42", Value: &v}, word(none)}}}
	got, err := g.csv()
	if err != nil {
		t.Fatal(err)
	}
	if want := "step,TTFT ms,TTFT ms half width 95 %,n\n2.53/s,31.4159,0.5,5\n\"a,b\",>31.4159,,–\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestStanding(t *testing.T) {
	verdict, reason, tone := document(t, collecttest.Setup{DurationS: 30, Summary: func(_ int, s *results.Summary) {
		s.Steps[2].Findings = []results.Finding{{Level: results.LevelNote, Code: "saturated", Reason: "it fell behind"}}
	}}, read.Options{}).standing()
	if verdict != "measured" || tone != "good" || !strings.Contains(reason, "keeps up with 3.79 requests/s, and no longer with 5.69") {
		t.Errorf("%s (%s): %s", verdict, tone, reason)
	}
	if verdict, _, tone := document(t, collecttest.Setup{DurationS: 10, Repeats: 2}, read.Options{}).standing(); verdict != "too few repeats" || tone != "warn" {
		t.Errorf("two repeats: %s (%s)", verdict, tone)
	}
	if verdict, _, tone := document(t, troubled(), read.Options{}).standing(); verdict != "measured, with gaps" || tone != "warn" {
		t.Errorf("troubled: %s (%s)", verdict, tone)
	}
}
