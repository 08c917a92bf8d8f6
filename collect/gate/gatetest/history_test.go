package gatetest

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/collect/gate"
)

func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nights.jsonl")
	key := gate.Key{Step: "a", Metric: "corrected.tpot_ms.p50"}
	tonight := gate.NightRecord{Suite: "s", Entry: "e", Night: "2026-03-19", At: time.Date(2026, 3, 19, 20, 0, 0, 0, time.UTC), Run: "r", State: gate.Learning,
		Conditions: "c", Figures: []gate.Figures{{Key: key, Values: []float64{9.9, 10.1, 10}, Asked: 3}}}
	if err := gate.AppendNight(file, tonight); err != nil {
		t.Fatal(err)
	}
	Write(t, file, "e", Past{Nights: 10, Factor: 0.9, RepeatCV: 0.02, NightCV: 0.01, Seed: 1})
	nights, lines, err := gate.LoadNights(file)
	if err != nil || lines.Bad > 0 || len(nights) != 11 || nights[10].Night != "2026-03-19" || nights[0].Night != "2026-03-09" {
		t.Fatalf("%d nights, %+v, %v", len(nights), lines, err)
	}
	past := nights.Under("c").Past("e", "2026-03-19", key, 14, nil)
	if len(past.Nights) != 10 {
		t.Fatalf("%d good nights", len(past.Nights))
	}
	sum, n := 0.0, 0
	for i, values := range past.Nights {
		if !strings.HasPrefix(nights[i].Run, "made-up-") || !strings.Contains(nights[i].Reason, "made up") {
			t.Errorf("night %d isn't marked: %+v", i, nights[i])
		}
		for _, v := range values {
			sum, n = sum+v, n+1
		}
	}
	if mean := sum / float64(n); math.Abs(mean/9-1) > 0.02 || n != 50 {
		t.Errorf("%d values around %g, want 9", n, mean)
	}
}
