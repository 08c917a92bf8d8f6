package summary

import (
	"testing"

	"hpcbench/results"
)

func TestSilence(t *testing.T) {
	w := &window{from: 0, to: 64e6}
	request := func(from, to int64) *results.Record {
		return &results.Record{Outcome: results.OutcomeCompleted, TSend: from + 1, TEnd: to}
	}
	tokens := func(quiet ...int) []float64 {
		p := make([]float64, pulseCount)
		for i := range p {
			p[i] = 1
		}
		for i := quiet[0]; i < quiet[1]; i++ {
			p[i] = 0
		}
		return p
	}
	for name, c := range map[string]struct {
		pulse   []float64
		records []*results.Record
		want    float64
	}{
		"tokens all the time":         {tokens(0, 0), []*results.Record{request(0, 64e6)}, 0},
		"one open all the while":      {tokens(10, 20), []*results.Record{request(5e6, 40e6)}, 10},
		"several, one after another":  {tokens(10, 20), []*results.Record{request(5e6, 14e6), request(13e6, 18e6), request(17e6, 25e6)}, 10},
		"nobody had asked":            {tokens(10, 20), []*results.Record{request(5e6, 10e6), request(20e6, 25e6)}, 0},
		"a pause between two":         {tokens(10, 20), []*results.Record{request(5e6, 12e6), request(16e6, 25e6)}, 4},
		"to the end, never answered":  {tokens(60, 64), []*results.Record{{Outcome: results.OutcomeOpen, TSend: 59e6}}, 4},
		"one that was dropped, never": {tokens(60, 64), []*results.Record{{Outcome: results.OutcomeDropped}}, 0},
	} {
		if got := silence(c.pulse, c.records, w); got < c.want-0.001 || got > c.want+0.001 {
			t.Errorf("%s: %v s, want %v", name, got, c.want)
		}
	}
}
