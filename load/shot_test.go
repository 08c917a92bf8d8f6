package load

import (
	"testing"
	"time"

	"hpcbench/engine/stub"
	"hpcbench/load/clock"
	"hpcbench/load/prompt"
	"hpcbench/results"
)

// BenchmarkBuild builds a request of 200 prompt tokens, as the dispatcher of an
// open loop does between two sends.
func BenchmarkBuild(b *testing.B) {
	s := startStub(b, stub.Config{})
	p := ratePlan(1, 1)
	p.Prompt.Tokens = 200
	r := &runner{plan: p, clock: clock.New(time.Now()), live: newLive()}
	e := endpointOf(b, s.URL())
	w, err := newWay(e, p, r.clock, false)
	if err != nil {
		b.Fatal(err)
	}
	defer w.close()
	if r.maker, err = prompt.New(b.Context(), prompt.Options{Plan: p, Endpoint: e}); err != nil {
		b.Fatal(err)
	}
	step := results.Step{}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if sh := r.load(&step, w, i, 0); sh.err != nil {
			b.Fatal(sh.err)
		}
		i++
	}
}
