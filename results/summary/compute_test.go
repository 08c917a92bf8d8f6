package summary

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
)

// busyAttempt is a server that keeps up, then one that doesn't.
func busyAttempt() Input {
	return simAttempt(simServer{ttftUs: 100_000, gapUs: 10_000, tokens: 50, slots: 10},
		simStep{durationS: 15, arrivals: every(10, 15)}, simStep{durationS: 15, arrivals: every(25, 15)})
}

func TestOrderOnDiskDoesNotMatter(t *testing.T) {
	in := busyAttempt()
	want, err := results.EncodeJSON(Compute(in))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(in.Records), func(i, j int) { in.Records[i], in.Records[j] = in.Records[j], in.Records[i] })
		rng.Shuffle(len(in.Samples), func(i, j int) { in.Samples[i], in.Samples[j] = in.Samples[j], in.Samples[i] })
		got, err := results.EncodeJSON(Compute(in))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatalf("seed %d gives other bytes", seed)
		}
	}
}

// What a plan sees while the attempt runs is what the summary says in the end.
func TestStepIsTheSummarysStep(t *testing.T) {
	in := busyAttempt()
	for i, want := range Compute(in).Steps {
		got, ok := Step(in, i)
		if d := cmp.Diff(want, got); !ok || d != "" {
			t.Errorf("step %d: %s", i, d)
		}
	}
	if _, ok := Step(in, 7); ok {
		t.Error("there is no step 7")
	}
}

func TestCorrectedTellsWhatCompatHides(t *testing.T) {
	s := Compute(busyAttempt())
	kept, behind := s.Steps[0], s.Steps[1]

	within(t, "TTFT of a server that keeps up", *kept.Corrected.TTFTMs.P99, 100, 0.1, 0)
	within(t, "TPOT", *kept.Corrected.TPOTMs.P50, 10, 1e-9, 0)
	within(t, "E2E", *kept.Corrected.E2EMs.Mean, 590, 0.1, 0)
	within(t, "gaps", *kept.Corrected.GapMs.P99, 10, 0, 0)
	within(t, "in flight", kept.Corrected.InFlightMean, 5.8, 0.2, 0)
	if n := kept.Corrected.GapMs.N; n != kept.Counts.Completed*49 {
		t.Errorf("%d gaps of %d requests", n, kept.Counts.Completed)
	}
	if results.Invalid(kept.Findings) {
		t.Errorf("a healthy step is invalid: %+v", kept.Findings)
	}

	// 25/s offered, 10 slots x 0.59 s make 16.9/s: the queue grows by 8/s for 15 s, and the last one waits some 7 s.
	if got := *behind.Corrected.TTFTMs.Max; got < 6000 {
		t.Errorf("the longest TTFT is %v ms", got)
	}
	if behind.Compat.Excluded < 80 || behind.Compat.TTFTMs.P99 > *behind.Corrected.TTFTMs.P99 {
		t.Errorf("compat excludes %d, its p99 is %v and ours %v", behind.Compat.Excluded, behind.Compat.TTFTMs.P99, *behind.Corrected.TTFTMs.P99)
	}
	within(t, "tokens/s of a full server", behind.Corrected.TokensPerS, 10*50/0.59, 0, 0.05)
	if behind.Corrected.CohortShare != 1 {
		t.Errorf("all of the cohort ended, but %v is stated", behind.Corrected.CohortShare)
	}
	if got := codes(behind.Findings); !strings.Contains(got, "saturated") || results.Invalid(behind.Findings) {
		t.Errorf("findings are %s", got)
	}
}

func TestTokensOfTheWindowAreConserved(t *testing.T) {
	// Windows that tile the time hold all tokens between them, whatever the events hold.
	for name, server := range map[string]simServer{
		"one a event":   {ttftUs: 30_000, gapUs: 7_000, tokens: 100},
		"four an event": {ttftUs: 30_000, gapUs: 7_000, tokens: 100, perEvent: 4},
	} {
		in := simAttempt(server, simStep{durationS: 5, arrivals: every(7, 5)})
		var s scratch
		total, tiled := 0.0, 0.0
		for i := range in.Records {
			e := s.decode(&in.Records[i])
			if e.broken {
				t.Fatalf("%s: record %d is broken", name, i)
			}
			total += e.tokens
			slices := make([]float64, 7)
			e.slices(slices, 0, 9_000_000)
			sum := 0.0
			for k := range 9 {
				tiled += e.within(int64(k)*1_000_000, int64(k+1)*1_000_000)
			}
			for _, v := range slices {
				sum += v
			}
			if sum != e.tokens {
				t.Errorf("%s: slices hold %v of %v", name, sum, e.tokens)
			}
		}
		if total != tiled || total != float64(100*len(in.Records)) {
			t.Errorf("%s: %v tokens, %v in the tiles", name, total, tiled)
		}
	}
}

func codes(findings []results.Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, f.Level+" "+f.Code+" ("+f.Reason+")")
	}
	return strings.Join(all, ", ")
}

// BenchmarkCompute is one repeat of 9 steps with 2,300 requests of 200 tokens each.
func BenchmarkCompute(b *testing.B) {
	var steps []simStep
	for range 9 {
		steps = append(steps, simStep{durationS: 120, arrivals: every(2300.0/120, 120)})
	}
	in := simAttempt(simServer{ttftUs: 31_000, gapUs: 8_600, tokens: 200}, steps...)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range in.Records {
		r := &in.Records[i]
		gaps, err := results.DecodeGaps(nil, r.Gaps)
		if err != nil {
			b.Fatal(err)
		}
		for k := range gaps { // each its own, as a real engine's are
			gaps[k].Us += int64(rng.NormFloat64() * 700)
		}
		r.Gaps = results.EncodeGaps(gaps)
	}
	b.ReportAllocs()
	for b.Loop() {
		if s := Compute(in); len(s.Steps) != 9 {
			b.Fatal("steps are missing")
		}
	}
}
