package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/gate"
	"hpcbench/collect/history"
	"hpcbench/collect/read"
	"hpcbench/collect/report"
	"hpcbench/results"
	"hpcbench/results/schematest"
)

func TestSchemasAreCurrent(t *testing.T) {
	verdicts := []string{string(compare.Improved), string(compare.Regressed), string(compare.NoChange), string(compare.Inconclusive), string(compare.MachineChanged), string(compare.NotComparable), string(compare.Invalid)}
	states := []string{string(gate.Green), string(gate.Red), string(gate.Inconclusive), string(gate.MachineChanged), string(gate.Learning), string(gate.Invalid), string(gate.NeedsPairs)}
	rows := []schematest.Enum{{Type: "Comparison", Property: "verdict", Words: verdicts}, {Type: "Row", Property: "verdict", Words: verdicts}}
	schematest.Current(t, schematest.Sources{Import: "hpcbench/collect/schema", Dirs: []string{"../report", "../aggregate", "../compare", "../gate", "../history", "../read", "../../results"}},
		schematest.Kind{File: "collect.json", Value: report.Document{}, Format: report.FormatDocument},
		schematest.Kind{File: "compare.json", Value: compare.Comparison{}, Format: compare.FormatComparison, Enums: rows},
		schematest.Kind{File: "reproduction.json", Value: compare.Reproduction{}, Format: compare.FormatReproduction, Enums: rows},
		schematest.Kind{File: "history.json", Value: history.Entry{}, Format: history.FormatEntry},
		schematest.Kind{File: "baseline.json", Value: gate.Baseline{}, Format: gate.FormatBaseline},
		schematest.Kind{File: "aa.json", Value: gate.AAReport{}, Format: gate.FormatAA},
		schematest.Kind{File: "night.json", Value: gate.NightRecord{}, Format: gate.FormatNight, Enums: []schematest.Enum{{Type: "NightRecord", Property: "state", Words: states}}},
		schematest.Kind{File: "suite-night.json", Value: gate.SuiteNight{}, Format: gate.FormatSuiteNight, Enums: []schematest.Enum{{Type: "Night", Property: "state", Words: states}}},
	)
}

func open(t *testing.T, s collecttest.Setup) *read.Run {
	t.Helper()
	run, err := read.Open(string(collecttest.Write(t, s)), read.Options{Values: s.Records})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestWhatIsWrittenFitsItsSchema writes each kind once.
func TestWhatIsWrittenFitsItsSchema(t *testing.T) {
	a := open(t, collecttest.Setup{DurationS: 20, Records: true, RepeatCV: 0.02})
	b := open(t, collecttest.Setup{DurationS: 20, Seed: 2, RepeatCV: 0.02})
	line := func(v any) []byte {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := func(write func(*bytes.Buffer) error) []byte {
		var buf bytes.Buffer
		if err := write(&buf); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	ref, err := results.LoadReference("karolina-qwen3-4b-bare")
	if err != nil {
		t.Fatal(err)
	}
	base, err := gate.Promote(a, "b", "me", "for the test", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	entry := gate.Entry{Name: "e", Gates: []compare.Gate{{Metric: "corrected.tpot_ms.p50", Tolerance: 0.05}}}
	night := gate.Night{State: gate.Green, Reason: "fine", Screen: []gate.ScreenRow{{Key: gate.Key{Step: "s", Metric: "m"}, State: gate.Green}}}
	for file, got := range map[string][]byte{
		"collect.json": text(func(w *bytes.Buffer) error { return report.New(a).JSON(w) }),
		"compare.json": text(func(w *bytes.Buffer) error { return report.CompareJSON(w, compare.Runs(a, b, compare.Options{})) }),
		"reproduction.json": text(func(w *bytes.Buffer) error {
			return report.ReproduceJSON(w, compare.Reproduce(ref, a, compare.Options{}))
		}),
		"history.json":  line(history.Of(a)),
		"baseline.json": line(base),
		"aa.json": text(func(w *bytes.Buffer) error {
			return report.AAJSON(w, gate.DefaultRule.Rates(gate.AA([]*read.Run{a, b}, entry), 20))
		}),
		"night.json": line(gate.NightRecord{Format: gate.FormatNight, State: gate.Green, Figures: base.Figures}),
		"suite-night.json": text(func(w *bytes.Buffer) error {
			return report.NightJSON(w, gate.SuiteNight{Suite: "s", Entries: []gate.EntryNight{{Entry: "e", Night: night}}})
		}),
	} {
		schematest.Against(t, file, got)
	}
}
