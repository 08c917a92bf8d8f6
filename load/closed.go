package load

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"hpcbench/results"
)

// settleLimit is how long streams may take to produce before the window opens
// without them.
const settleLimit = 3 * time.Minute

// failurePause paces a stream whose request failed at once: a server that
// refuses would be asked tens of thousands of times a second. It doubles with
// each such failure in a row, up to failurePauseMost.
const (
	failurePause     = 100 * time.Millisecond
	failurePauseMost = 5 * time.Second
)

// refusalPause paces a stream whose request was refused, where the plan doesn't
// say how: a full server isn't to be asked again at the speed of its refusals.
const refusalPause = 100 * time.Millisecond

// hopelessFailures a stream, with no token from any of them, end the waiting for
// a step that settles: the server won't produce.
const hopelessFailures = 3

// runClosed holds the step's streams: each sends its next request as soon as
// the last one ended.
func (st *stepRun) runClosed() {
	s := st.step
	st.producing = make([]atomic.Int64, s.Streams)
	var next atomic.Int64
	first := make([]*shot, s.Streams)
	for i := range first {
		first[i] = st.load(s, st.way, int(next.Add(1))-1, i)
	}
	begin := st.clock.Now()
	if s.WarmupS == 0 && s.SettleS == 0 {
		st.from.Store(begin)
	}
	st.edge(begin, results.StepSample{Index: s.Index, Edge: results.EdgeBegin, Step: s})
	spread := st.stagger()
	for i, sh := range first {
		st.flights.Go(func() {
			if sleep(st.soft, spread*time.Duration(i)/time.Duration(len(first))) {
				st.stream(i, sh, &next)
			}
		})
	}
	go func() {
		st.flights.Wait() // every stream has nothing more to send
		st.once.Do(func() { close(st.full) })
	}()
	interrupted := !st.holdWindow(begin)
	st.endSoft()
	st.drain(interrupted)
	st.edge(st.clock.Now(), results.StepSample{Index: s.Index, Edge: results.EdgeDrained,
		StreamSecondsHeld: float64(st.heldNs.Load()) / 1e9})
}

// toTheEnd says that the window is to hold all of its requests: there are so
// few for each stream that one which ends when the first stream has nothing
// more to send would say little. Else it ends there, since the load falls from
// then on.
func (st *stepRun) toTheEnd() bool {
	return st.step.MaxRequests < 4*st.step.Streams
}

// holdWindow opens and closes the window. It says false where the step was
// left early.
func (st *stepRun) holdWindow(begin int64) bool {
	s := st.step
	left := func() bool {
		st.to.Store(st.clock.Now())
		st.edge(st.to.Load(), results.StepSample{Index: s.Index, Edge: results.EdgeEnd})
		return false
	}
	if !sleep(st.soft, seconds(s.WarmupS)) {
		return left()
	}
	if s.SettleS > 0 && !st.settle() {
		return left()
	}
	if st.from.Load() == never {
		st.from.Store(st.clock.Now())
	}
	from := st.from.Load()
	st.edge(from, results.StepSample{Index: s.Index, Edge: results.EdgeOpen})
	length := time.Duration(never)
	if s.DurationS > 0 {
		length = seconds(s.DurationS) - time.Duration(st.clock.Now()-from)
	}
	bell := time.NewTimer(length)
	defer bell.Stop()
	select {
	case <-st.soft.Done():
		return left()
	case <-st.full:
		st.to.Store(max(st.clock.Now(), from+1000))
	case <-bell.C:
		st.to.Store(from + int64(seconds(s.DurationS)))
	}
	st.edge(st.to.Load(), results.StepSample{Index: s.Index, Edge: results.EdgeClose})
	return true
}

// settle waits until every stream has been producing for SettleS. It gives up
// after settleLimit, or where nothing but failures came.
func (st *stepRun) settle() bool {
	deadline := st.clock.Now() + int64(settleLimit)
	for {
		latest, producing := int64(0), false
		for i := range st.producing {
			at := st.producing[i].Load()
			producing = producing || at > 0
			if at == 0 {
				at = never
			}
			latest = max(latest, at)
		}
		now := st.clock.Now()
		if latest != never && now-latest >= int64(seconds(st.step.SettleS)) {
			return true
		}
		if n := st.failed.Load(); !producing && n >= hopelessFailures*int64(st.step.Streams) {
			st.cfg.Warn(fmt.Sprintf("step %s: %d requests failed and none produced a token; its window opens without them", st.step.ID, n))
			return true
		}
		if now > deadline {
			st.cfg.Warn("step " + st.step.ID + ": not every stream began to produce within " + settleLimit.String() + "; its window opens without them")
			return true
		}
		if !sleep(st.soft, 10*time.Millisecond) {
			return false
		}
	}
}

// stagger is how long the streams take, from the first to the last, to send
// their first requests. Streams that begin together have answers of one length
// end together for as long as they run, and then all of them want to be read and
// refilled at once. Where the step warms up they begin spread over one request,
// or over half of the warm-up where that is shorter or nothing is known of one.
func (st *stepRun) stagger() time.Duration {
	spread := seconds(st.step.WarmupS) / 2
	if typical := time.Duration(st.typicalNs.Load()); typical > 0 {
		spread = min(spread, typical)
	}
	return spread
}

// stream is one stream: sh is its first request, and the next one is built
// while the last one runs.
func (st *stepRun) stream(n int, sh *shot, next *atomic.Int64) {
	build := func() *shot { return st.load(st.step, st.way, int(next.Add(1))-1, n) }
	onToken := func(ns int64, tokens int) {
		st.live.tokens.Add(int64(tokens))
		if st.producing[n].Load() == 0 {
			st.producing[n].Store(ns)
		}
	}
	failures := 0
	var last *flight // a good one without a record yet
	keep := func(f *flight) *results.Record {
		rec := st.keep(f)
		st.hold(rec)
		st.ended(rec)
		return rec
	}
	defer func() {
		if last != nil {
			keep(last)
		}
	}()
	for {
		now := st.clock.Now()
		if st.soft.Err() != nil || now >= st.to.Load() {
			return
		}
		phase := st.phaseAt(now)
		if limit := int64(st.step.MaxRequests); limit > 0 && phase == results.PhaseWindow {
			if st.sentInWindow.Add(1) > limit {
				if !st.toTheEnd() {
					st.once.Do(func() { close(st.full) })
				}
				return
			}
		}
		f := st.release(sh, phase, 0, onToken)
		st.makeWay(f)
		if last != nil {
			keep(last)
		}
		last = nil
		sh = build()
		st.await(st.hard, f)
		if f.good() {
			// The next request comes first: its record can wait for a few milliseconds.
			last, failures = f, 0
			continue
		}
		rec := keep(f)
		if rec.Outcome == results.OutcomeFailed && rec.TEnd-rec.TStart < failurePause.Microseconds() {
			failures++
		} else {
			failures = 0
		}
		if !sleep(st.soft, pauseAfter(rec, st.step.ReissueMs, failures)) {
			return
		}
	}
}

// makeWayMost is the most that a stream waits with what isn't due yet.
const makeWayMost = 20 * time.Millisecond

// makeWay lets others who have something to send or to read come before the
// last record and the next request of this stream, which aren't due yet:
// engines emit for all of their streams at once, and so end several.
func (st *stepRun) makeWay(f *flight) {
	runtime.Gosched()
	pause := min(time.Duration(st.typicalNs.Load())/8, makeWayMost)
	if f.call == nil || pause <= 0 { // without a call its connection is yet to be opened
		return
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-f.call.Done():
	case <-t.C:
	}
}

// pauseAfter is how long a stream waits before its next request: not at all,
// unless the last one was refused, or failed at once for the failures-th time
// in a row.
func pauseAfter(rec *results.Record, reissueMs float64, failures int) time.Duration {
	switch {
	case rec.Outcome == results.OutcomeShed:
		if reissueMs <= 0 {
			return refusalPause
		}
		return max(time.Duration(reissueMs*float64(time.Millisecond)), time.Millisecond)
	case failures > 0:
		return min(failurePause<<min(failures-1, 10), failurePauseMost)
	}
	return 0
}

// hold adds the request's part of the window to the streams held.
func (st *stepRun) hold(rec *results.Record) {
	from, to := st.from.Load(), st.to.Load()
	if from == never || rec.TSend == 0 {
		return
	}
	begin, end := max(rec.TSend*1000, from), rec.TEnd*1000
	if to != never {
		end = min(end, to)
	}
	if end > begin {
		st.heldNs.Add(end - begin)
	}
}
