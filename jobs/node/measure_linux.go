package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hpcbench/engine"
	"hpcbench/engine/vllm"
	"hpcbench/load"
	"hpcbench/results"
)

// errServerGone is why the load was stopped when the server ended under it.
var errServerGone = errors.New("the server ended while it was loaded")

// measure runs the load against a ready server. A server that ends meanwhile
// stops it: requests to nobody aren't worth a GPU's hour.
func (r *runner) measure(ctx context.Context, a *attempt, s *running) error {
	if err := a.file.Update(func(f *results.Attempt) { f.State = results.StateRunning }); err != nil {
		return err
	}
	loading, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.process.done:
			// What is in flight sees it first; a moment later the rest needn't be tried.
			time.Sleep(2 * time.Second)
			cancel(errServerGone)
		case <-loading.Done():
		}
	}()
	mark := logMark(a.dir.ServerLog())
	config, err := r.loadConfig(a, s)
	if err != nil {
		return err
	}
	summary, err := load.Run(loading, config)
	switch {
	case ctx.Err() != nil && !s.process.alive():
		// Where a job's end signals the whole tree, the server goes first: that is no failure of its own.
		return fmt.Errorf("%w%s, and the server with it (%s): what was measured until then is saved", ErrInterrupted, r.beforeTheEnd(), s.process.how)
	case !s.process.alive():
		cause := vllm.Classify(tail(a.dir.ServerLog(), mark)).Failure()
		if cause.Class == engine.ClassUnknown {
			cause.Words = errServerGone.Error() + ": " + s.process.how
			if cause.Line == "" {
				cause.Line = lastLine(tail(a.dir.ServerLog(), mark))
			}
		}
		return &failure{cause}
	case ctx.Err() != nil:
		return fmt.Errorf("%w%s: what was measured until then is saved", ErrInterrupted, r.beforeTheEnd())
	case err != nil:
		return err
	}
	if words := summary.Unusable(); words != "" {
		return fmt.Errorf("%w: %s", ErrInvalid, words)
	}
	return nil
}

// stop ends the server and waits until its memory is free for the next one.
func (r *runner) stop(ctx context.Context, a *attempt, s *running) error {
	a.progress("stopping")
	how, err := s.process.stop(r.grace())
	s.removeSocket()
	err = errors.Join(err, r.endSteps(ctx))
	err = errors.Join(err, a.file.Update(func(f *results.Attempt) { f.Server.ExitWords = how }))
	r.say("server stopped: %s", how)
	if held := awaitMemory(ctx, r.spec.Site.GPUVendor, s.free, 2*time.Minute); held != "" {
		r.say("GPU memory is still held: %s", held)
	}
	a.progress("done")
	return err
}
