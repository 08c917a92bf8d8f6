package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"hpcbench/load"
	"hpcbench/results"
)

func TestPanelLines(t *testing.T) {
	for name, c := range map[string]struct {
		now  results.Progress
		want string
	}{
		"before anything": {results.Progress{Phase: load.PhaseStarting},
			"starting: 0 in flight, 0 sent, 0 completed, TTFT p50 – ms, TPOT p50 – ms, 0 tokens/s\n"},
		"warm-up": {results.Progress{Phase: load.PhaseWarmup, Step: "warmup", StepIndex: -1, StepCount: 7, InFlight: 1, Sent: 1, LeftS: 15.4},
			"warm-up: 1 in flight, 1 sent, 0 completed, TTFT p50 – ms, TPOT p50 – ms, 0 tokens/s, 15s left\n"},
		"step": {results.Progress{Phase: load.PhaseStep, Step: "concurrency@4", StepIndex: 1, StepCount: 2, TTFTp50Ms: 40.4, TPOTp50Ms: 8.06, TokensPerS: 99.6,
			Errors: map[string]int{"shed": 2, "http": 1}},
			"step concurrency@4, 2 of 2: 0 in flight, 0 sent, 0 completed, TTFT p50 40 ms, TPOT p50 8.1 ms, 100 tokens/s, errors: 1 http, 2 shed\n"},
		"search": {results.Progress{Phase: load.PhaseStep, Step: "refine@3", StepIndex: 4, LeftS: 2},
			"step refine@3, number 5: 0 in flight, 0 sent, 0 completed, TTFT p50 – ms, TPOT p50 – ms, 0 tokens/s, 2s left\n"},
	} {
		var b strings.Builder
		p := newPanel(&b, false)
		p.show(c.now)
		p.show(c.now) // within ten seconds: not again
		if b.String() != c.want {
			t.Errorf("%s: got  %q\nwant %q", name, b.String(), c.want)
		}
	}
}

// TestPanelFits is a terminal of 80 columns: a line that wraps would spoil the painting over.
func TestPanelFits(t *testing.T) {
	var b strings.Builder
	p := newPanel(&b, true)
	now := results.Progress{Phase: load.PhaseStep, Step: strings.Repeat("long", 30), StepIndex: 3, StepCount: 120, LeftS: 3700, AskedPerS: 12345.67,
		AchievedPerS: 12000.5, Sent: 1 << 30, Completed: 1 << 30, TTFTp50Ms: 123456.7, Errors: map[string]int{"shed": 99999, "http": 99999, "reset": 9999, "timeout": 99999}}
	for range 60 {
		p.show(now)
	}
	text := b.String()
	if !strings.Contains(text, "\x1b[5A") || !strings.Contains(text, "of 12345.67/s asked") {
		t.Errorf("%q", text[len(text)-600:])
	}
	for _, l := range strings.Split(regexp.MustCompile("\x1b\\[[0-9]*[AK]").ReplaceAllString(text, ""), "\n") {
		if utf8.RuneCountInString(l) > 79 {
			t.Errorf("%d columns: %q", utf8.RuneCountInString(l), l)
		}
	}
}
