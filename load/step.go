package load

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"hpcbench/results"
)

// stepRun is one step while it runs.
type stepRun struct {
	*runner
	step *results.Step
	way  *way

	// soft ends when no more requests shall be sent, hard when those that are
	// open are given up.
	soft, hard       context.Context
	endSoft, endHard context.CancelFunc
	flights          sync.WaitGroup
	from, to         atomic.Int64 // the window, ns; not yet known = far ahead
	sentInWindow     atomic.Int64
	failed           atomic.Int64
	heldNs           atomic.Int64
	full             chan struct{} // closed when MaxRequests were sent
	once             sync.Once
	limited          atomic.Bool // Limits.Errors was reached
	errorLimit       int
	producing        []atomic.Int64 // of each stream: its first token, ns
}

const never = math.MaxInt64

// runStep runs one step to its end: warm-up, window, drain. It says false where
// it was left early, by the context or by a limit.
func (r *runner) runStep(ctx, abort context.Context, s results.Step) bool {
	st := &stepRun{runner: r, step: &s, way: r.wayOf(s.Arm), full: make(chan struct{})}
	st.from.Store(never)
	st.to.Store(never)
	if r.plan.Limits != nil {
		st.errorLimit = r.plan.Limits.Errors
	}
	st.soft, st.endSoft = context.WithCancel(ctx)
	defer st.endSoft()
	st.hard, st.endHard = context.WithCancel(abort)
	defer st.endHard()

	if s.NotRun != "" {
		r.edge(r.clock.Now(), results.StepSample{Index: s.Index, Edge: results.EdgeBegin, Step: &s})
		return true
	}
	r.openConnections(ctx, st.way, &s)
	if s.Loop == results.LoopOpen {
		st.runOpen()
	} else {
		st.runClosed()
	}
	return ctx.Err() == nil && !st.limited.Load()
}

func (r *runner) wayOf(arm string) *way {
	if w := r.ways[arm]; w != nil {
		return w
	}
	return r.ways[""]
}

// openConnections opens what the step will need, before it begins. A server
// that doesn't take them is met by the requests themselves, which say so.
func (r *runner) openConnections(ctx context.Context, w *way, s *results.Step) {
	n := s.Streams
	if s.Loop == results.LoopOpen {
		typical := time.Duration(r.typicalNs.Load()).Seconds()
		n = int(1.5*s.RatePerS*typical) + 4
		if s.MaxInFlight > 0 {
			n = min(n, s.MaxInFlight)
		}
		n = min(n, 1000)
	}
	if _, err := w.pool.Open(ctx, n, dialsPerS); err != nil && ctx.Err() == nil {
		r.cfg.Warn(fmt.Sprintf("step %s: not all of %d connections could be opened beforehand: %v", s.ID, n, err))
	}
}

// phaseAt is the phase of a request released at ns.
func (st *stepRun) phaseAt(ns int64) string {
	switch {
	case st.step.Index < 0:
		return results.PhaseWarmup
	case ns < st.from.Load():
		return results.PhaseStepWarmup
	}
	return results.PhaseWindow
}

// ended takes a finished request of the step.
func (st *stepRun) ended(rec *results.Record) {
	if rec.Outcome == results.OutcomeFailed || rec.Outcome == results.OutcomeTimedOut {
		if n := st.failed.Add(1); st.errorLimit > 0 && int(n) >= st.errorLimit && st.limited.CompareAndSwap(false, true) {
			st.cfg.Warn(fmt.Sprintf("step %s ends early: %d requests failed, the limit is %d; the last one: %s %s",
				st.step.ID, n, st.errorLimit, rec.ErrorClass, rec.ErrorText))
			st.endSoft()
		}
	}
}

// drain waits until nothing of the step is in flight: at most for the plan's
// drain, or after an interruption for the grace. What is still open then, or at
// once where the step says so, is given up.
func (st *stepRun) drain(interrupted bool) {
	limit := seconds(st.plan.DrainS)
	if limit == 0 {
		limit = seconds(st.plan.Request.TimeoutS)
	}
	if st.step.CancelAtEnd {
		limit = 0
	}
	if interrupted {
		limit = min(limit, st.cfg.Grace)
	}
	timer := time.AfterFunc(limit, st.endHard)
	defer timer.Stop()
	st.flights.Wait()
}
