package load

import (
	"context"
	"sync/atomic"
	"time"

	"hpcbench/load/clock"
	"hpcbench/load/prompt"
	"hpcbench/load/record"
	"hpcbench/load/wire"
	"hpcbench/results"
)

// runner is what all steps of an attempt share.
type runner struct {
	cfg    Config
	plan   results.Plan
	repeat int
	clock  *clock.Clock
	ways   map[string]*way // by arm; "" where the plan has none
	maker  *prompt.Maker
	// template is how many tokens the chat template adds to a prompt, 0 = not known.
	template int
	records  *record.Log[results.Record]
	samples  *record.Log[results.Sample]
	live     *live
	state    *progress

	seq   atomic.Int64 // released requests
	texts atomic.Int64 // built requests
	// typicalNs is the time of a request as last seen, for how many connections to open.
	typicalNs atomic.Int64
	clockStep atomic.Int64 // µs
}

// sample keeps a sample, and the largest jump of the wall clock for the attempt.
func (r *runner) sample(s results.Sample) {
	if s.Client != nil {
		if jump := max(s.Client.ClockStepUs, -s.Client.ClockStepUs); jump > r.clockStep.Load() {
			r.clockStep.Store(jump)
		}
	}
	r.samples.Append(s)
}

// edge writes an edge of a step, at ns since the epoch.
func (r *runner) edge(at int64, s results.StepSample) {
	r.samples.Append(results.Sample{At: micro(at), Kind: results.SampleStep, Step: &s})
}

// shot is a request ready to be sent.
type shot struct {
	step    *results.Step
	way     *way
	stream  int
	request *wire.Request
	prompt  int // tokens asked
	output  int
	err     error // it couldn't be built
}

// load builds request index of a step, ahead of its time: encoding a prompt
// of 128k tokens takes milliseconds.
func (r *runner) load(s *results.Step, w *way, index, stream int) *shot {
	p := r.maker.Make(*s, index, int(r.texts.Add(1)))
	sh := &shot{step: s, way: w, stream: stream, prompt: p.Tokens, output: p.OutputTokens}
	sh.request, sh.err = w.builder.build(p)
	return sh
}

// flight is a request on its way.
type flight struct {
	shot   *shot
	record results.Record
	answer *answer
	conn   wire.Conn
	call   *wire.Call
	sent   sent
	gaveUp bool // we didn't wait for its end
}

// release sends a shot: at once where a connection is ready, else wait dials.
// intended is when the schedule wanted it sent, 0 for a closed loop.
func (r *runner) release(sh *shot, phase string, intended int64, onToken func(ns int64, n int)) *flight {
	f := &flight{shot: sh, answer: &answer{onTok: onToken}}
	f.record = results.Record{
		Seq: int(r.seq.Add(1)) - 1, Step: sh.step.Index, Phase: phase, Stream: sh.stream, Arm: sh.step.Arm,
		TIntended: micro(intended), TStart: micro(r.clock.Now()),
		PromptAsked: sh.prompt, OutputAsked: sh.output, TemplateTokens: r.template,
	}
	r.live.inFlight.Add(1)
	r.live.sent.Add(1)
	if sh.err == nil {
		if f.conn = sh.way.pool.TryGet(); f.conn != nil {
			f.call = f.conn.Start(sh.request, f.answer.data)
		}
	}
	return f
}

// await waits for the end of a flight, whichever it is, and gives its connection
// back. ctx ends where the request is to be given up.
func (r *runner) await(ctx context.Context, f *flight) {
	if f.shot.err != nil {
		f.record.TEnd = micro(r.clock.Now())
	} else {
		f.sent = f.shot.way.await(ctx, f.conn, f.call, f.shot.request, f.answer)
		if f.sent.resp.TEnd == 0 {
			f.sent.resp.TEnd = r.clock.Now()
		}
		f.gaveUp = ctx.Err() != nil
	}
	r.live.inFlight.Add(-1)
}

// good says of a flight that has ended whether its answer is a good and whole
// one, before anything of its record is made.
func (f *flight) good() bool {
	return f.shot.err == nil && f.answer.good(f.sent.err)
}

// keep makes and writes the record of a flight that has ended.
func (r *runner) keep(f *flight) *results.Record {
	rec := &f.record
	if f.shot.err != nil {
		rec.Outcome, rec.ErrorClass, rec.ErrorText = results.OutcomeFailed, results.ErrorClient, f.shot.err.Error()
	} else {
		f.answer.fill(rec, f.sent.resp, f.sent.err, f.gaveUp)
		rec.Reused, rec.ConnectUs = f.sent.reused, f.sent.connectUs
	}
	if rec.TIntended == 0 {
		if rec.TIntended = rec.TSend; rec.TIntended == 0 {
			rec.TIntended = rec.TStart
		}
	}
	if rec.Outcome == results.OutcomeCompleted {
		r.typicalNs.Store((rec.TEnd - rec.TSend) * 1000)
	}
	r.live.ended(rec)
	r.records.Append(*rec)
	return rec
}

// drop writes the record of an arrival that the cap kept from being sent.
func (r *runner) drop(s *results.Step, phase string, intended int64, sh *shot) {
	rec := results.Record{
		Seq: int(r.seq.Add(1)) - 1, Step: s.Index, Phase: phase, Arm: s.Arm, Outcome: results.OutcomeDropped,
		TIntended: micro(intended), TStart: micro(r.clock.Now()), PromptAsked: sh.prompt, OutputAsked: sh.output,
	}
	r.live.ended(&rec)
	r.records.Append(rec)
}

// sleep waits for d or until the context ends, and says whether it lasted.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
