package report

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// FuzzDocument reads a run whose summary holds anything, and shows it every way
// there is: no panic, and JSON stays JSON.
func FuzzDocument(f *testing.F) {
	made := collecttest.Build(collecttest.Setup{Repeats: 1, DurationS: 3, RatesPerS: []float64{4}})
	matrix := collecttest.Matrix()
	matrix.Repeats = 1
	for _, sum := range []results.Summary{made.Summary[0], collecttest.Build(matrix).Summary[0], {Format: results.FormatSummary}} {
		b, err := json.Marshal(sum)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, results.KindRate)
	}
	f.Add([]byte(`{"format":"hpcbench.summary/1","steps":[{"corrected":{"valid":true,"ttft_ms":{"n":-1,"unbounded":["p50","mean"]}},"step":{"id":"ctx1@c1","phase":"decode"}}]}`), results.KindMatrix)
	f.Add([]byte(`{"format":"hpcbench.summary/1","steps":[{"step":{"arm":"direct"}},{"step":{"arm":"gateway"}}]}`), results.KindGateway)
	dir := results.RunDir(filepath.Join(f.TempDir(), "run"))
	at := dir.Attempt(1, 0)
	if err := os.MkdirAll(string(at), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, summary []byte, kind string) {
		spec := made.Spec
		spec.Plan.Kind = kind
		spec.Plan.Levels = []int{1}
		spec.Plan.Matrix = &results.MatrixPlan{ContextsTokens: []int{0, 1}}
		collecttest.WriteJSON(t, dir.Spec(), spec)
		collecttest.WriteFile(t, at.Summary(), summary)
		run, err := read.Open(string(dir), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := New(run)
		var buf bytes.Buffer
		if err := d.JSON(&buf); err != nil || !json.Valid(buf.Bytes()) {
			t.Errorf("JSON: %v", err)
		}
		for _, write := range []func() error{
			func() error { return d.Terminal(io.Discard, false) }, func() error { return d.Markdown(io.Discard) }, func() error { return d.CSV(io.Discard) },
			func() error { return Compare(io.Discard, compare.Runs(run, run, compare.Options{}), false) },
		} {
			if err := write(); err != nil {
				t.Error(err)
			}
		}
		for _, fig := range RunPage([]*Document{d}, nil, "x").Sections {
			for _, f := range fig.Figures {
				if _, err := chartJSON(f); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func TestRunWithoutAnyRepeat(t *testing.T) {
	dir := collecttest.Write(t, collecttest.Setup{Name: "empty", DurationS: 5})
	for k := 1; k <= 5; k++ {
		if err := os.RemoveAll(dir.Repeat(k)); err != nil {
			t.Fatal(err)
		}
	}
	run, err := read.Open(string(dir), read.Options{Values: true, Timelines: true})
	if err != nil {
		t.Fatal(err)
	}
	d := New(run)
	var out bytes.Buffer
	if err := d.Terminal(&out, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "none.txt", out.Bytes())
	p := RunPage([]*Document{d}, nil, "x")
	if p.Verdict != "no numbers yet" || p.Tone != "warn" {
		t.Errorf("verdict %s", p.Verdict)
	}
	html(t, p)
}
