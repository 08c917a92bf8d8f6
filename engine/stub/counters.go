package stub

import "sort"

// counters are what /metrics states; the engine's lock guards them.
type counters struct {
	prefixQueries, prefixHits int64 // tokens
	prompt, generated         int64
	rejected                  int64
	success                   map[string]int64
	ttft, gaps, perToken      histogram
	e2e, queue, prefill       histogram
	decode, inference         histogram
	promptLen, outputLen      histogram
}

var (
	ttftBounds = []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560}
	gapBounds  = []float64{0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80}
	longBounds = []float64{0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680}
	sizeBounds = []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000}
)

func newCounters() counters {
	return counters{success: map[string]int64{"stop": 0, "length": 0, "abort": 0, "error": 0},
		ttft: newHistogram(ttftBounds), gaps: newHistogram(gapBounds), perToken: newHistogram(gapBounds),
		e2e: newHistogram(longBounds), queue: newHistogram(longBounds), prefill: newHistogram(longBounds),
		decode: newHistogram(longBounds), inference: newHistogram(longBounds),
		promptLen: newHistogram(sizeBounds), outputLen: newHistogram(sizeBounds)}
}

// admitted counts the question to the prefix cache, which is asked when a request gets its slot.
func (c *counters) admitted(prompt, cached int, asked bool) {
	if asked {
		c.prefixQueries += int64(prompt)
		c.prefixHits += int64(cached)
	}
}

// tokens counts an event of n tokens; the first one ends the prefill.
func (c *counters) tokens(s *stream, n int, now int64) {
	c.generated += int64(n)
	if s.firstNs == 0 {
		s.firstNs = now
		c.prompt += int64(len(s.ask.promptIDs))
		c.ttft.observe(seconds(now - s.readNs))
	} else {
		c.gaps.observe(seconds(now - s.lastNs))
	}
	s.lastNs = now
}

// finished counts an end; an aborted request is counted nowhere, as in vLLM.
func (c *counters) finished(s *stream, finish string, now int64) {
	if finish == finishAbort {
		return
	}
	c.success[finish]++
	c.e2e.observe(seconds(now - s.readNs))
	c.queue.observe(seconds(s.admitted - s.readNs))
	c.prefill.observe(seconds(s.firstNs - s.admitted))
	c.decode.observe(seconds(s.lastNs - s.firstNs))
	c.inference.observe(seconds(s.lastNs - s.admitted))
	if s.produced > 1 {
		c.perToken.observe(seconds(s.lastNs-s.firstNs) / float64(s.produced-1))
	}
	c.promptLen.observe(float64(len(s.ask.promptIDs)))
	c.outputLen.observe(float64(s.produced))
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// histogram counts by upper bounds.
type histogram struct {
	bounds []float64
	counts []uint64 // one more than bounds: above the last
	sum    float64
	count  uint64
}

func newHistogram(bounds []float64) histogram {
	return histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

func (h *histogram) observe(v float64) {
	h.counts[sort.SearchFloat64s(h.bounds, v)]++
	h.sum += v
	h.count++
}
