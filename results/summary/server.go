package summary

import (
	"math"

	"hpcbench/results"
)

// serverSeries are the engine's good readings in the order of time.
type serverSeries []*results.Sample

func goodReadings(samples []*results.Sample) serverSeries {
	var s serverSeries
	for _, x := range samples {
		if x.Server != nil && x.Server.Failed == "" {
			s = append(s, x)
		}
	}
	return s
}

// after is the index of the first reading at or after t.
func (s serverSeries) after(t int64) int {
	for i, x := range s {
		if x.At >= t {
			return i
		}
	}
	return len(s)
}

// enclosing are the readings around a span: the last at or before from and the
// first at or after to, or the outermost ones where there is none beyond.
func (s serverSeries) enclosing(from, to int64) serverSeries {
	if len(s) == 0 {
		return nil
	}
	first := s.after(from)
	if first == len(s) || (s[first].At > from && first > 0) {
		first--
	}
	last := min(s.after(to), len(s)-1)
	if last < first {
		return nil
	}
	return s[first : last+1]
}

// counter picks one counter out of a reading; nil = not stated.
type counter func(*results.ServerSample) *float64

// delta is by how much a counter rose from the first to the last reading that
// state it; nil where fewer than two do or where it fell (a restart).
func (s serverSeries) delta(pick counter) *float64 {
	var first, last *float64
	n := 0
	for _, x := range s {
		if v := pick(x.Server); v != nil {
			if n == 0 {
				first = v
			}
			last = v
			n++
		}
	}
	if n < 2 || *last < *first {
		return nil
	}
	return ptr(*last - *first)
}

// at is a counter at an instant, on the line between the readings around it;
// beyond the outermost readings it stands still.
func (s serverSeries) at(t int64, pick counter) *float64 {
	var before, after *results.Sample
	for _, x := range s {
		if pick(x.Server) == nil {
			continue
		}
		if x.At <= t {
			before = x
			continue
		}
		after = x
		break
	}
	switch {
	case before == nil && after == nil:
		return nil
	case before == nil:
		return pick(after.Server)
	case after == nil:
		return pick(before.Server)
	}
	share := float64(t-before.At) / float64(after.At-before.At)
	a, b := *pick(before.Server), *pick(after.Server)
	return ptr(a + (b-a)*share)
}

// between is the rise of a counter over the window, with both edges
// interpolated: tokens flow evenly enough for that.
func (s serverSeries) between(from, to int64, pick counter) *float64 {
	a, b := s.at(from, pick), s.at(to, pick)
	if a == nil || b == nil || *b < *a {
		return nil
	}
	return ptr(*b - *a)
}

// meanMs is the mean of a histogram's observations in milliseconds.
func (s serverSeries) meanMs(pick func(*results.ServerSample) *results.SumCount) *float64 {
	sum := s.delta(func(x *results.ServerSample) *float64 { return sumOf(pick(x)) })
	count := s.delta(func(x *results.ServerSample) *float64 { return countOf(pick(x)) })
	if sum == nil || count == nil || *count == 0 {
		return nil
	}
	return ptr(*sum / *count * 1000)
}

func sumOf(h *results.SumCount) *float64 {
	if h == nil {
		return nil
	}
	return &h.SumS
}

func countOf(h *results.SumCount) *float64 {
	if h == nil {
		return nil
	}
	return &h.Count
}

// restarted says whether the process started anew between two readings, or a
// counter that can only rise has fallen.
func (s serverSeries) restarted() bool {
	rising := []counter{
		func(x *results.ServerSample) *float64 { return x.GenerationTokens },
		func(x *results.ServerSample) *float64 { return x.PromptTokens },
		func(x *results.ServerSample) *float64 { return countOf(x.TTFT) },
		func(x *results.ServerSample) *float64 { return countOf(x.E2E) },
	}
	for i := 1; i < len(s); i++ {
		a, b := s[i-1].Server, s[i].Server
		if a.ProcessStart != nil && b.ProcessStart != nil && math.Abs(*b.ProcessStart-*a.ProcessStart) > 1 {
			return true
		}
		for _, pick := range rising {
			if x, y := pick(a), pick(b); x != nil && y != nil && *y < *x {
				return true
			}
		}
	}
	return false
}

// gauge is mean, lowest and highest of the readings inside [from, to].
func (s serverSeries) gauge(from, to int64, pick counter) *results.MinMax {
	var g gauge
	for _, x := range s {
		if v := pick(x.Server); v != nil && x.At >= from && x.At <= to {
			g.add(*v)
		}
	}
	return g.result()
}

// gauge gathers a sampled value.
type gauge struct {
	sum, lowest, highest float64
	n                    int
}

func (g *gauge) add(v float64) {
	if g.n == 0 {
		g.lowest, g.highest = v, v
	}
	g.lowest, g.highest = min(g.lowest, v), max(g.highest, v)
	g.sum += v
	g.n++
}

func (g *gauge) result() *results.MinMax {
	if g.n == 0 {
		return nil
	}
	return &results.MinMax{Mean: g.sum / float64(g.n), Min: g.lowest, Max: g.highest}
}

// started counts requests that the engine started: those with a first token,
// else those it finished. Finish counters miss requests whose client went away.
func started(x *results.ServerSample) *float64 {
	if x.TTFT != nil {
		return &x.TTFT.Count
	}
	if x.Finished == nil {
		return nil
	}
	sum := 0.0
	for _, n := range x.Finished {
		sum += n
	}
	return &sum
}

// serverStats is the engine's own account of a step. Token counters are taken
// over the window, edges interpolated; gauges from the readings inside it;
// everything else over the readings that enclose the window and its drain,
// since what a request adds to a histogram may come with its end.
func (c *computer) serverStats(w *window, idleFrom int64) *results.ServerStats {
	series := c.series
	enclosed := series.enclosing(w.from, w.over())
	var out results.ServerStats
	inside := 0
	for _, x := range enclosed {
		if x.At >= w.from && x.At <= w.to {
			inside++
		}
	}
	out.Samples = inside
	type sample = results.ServerSample
	out.Running = enclosed.gauge(w.from, w.to, func(x *sample) *float64 { return x.Running })
	out.Waiting = enclosed.gauge(w.from, w.to, func(x *sample) *float64 { return x.Waiting })
	out.KVUsage = enclosed.gauge(w.from, w.to, func(x *sample) *float64 { return x.KVUsage })
	out.Preemptions = enclosed.delta(func(x *sample) *float64 { return x.Preemptions })
	out.PrefixQueries = enclosed.delta(func(x *sample) *float64 { return x.PrefixQueries })
	out.PrefixHits = enclosed.delta(func(x *sample) *float64 { return x.PrefixHits })
	out.Rejected = enclosed.delta(func(x *sample) *float64 { return x.Rejected })
	out.Started = enclosed.delta(started)
	out.GenerationTokens = series.between(w.from, w.to, func(x *sample) *float64 { return x.GenerationTokens })
	out.PromptTokens = series.between(w.from, w.to, func(x *sample) *float64 { return x.PromptTokens })
	out.TTFTMeanMs = enclosed.meanMs(func(x *sample) *results.SumCount { return x.TTFT })
	out.E2EMeanMs = enclosed.meanMs(func(x *sample) *results.SumCount { return x.E2E })
	out.QueueMeanMs = enclosed.meanMs(func(x *sample) *results.SumCount { return x.Queue })
	out.PrefillMeanMs = enclosed.meanMs(func(x *sample) *results.SumCount { return x.Prefill })
	for _, x := range enclosed {
		if x.Server.BlockTokens != nil {
			out.BlockTokens = x.Server.BlockTokens
		}
	}
	whole := series.enclosing(w.begun(), w.over())
	out.Restarted = whole.restarted()
	out.Whole = c.balance(whole)
	out.BusyBefore = busyBefore(series, w.begun(), idleFrom)
	nodeStats(&out, c.samples, w)
	if len(enclosed) == 0 && out.HostCPU == nil && out.GPUUtil == nil && out.GPUPowerW == nil && out.GPUMemMiB == nil {
		return nil // a remote server: nobody tells us anything
	}
	return &out
}

// over is when the step had nothing in flight any more, else the end of its window.
func (w *window) over() int64 { return max(w.drained, w.to) }

// idleSettleUs is how long after the last answer the engine's gauges may still
// show the request that ended.
const idleSettleUs = 500_000

// busyBefore is running + waiting at the last reading before the step began, if
// that was taken when nothing of ours was open any more.
func busyBefore(series serverSeries, begun, idleFrom int64) *float64 {
	at := series.after(begun) - 1
	if at < 0 || series[at].At < idleFrom+idleSettleUs {
		return nil
	}
	x := series[at].Server
	if x.Running == nil {
		return nil
	}
	busy := *x.Running
	if x.Waiting != nil {
		busy += *x.Waiting
	}
	return &busy
}
