package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"hpcbench/collect/compare"
	"hpcbench/collect/gate"
	"hpcbench/collect/history"
)

// sampleNight is a night with one entry of each kind.
func sampleNight() gate.SuiteNight {
	const metric = "corrected.tpot_ms.p50"
	around := func(level float64) []float64 {
		return []float64{level * 0.99, level * 1.01, level, level * 0.995, level * 1.005}
	}
	past := gate.Past{Pinned: around(9.4)}
	for range 9 {
		past.Nights = append(past.Nights, around(9.4))
	}
	gates := map[string]compare.Gate{metric: {Metric: metric, Tolerance: 0.05}}
	rule := gate.DefaultRule
	entry := func(name string, tonight, candidate float64, p gate.Past) gate.EntryNight {
		var screen []gate.ScreenRow
		var pairs []gate.Pairs
		byKey := map[gate.Key]gate.ScreenRow{}
		for i, step := range []string{"constant@8.54req/s", "constant@12.81req/s"} {
			key := gate.Key{Step: step, Metric: metric}
			level := 9.4
			if i == 1 {
				level = tonight
			}
			row := rule.Screen(gate.Figures{Key: key, Values: around(level), Asked: 5}, p, gates[metric])
			screen = append(screen, row)
			byKey[key] = row
			if row.State == gate.NeedsPairs {
				pr := gate.Pairs{Key: key}
				for k := range 10 {
					pr.Base = append(pr.Base, around(9.4)[k%5])
					pr.New = append(pr.New, around(candidate)[(k+2)%5])
				}
				pairs = append(pairs, pr)
			}
		}
		var confirm []gate.ConfirmRow
		if len(pairs) > 0 {
			confirm = rule.Confirm(pairs, 2, byKey, gates)
		}
		return gate.EntryNight{Entry: name, Run: name + "-0320", Night: rule.Judge(screen, confirm, 0), TookS: 700}
	}
	return gate.SuiteNight{Suite: "nightly", Night: "2026-03-20", At: time.Date(2026, 3, 20, 4, 12, 0, 0, time.UTC), GPUHours: 3.4, BudgetGPUHours: 12, Entries: []gate.EntryNight{
		entry("qwen3-4b", 10.5, 10.5, past), entry("coder-7b", 9.4, 0, past), entry("new-model", 20, 0, gate.Past{}), {Entry: "down", Trouble: "sbatch refused: Invalid account or account/partition combination"}}}
}

func TestNightGolden(t *testing.T) {
	n := sampleNight()
	var out, md, js bytes.Buffer
	if err := Night(&out, n, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "night.txt", out.Bytes())
	fits(t, "night", out.String())
	if err := NightMarkdown(&md, n); err != nil {
		t.Fatal(err)
	}
	golden(t, "night.md", md.Bytes())
	if err := NightJSON(&js, n); err != nil || !strings.Contains(js.String(), `"format": "hpcbench.suite-night/1"`) {
		t.Errorf("JSON: %v", err)
	}
}

func TestNightOfNothing(t *testing.T) {
	state, reason := overallNight(gate.SuiteNight{})
	if state != gate.Invalid || reason == "" {
		t.Errorf("%s: %s", state, reason)
	}
	green := gate.SuiteNight{Entries: []gate.EntryNight{{Night: gate.Night{State: gate.Green}}, {Night: gate.Night{State: gate.Green}}}}
	if state, reason = overallNight(green); state != gate.Green || !strings.Contains(reason, "all 2 entries") {
		t.Errorf("%s: %s", state, reason)
	}
}

func sampleTrends() map[string][]Trend {
	pinned := 9.4
	t := Trend{Step: "constant@12.81req/s", Metric: "corrected.tpot_ms.p50", Pinned: &pinned}
	for i := range 20 {
		t.Points = append(t.Points, history.Point{At: time.Date(2026, 3, 1+i, 3, 0, 0, 0, time.UTC), Run: fmt.Sprintf("qwen3-4b-%02d", i), Value: 9.4 + 0.1*float64(i%3) + float64(i/19), N: 5})
	}
	return map[string][]Trend{"qwen3-4b": {t}}
}

func TestNightPageHasTrendAndPairs(t *testing.T) {
	p := NightPage(sampleNight(), sampleTrends(), "x")
	if p.Verdict != "red" || p.Tone != "bad" || len(p.Sections) != 5 {
		t.Errorf("verdict %s, %d sections", p.Verdict, len(p.Sections))
	}
	if figures := p.Sections[1].Figures; len(figures) != 2 || figures[1].Marks[0].Label != "pinned baseline" {
		t.Errorf("figures %+v", figures)
	}
	html(t, p)
}
