package report

import (
	"bytes"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/gate"
	"hpcbench/collect/read"
)

func TestAAGolden(t *testing.T) {
	var runs []*read.Run
	for i := range 5 {
		runs = append(runs, openRun(t, collecttest.Setup{Seed: uint64(i + 1), RepeatCV: 0.02, NightCV: 0.01, DurationS: 20, OneNode: i%2 == 0}))
	}
	entry := gate.Entry{Name: "e", Gates: []compare.Gate{{Metric: "corrected.tpot_ms.p50", Tolerance: 0.05}, {Metric: "corrected.ttft_ms.p50", Tolerance: 0.1}}}
	r := gate.DefaultRule.Rates(gate.AA(runs, entry), 200)
	var out, md bytes.Buffer
	if err := AA(&out, r, false); err != nil {
		t.Fatal(err)
	}
	golden(t, "aa.txt", out.Bytes())
	fits(t, "aa", out.String())
	if err := AAMarkdown(&md, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "aa.md", md.Bytes())
}
