package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const goodSuite = `name: nightly
budget_gpu_hours: 12
entries:
  - name: qwen3-4b
    site: karolina
    model: Qwen3-4B
    gpus: 1
    plan: legacy-karolina
    gates:
      - metric: corrected.tpot_ms.p50
        tolerance: 0.05
      - metric: corrected.ttft_ms.p50
        tolerance: 0.1
  - name: coder
    site: lumi
    model: Qwen2.5-Coder-7B
    gpus: 1
    plan: legacy-lumi
    partition: small-g
    repeats: 6
    steps: ["constant@2.53req/s"]
    baseline: {pinned: coder-may, window_nights: 20}
    gates: [{metric: corrected.e2e_ms.p95, tolerance: 0.15}]
`

func TestLoadSuite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nightly.yaml")
	if err := os.WriteFile(path, []byte(goodSuite), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := LoadSuite(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := s.Entries[0], s.Entries[1]
	if a.Repeats != 5 || a.Baseline.Pinned != "qwen3-4b" || a.Baseline.WindowNights != 14 || b.Repeats != 6 || b.Baseline.Pinned != "coder-may" {
		t.Errorf("defaults: %+v %+v", a, b)
	}
	if !a.Judged("anything") || b.Judged("constant@3.79req/s") || !b.Judged("constant@2.53req/s") {
		t.Error("steps that are judged")
	}
	if g := a.GatesByMetric()["corrected.ttft_ms.p50"]; g.Tolerance != 0.1 {
		t.Errorf("gate %+v", g)
	}
}

func TestSuiteSaysEverythingThatIsWrong(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"unknown key", strings.Replace(goodSuite, "budget_gpu_hours", "budget_gpu_hour", 1), []string{"suite.yaml:2", "budget_gpu_hour", "budget_gpu_hours"}},
		{"ill-typed", strings.Replace(goodSuite, "gpus: 1", `gpus: "1"`, 1), []string{"suite.yaml:7"}},
		{"no metric", strings.Replace(goodSuite, "corrected.tpot_ms.p50", "corrected.tpot_ms.p5O", 1), []string{`no metric "corrected.tpot_ms.p5O"`, "did you mean corrected.tpot_ms.p50"}},
		{"all at once", "name: a b\nbudget_gpu_hours: -1\nentries:\n  - {name: x, site: s, gpus: -1, repeats: 2, gates: [{metric: corrected.error_share, tolerance: 5}]}\n  - {name: x, site: s, model: m, plan: p, gates: [{metric: corrected.offered_per_s, tolerance: 0.1}], baseline: {window_nights: 3}}\n", []string{
			`name "a b"`, "budget_gpu_hours is -1", "model is missing", "plan is missing", "gpus is -1", "repeats is 2", "error_share can't be a gate", "tolerance of corrected.error_share is 5",
			"taken by an earlier entry", "window_nights is 3", "offered_per_s can't be a gate"}},
		{"empty", "name: x\n", []string{"it has no entries"}},
		{"no gates", "name: x\nentries:\n  - {name: a, site: s, model: m, plan: p}\n", []string{"gates are missing"}},
	} {
		_, err := ParseSuite("suite.yaml", []byte(tc.text))
		if err == nil {
			t.Errorf("%s: no error", tc.name)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q isn't said:\n%v", tc.name, want, err)
			}
		}
	}
	if _, err := LoadSuite(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Error("a file that isn't there")
	}
}

func FuzzParseSuite(f *testing.F) {
	f.Add([]byte(goodSuite))
	f.Add([]byte("name: x\nentries: [{name: a}]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := ParseSuite("f", b); err == nil && len(s.Check()) > 0 {
			t.Error("a suite with problems was taken")
		}
	})
}
