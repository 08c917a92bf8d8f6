package load

import (
	"hpcbench/load/pace"
	"hpcbench/results"
)

// leadNs is how far ahead of its first request an open loop begins, so that the
// first one isn't late.
const leadNs = 5_000_000

// runOpen sends requests by a schedule, whatever the server does. A request
// that is late is sent at once and none is skipped, except those over the cap,
// which are recorded as dropped.
func (st *stepRun) runOpen() {
	s := st.step
	begin := st.clock.Now() + leadNs
	from := begin + int64(seconds(s.WarmupS))
	to := from + int64(seconds(s.DurationS))
	st.from.Store(from)
	warm, err := arrivals(st.plan, st.repeat, *s, results.PhaseStepWarmup, seconds(s.WarmupS))
	if err == nil {
		var in []int64
		for _, at := range warm {
			in = append(in, begin+int64(at))
		}
		warmup := len(in)
		var window int
		if at, err2 := arrivals(st.plan, st.repeat, *s, results.PhaseWindow, seconds(s.DurationS)); err2 != nil {
			err = err2
		} else {
			window = len(at)
			for _, d := range at {
				in = append(in, from+int64(d))
			}
		}
		if err == nil {
			st.edge(begin, results.StepSample{Index: s.Index, Edge: results.EdgeBegin, Step: s, Planned: window})
			st.shoot(in, warmup, window, to)
		}
	}
	if err != nil {
		st.cfg.Warn(err.Error())
		st.limited.Store(true)
	}
}

// shoot releases one request at each instant; the first warmup of them aren't
// measured.
func (st *stepRun) shoot(due []int64, warmup, window int, to int64) {
	waiter := pace.NewWaiter(st.clock)
	defer waiter.Close()
	opened := false
	open := func() {
		if !opened {
			opened = true
			st.edge(st.from.Load(), results.StepSample{Index: st.step.Index, Edge: results.EdgeOpen, Planned: window})
		}
	}
	if warmup == 0 {
		open()
	}
	for i, at := range due {
		phase, index := results.PhaseStepWarmup, i
		if i >= warmup {
			phase, index = results.PhaseWindow, i-warmup
		} else {
			index += warmupIndexes
		}
		sh := st.load(st.step, st.way, index, 0)
		if i >= warmup {
			open()
		}
		if waiter.Until(st.soft, at) != nil {
			break
		}
		if limit := int64(st.step.MaxInFlight); limit > 0 && st.live.inFlight.Load() >= limit {
			st.drop(st.step, phase, at, sh)
			continue
		}
		f := st.release(sh, phase, at, st.countTokens)
		st.flights.Go(func() {
			st.await(st.hard, f)
			st.ended(st.keep(f))
		})
	}
	interrupted := waiter.Until(st.soft, to) != nil
	if interrupted {
		st.edge(st.clock.Now(), results.StepSample{Index: st.step.Index, Edge: results.EdgeEnd, Planned: window})
	} else {
		open()
		st.edge(to, results.StepSample{Index: st.step.Index, Edge: results.EdgeClose, Planned: window})
	}
	st.drain(interrupted)
	st.edge(st.clock.Now(), results.StepSample{Index: st.step.Index, Edge: results.EdgeDrained})
}

// warmupIndexes keeps the lengths of a step's warm-up apart from those of its
// window, which belong to the schedule.
const warmupIndexes = 1 << 30

func (st *stepRun) countTokens(_ int64, n int) { st.live.tokens.Add(int64(n)) }
