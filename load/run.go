package load

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"hpcbench/load/clock"
	"hpcbench/load/prompt"
	"hpcbench/load/record"
	"hpcbench/load/telemetry"
	"hpcbench/load/wire"
	"hpcbench/results"
	"hpcbench/results/summary"
)

// Run applies the plan and leaves records, telemetry and summary in the
// attempt's folder. When ctx ends it sends no more, gives open requests the
// grace, and summarises what there is; the error is then ErrInterrupted and the
// summary is good. Any other error says why the load could not be done; a
// server that answers badly is none: that is in the summary.
func Run(ctx context.Context, cfg Config) (results.Summary, error) {
	if err := cfg.check(); err != nil {
		return results.Summary{}, err
	}
	r, done, err := prepare(ctx, cfg)
	if err != nil && ctx.Err() != nil {
		return results.Summary{}, fmt.Errorf("%w before it began: %w", ErrInterrupted, err)
	}
	if err != nil {
		return results.Summary{}, err
	}
	abort, cancel := context.WithCancel(context.Background())
	defer cancel()
	if cfg.Abort != nil {
		go func() {
			select {
			case <-cfg.Abort:
				cancel()
			case <-abort.Done():
			}
		}()
	}
	stopReport := make(chan struct{})
	reported := make(chan struct{})
	go func() {
		defer close(reported)
		r.report(stopReport)
	}()
	runErr := r.run(ctx, abort)
	close(stopReport)
	<-reported
	return r.finish(ctx, runErr, done)
}

// prepare makes everything ready that must not happen in a window.
func prepare(ctx context.Context, cfg Config) (r *runner, done func(), err error) {
	if err := os.MkdirAll(string(cfg.Dir), 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the attempt's folder: %w", err)
	}
	var closers []func()
	closeAll := func() {
		for i := len(closers) - 1; i >= 0; i-- {
			closers[i]()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	r = &runner{cfg: cfg, plan: cfg.Plan, repeat: cfg.Attempt.Get().Repeat, live: newLive(), ways: map[string]*way{}}
	epoch := time.Now()
	r.clock = clock.New(epoch)
	r.state = &progress{since: epoch, p: results.Progress{Format: results.FormatProgress, Repeat: r.repeat,
		Attempt: cfg.Attempt.Get().Attempt, Phase: PhaseStarting}}

	// The self-test of the stamps is mostly waiting: the server is asked meanwhile.
	proven := make(chan proof, 1)
	go func() { proven <- prove(r.clock, cfg) }()
	server, simulated, err := r.askServer(ctx)
	if err != nil {
		p := <-proven
		p.close()
		return nil, nil, err
	}
	salt := newSalt()
	r.maker, err = prompt.New(ctx, prompt.Options{Plan: cfg.Plan, Repeat: r.repeat, Salt: salt, Endpoint: cfg.Endpoint, CacheDir: cfg.CacheDir})
	stamps := <-proven
	closers = append(closers, stamps.close)
	if err != nil {
		return nil, nil, err
	}
	if err := r.openWays(stamps.kernel); err != nil {
		return nil, nil, err
	}
	closers = append(closers, r.closeWays)
	c := r.maker.Calibration()
	r.template = c.TemplateTokens
	if c.Note != "" {
		cfg.Warn(c.Note)
	}
	err = cfg.Attempt.Update(func(a *results.Attempt) {
		a.State, a.EpochAt, a.Clock, a.Salt = results.StateRunning, epoch.UTC(), stamps.facts, salt
		a.Simulated = a.Simulated || simulated
		server(&a.Server)
		a.Server.TemplateTokens = c.FrontTokens
		if r.cfg.Facts.MaxModelLen == 0 {
			r.cfg.Facts.MaxModelLen = a.Server.MaxModelLen
		}
	})
	if err != nil {
		return nil, nil, err
	}
	say := func(err error) {
		if err != nil {
			cfg.Warn(fmt.Sprintf("measuring goes on in memory: %v", err))
		} else {
			cfg.Warn("the disk takes records again; nothing was lost")
		}
	}
	if r.records, err = record.Open[results.Record](cfg.Dir.Records(), cfg.Mode, say); err != nil {
		return nil, nil, err
	}
	if r.samples, err = record.Open[results.Sample](cfg.Dir.Telemetry(), cfg.Mode, say); err != nil {
		return nil, nil, errors.Join(err, r.records.Close())
	}
	return r, closeAll, nil
}

// proof is which clock stamps and why.
type proof struct {
	facts  results.ClockFacts
	kernel bool
	close  func()
}

// prove tests the kernel's stamps where they can be had.
func prove(c *clock.Clock, cfg Config) proof {
	if cfg.Endpoint.Socket != "" {
		return proof{results.ClockFacts{Kind: results.ClockProcess, Reason: "a Unix socket has no receive stamps"}, false, func() {}}
	}
	p := clock.Prove(c)
	return proof{results.ClockFacts{Kind: p.Kind.String(), Reason: p.Reason}, p.Kind == clock.Kernel, p.Close}
}

func (r *runner) openWays(kernel bool) error {
	direct, err := newWay(r.cfg.Endpoint, r.plan, r.clock, kernel)
	if err != nil {
		return err
	}
	r.ways[""] = direct
	if r.cfg.Gateway == nil {
		return nil
	}
	gateway, err := newWay(*r.cfg.Gateway, r.plan, r.clock, kernel)
	if err != nil {
		direct.close()
		return err
	}
	r.ways[results.ArmGateway] = gateway
	return nil
}

func (r *runner) closeWays() {
	for _, w := range r.ways {
		w.close()
	}
}

// errLimit says that the plan's own limit of seconds ended it.
var errLimit = errors.New("the plan's limit of seconds was reached")

// run does the warm-up and the steps. The error is nil where all steps ran.
func (r *runner) run(ctx, abort context.Context) error {
	sampler := telemetry.Start(r.clock, r.cfg.Telemetry, func() int { return int(r.live.inFlight.Load()) }, r.sample)
	defer sampler.Stop()
	if r.plan.Limits != nil && r.plan.Limits.Seconds > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, seconds(r.plan.Limits.Seconds), errLimit)
		defer cancel()
	}
	next, known, freeze, err := r.steps()
	if err != nil {
		return err
	}
	if err := r.checkLimits(known); err != nil {
		return err
	}
	if err := r.setDigest(known); err != nil {
		return err
	}
	if !r.warmUp(ctx, abort, known) {
		return context.Cause(ctx)
	}
	var done []results.StepSummary
	var ran []results.Step
	for s, ok := next(done); ok; s, ok = next(done) {
		rest := []results.Step{s}
		if len(known) > len(ran) {
			rest = known[len(ran):]
		}
		r.state.enter(PhaseStep, s, len(known), expectedS(r.plan, rest))
		ran = append(ran, s)
		r.runStep(ctx, abort, s)
		if ctx.Err() != nil {
			break
		}
		sum := results.StepSummary{Step: s}
		if freeze {
			if sum, err = r.summarise(s); err != nil {
				return err
			}
		}
		done = append(done, sum)
		if s.NotRun == "" && !sleep(ctx, seconds(r.plan.CoolDownS)) {
			break
		}
	}
	cause := context.Cause(ctx)
	if cause != nil && !errors.Is(cause, errLimit) {
		return cause
	}
	if freeze {
		return errors.Join(cause, r.freeze(ran))
	}
	return cause
}

// warmUp is the load before the first step, over each way.
func (r *runner) warmUp(ctx, abort context.Context, known []results.Step) bool {
	if r.plan.Warmup.DurationS <= 0 {
		return ctx.Err() == nil
	}
	for _, arm := range slices.Sorted(maps.Keys(r.ways)) {
		s := results.Step{Index: -1, ID: "warmup", Loop: results.LoopClosed, Streams: max(1, r.plan.Warmup.Streams),
			DurationS: r.plan.Warmup.DurationS, Arm: arm}
		r.state.enter(PhaseWarmup, s, len(known), r.plan.Warmup.DurationS+expectedS(r.plan, known))
		r.runStep(ctx, abort, s)
	}
	return ctx.Err() == nil
}

// checkLimits makes sure that this process may hold the connections.
func (r *runner) checkLimits(known []results.Step) error {
	most := 1
	for _, s := range known {
		most = max(most, s.Streams, s.MaxInFlight)
	}
	if c := r.plan.Capacity; c != nil {
		most = max(most, c.MaxLevel)
	}
	return wire.CheckLimits(most)
}

// summarise makes the summary of a step that just ended, from the files.
func (r *runner) summarise(s results.Step) (results.StepSummary, error) {
	if err := errors.Join(r.records.Flush(), r.samples.Flush()); err != nil {
		return results.StepSummary{}, fmt.Errorf("read the records so far, which the next step is chosen from: %w", err)
	}
	in, err := readBack(r.cfg.Dir, r.cfg.Attempt.Get(), r.plan)
	if err != nil {
		return results.StepSummary{}, err
	}
	sum, ok := summary.Step(in, s.Index)
	if !ok {
		return sum, fmt.Errorf("step %s left no records", s.ID)
	}
	return sum, nil
}

// Summarise makes the summary of an attempt's folder from its files, writes it
// and gives it. Run does so at its end; whoever changes the attempt's state
// afterwards does it again, so that collect gets the same bytes.
func Summarise(dir results.AttemptDir, a results.Attempt, p results.Plan, mode os.FileMode) (results.Summary, error) {
	in, err := readBack(dir, a, p)
	if err != nil {
		return results.Summary{}, err
	}
	sum := summary.Compute(in)
	return sum, results.WriteJSON(dir.Summary(), sum, mode)
}

// readBack reads what the attempt has on disk.
func readBack(dir results.AttemptDir, a results.Attempt, p results.Plan) (summary.Input, error) {
	in := summary.Input{Attempt: a, Plan: p}
	var err error
	in.RecordLines, err = results.ReadLinesFile(dir.Records(), func(r results.Record) { in.Records = append(in.Records, r) })
	if err != nil {
		return in, err
	}
	in.SampleLines, err = results.ReadLinesFile(dir.Telemetry(), func(s results.Sample) { in.Samples = append(in.Samples, s) })
	return in, err
}

// setDigest names the schedule, as far as its steps are known.
func (r *runner) setDigest(steps []results.Step) error {
	if len(steps) == 0 {
		return nil
	}
	digest, err := digestOf(r.plan, r.repeat, steps, r.maker)
	if err != nil {
		return err
	}
	return r.cfg.Attempt.Update(func(a *results.Attempt) { a.ScheduleDigest = digest })
}

// finish closes the files, states how it ended, and writes the summary.
func (r *runner) finish(ctx context.Context, runErr error, done func()) (results.Summary, error) {
	done()
	closeErr := errors.Join(r.records.Close(), r.samples.Close())
	state, failure := results.StateComplete, (*results.Failure)(nil)
	var marks []results.Mark
	if errors.Is(runErr, errLimit) && ctx.Err() == nil {
		// That is how the plan wanted it to end.
		marks = append(marks, results.Mark{At: micro(r.clock.Now()), What: runErr.Error()})
		runErr = nil
	}
	switch {
	case ctx.Err() != nil:
		state, failure = results.StateInterrupted, &results.Failure{Class: "stopped", Words: fmt.Sprintf("interrupted: %v", context.Cause(ctx))}
	case runErr != nil:
		state, failure = results.StateFailed, &results.Failure{Class: "load", Words: runErr.Error()}
	}
	if state == results.StateComplete {
		changed, words := r.askAgain()
		if words != "" {
			r.cfg.Warn(words)
			marks = append(marks, results.Mark{At: micro(r.clock.Now()), What: words})
		}
		if changed {
			state, failure = results.StateFailed, &results.Failure{Class: "server_changed", Words: words}
		}
	}
	if state == results.StateComplete && closeErr != nil {
		// What isn't on the disk can't be read by anybody: the disk was full to the end, or its folder is gone.
		state, failure = results.StateFailed, &results.Failure{Class: "disk", Words: closeErr.Error()}
	}
	end := func(a *results.Attempt) {
		a.State, a.Failure, a.Clock.StepUs = state, failure, r.clockStep.Load()
		a.Marks = append(slices.Clip(a.Marks), marks...)
	}
	// The summary comes first, so that an attempt that is complete says at once whether it can be used.
	ended := r.cfg.Attempt.Get()
	end(&ended)
	sum, err := Summarise(r.cfg.Dir, ended, r.plan, r.cfg.Mode)
	updateErr := r.cfg.Attempt.Update(func(a *results.Attempt) {
		end(a)
		if state == results.StateComplete {
			a.Invalid = sum.Unusable()
		}
	})
	r.state.enter(PhaseDone, results.Step{}, len(sum.Steps), 0)
	_ = results.WriteJSON(r.cfg.Dir.Progress(), r.state.now(r.live), r.cfg.Mode)
	if state == results.StateInterrupted {
		runErr = fmt.Errorf("%w: %s", ErrInterrupted, failure.Words)
	}
	return sum, errors.Join(runErr, closeErr, updateErr, err)
}
