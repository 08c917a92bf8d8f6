package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hpcbench/results"
)

// Repeat runs the repeats that aren't complete yet, each in an attempt of its own.
func Repeat(ctx context.Context, o Options) error {
	if err := adopt(); err != nil {
		return err
	}
	if err := endWithParent(); err != nil {
		return err
	}
	spec, err := results.ReadJSON[results.Spec](o.Run.Spec(), results.FormatSpec)
	if err != nil {
		return fmt.Errorf("read the run: %w", err)
	}
	if err := checkArgv(o.Argv, spec); err != nil {
		return err
	}
	r := &runner{Options: o, spec: spec}
	if err := r.sweepOld(ctx); err != nil {
		return err
	}
	if err := r.makeDirs(); err != nil {
		return err
	}
	// Told to end, this is the job's last repeat, whatever its number.
	defer func() { r.removeJobDirs(ctx.Err() != nil) }()
	todo, err := r.todo()
	if err != nil {
		return err
	}
	if spec.Grouping.Mode == results.ModeReuse {
		return r.onOneServer(ctx, todo)
	}
	var errs []error
	for _, index := range todo {
		if ctx.Err() != nil {
			errs = append(errs, fmt.Errorf("repeat %d was not started: %w", index, ErrInterrupted))
			break
		}
		if err := r.fresh(ctx, index); err != nil {
			errs = append(errs, fmt.Errorf("repeat %d: %w", index, err))
		}
	}
	return errors.Join(errs...)
}

func checkArgv(argv []string, spec results.Spec) error {
	if len(argv) == 0 {
		return errors.New("no server command after --: it stands in the run's script.sh")
	}
	text := strings.Join(argv, "\x00")
	if !strings.Contains(text, "{nonce}") {
		return errors.New("the server command has no {nonce} in its served model name: without it nobody can tell our server from another on the same port")
	}
	if !strings.Contains(text, "{port}") && !strings.Contains(text, "{socket}") {
		return errors.New("the server command has neither {port} nor {socket}")
	}
	return nil
}

type runner struct {
	Options
	spec results.Spec
}

func (r *runner) say(format string, args ...any) {
	fmt.Fprintf(r.Log, "hpcbench %s %s\n", time.Now().UTC().Format("15:04:05"), fmt.Sprintf(format, args...))
}

// mark is what the processes of this job's servers carry in their environment.
// It names the folder and not only the run: two runs folders may each have a run of this
// name with a local job of this number.
func (r *runner) mark() string {
	return string(r.Run) + "/" + os.Getenv("SLURM_JOB_ID")
}

// Sweep ends what a killed repeat of this job left: its server, which nobody is the
// parent of any more, and after the job's last repeat its caches.
func Sweep(ctx context.Context, o Options) error {
	spec, err := results.ReadJSON[results.Spec](o.Run.Spec(), results.FormatSpec)
	if err != nil {
		return fmt.Errorf("read the run: %w", err)
	}
	r := &runner{Options: o, spec: spec}
	err = r.sweepOld(ctx)
	r.removeJobDirs(false)
	return err
}

// sweepOld ends the server of a repeat of this job that was killed: it would hold the GPUs.
func (r *runner) sweepOld(ctx context.Context) error {
	swept, err := sweep(r.mark(), 30*time.Second)
	if swept != "" {
		r.say("ended what a killed repeat left: %s", swept)
	}
	return errors.Join(err, r.endSteps(ctx))
}

// todo leaves out the repeats that are complete: a rerun of the job keeps them. One of
// which nothing can be used is run again.
func (r *runner) todo() ([]int, error) {
	var todo []int
	for _, index := range r.Repeats {
		if index < 1 || index > r.spec.Repeats {
			return nil, fmt.Errorf("repeat %d: the run has repeats 1 to %d", index, r.spec.Repeats)
		}
		attempts, err := r.Run.Attempts(index)
		if err != nil {
			return nil, err
		}
		done := slices.ContainsFunc(attempts, func(n int) bool {
			a, err := results.ReadJSON[results.Attempt](r.Run.Attempt(index, n).Attempt(), results.FormatAttempt)
			return err == nil && a.State == results.StateComplete && a.Invalid == ""
		})
		if done {
			r.say("repeat %d is complete already and is kept", index)
			continue
		}
		todo = append(todo, index)
	}
	return todo, nil
}

// makeDirs makes the caches that the script's variables name.
func (r *runner) makeDirs() error {
	for _, name := range r.spec.Setup.MakeDirs {
		dir := os.Getenv(name)
		if dir == "" {
			continue // the script was edited
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the cache folder of %s: %w", name, err)
		}
	}
	return nil
}

// removeJobDirs takes away the caches that belong to this job alone, after the
// job's last repeat. Only folders with the job's own id in their path are touched.
func (r *runner) removeJobDirs(last bool) {
	job := os.Getenv("SLURM_JOB_ID")
	if job == "" || !last && !r.lastOfJob() {
		return
	}
	for _, name := range r.spec.Setup.JobDirs {
		dir := os.Getenv(name)
		for top := filepath.Clean(dir); filepath.IsAbs(top) && top != "/"; top = filepath.Dir(top) {
			if base := filepath.Base(top); base == job || strings.Contains(base, "-"+job+"-") {
				if err := os.RemoveAll(top); err != nil {
					r.say("could not remove the cache %s: %v", top, err)
				}
				break
			}
		}
	}
}

func (r *runner) lastOfJob() bool {
	if len(r.Repeats) == 0 {
		return true
	}
	last := slices.Max(r.Repeats)
	for _, job := range r.spec.Grouping.Jobs {
		if slices.Contains(job, last) && last != slices.Max(job) {
			return false
		}
	}
	// Runs that take turns in this job: the one whose last repeat comes last is the last. A cold cache in the last
	// turn would weigh on one of them alone.
	for _, beside := range r.besides() {
		if attempts, err := beside.Attempts(last); err != nil || len(attempts) == 0 {
			return false
		}
	}
	return true
}

// fresh runs one repeat with a server of its own.
func (r *runner) fresh(ctx context.Context, index int) error {
	a, err := r.begin(ctx, index)
	if err != nil {
		return err
	}
	s, err := r.start(ctx, a)
	if err != nil {
		return a.end(err)
	}
	err = r.measure(ctx, a, s)
	stopped := r.stop(ctx, a, s)
	return a.end(errors.Join(err, stopped))
}

// onOneServer runs all repeats against one server.
func (r *runner) onOneServer(ctx context.Context, todo []int) error {
	var s *running
	var errs []error
	var last *attempt
	for _, index := range todo {
		a, err := r.begin(ctx, index)
		if err != nil {
			errs = append(errs, err)
			break
		}
		if s == nil {
			if s, err = r.start(ctx, a); err != nil {
				errs = append(errs, fmt.Errorf("repeat %d: %w", index, a.end(err)))
				break
			}
		} else {
			server := last.file.Get().Server // one server for all
			if err := a.file.Update(func(f *results.Attempt) { f.Server = server }); err != nil {
				errs = append(errs, err)
				break
			}
		}
		last = a
		if err := a.end(r.measure(ctx, a, s)); err != nil {
			errs = append(errs, fmt.Errorf("repeat %d: %w", index, err))
		}
		if ctx.Err() != nil || !s.process.alive() {
			break
		}
	}
	if s != nil {
		errs = append(errs, r.stop(ctx, last, s))
	}
	return errors.Join(errs...)
}
