package report

import (
	"io"
	"testing"

	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

// fullRun is five repeats of nine steps of 2,300 requests each, with gaps.
func fullRun(b *testing.B, seed uint64) results.RunDir {
	b.Helper()
	gaps := make([]results.Gap, 180)
	for i := range gaps {
		gaps[i].Us = int64(9000 + 10*i)
	}
	packed := results.EncodeGaps(gaps)
	var steps []results.Step
	for i := range 9 {
		steps = append(steps, results.Step{Index: i, ID: "constant@" + Rate(float64(19+i)) + ".00req/s", Loop: results.LoopOpen, Arrival: "constant", RatePerS: 2300.0 / 120, DurationS: 120, MaxInFlight: 800})
	}
	return collecttest.Write(b, collecttest.Setup{Seed: seed, RepeatCV: 0.01, Steps: steps, Records: true, Record: func(_ int, r *results.Record) bool {
		r.Gaps, r.ServerID = packed, "chatcmpl-0123456789abcdef0123456789abcdef"
		return true
	}})
}

// BenchmarkCollect reads a full run and prints its tables.
func BenchmarkCollect(b *testing.B) {
	dir := string(fullRun(b, 1))
	b.ReportAllocs()
	for b.Loop() {
		run, err := read.Open(dir, read.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := New(run).Terminal(io.Discard, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCollectFromRecords does the same after every summary was lost.
func BenchmarkCollectFromRecords(b *testing.B) {
	dir := string(fullRun(b, 1))
	b.ReportAllocs()
	for b.Loop() {
		run, err := read.Open(dir, read.Options{Recompute: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := New(run).Terminal(io.Discard, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReport writes the page of a full run, with distributions and timelines.
func BenchmarkReport(b *testing.B) {
	dir := string(fullRun(b, 1))
	b.ReportAllocs()
	for b.Loop() {
		run, err := read.Open(dir, read.Options{Values: true, Timelines: true})
		if err != nil {
			b.Fatal(err)
		}
		if err := RunPage([]*Document{New(run)}, nil, "bench").HTML(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCompare compares two full runs and prints it.
func BenchmarkCompare(b *testing.B) {
	dirs := []string{string(fullRun(b, 1)), string(fullRun(b, 2))}
	b.ReportAllocs()
	for b.Loop() {
		var runs []*read.Run
		for _, d := range dirs {
			run, err := read.Open(d, read.Options{})
			if err != nil {
				b.Fatal(err)
			}
			runs = append(runs, run)
		}
		if err := Compare(io.Discard, compare.Runs(runs[0], runs[1], compare.Options{}), false); err != nil {
			b.Fatal(err)
		}
	}
}
