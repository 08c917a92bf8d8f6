package stub

import "testing"

// BenchmarkTokenEvent is what one token costs without its system call: its
// place in the schedule, its bytes and its counters.
func BenchmarkTokenEvent(b *testing.B) {
	cfg, err := Config{ITLMs: 1}.withDefaults()
	if err != nil {
		b.Fatal(err)
	}
	e := &engine{cfg: cfg, prefix: newPrefixCache(1), m: newCounters(), ttft: 1, itl: 1, running: 1}
	a := &ask{chat: true, promptIDs: []int{1}, maxTokens: 1 << 30}
	s := &stream{ask: a, limit: 1 << 30, ev: newEvents(a, newID(true), 1, "stub"), done: make(chan struct{})}
	s.roleOut = true
	b.ReportAllocs()
	for b.Loop() {
		m := emission{s: s, from: s.produced, to: s.produced + 1}
		s.produced++
		e.m.tokens(s, 1, int64(s.produced))
		s.buf = s.buf[:0]
		e.appendEvents(m)
	}
}
