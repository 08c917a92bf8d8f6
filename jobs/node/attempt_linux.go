package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"hpcbench/jobs"
	"hpcbench/load"
	"hpcbench/results"
)

// attempt is one try at a repeat, with its folder and its file.
type attempt struct {
	dir  results.AttemptDir
	file *load.AttemptFile // shared with the load
	plan results.Plan
	say  func(string, ...any)
}

// fileMode leaves it to the umask whether the project's group may read.
const fileMode = 0o640

// begin claims the next attempt's folder and writes down who and where.
func (r *runner) begin(ctx context.Context, index int) (*attempt, error) {
	digest, err := r.spec.Digest()
	if err != nil {
		return nil, err
	}
	number, dir, err := claim(r.Run, index)
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	first := results.Attempt{
		Run: r.spec.Name, Repeat: index, Attempt: number, Simulated: r.spec.Simulated,
		State: results.StateStarting, StartedAt: now, EpochAt: now, SpecDigest: digest, ToolVersion: r.ToolVersion,
		Node: nodeFacts(ctx, r.spec.Site, r.spec.Server.Runtime, r.spec.Job.GPUs/max(r.spec.Job.Nodes, 1)), Slurm: slurmFacts(),
		Server: results.ServerFacts{Engine: r.spec.Server.Engine},
	}
	// Digests that can't be made are left out: they are provenance, not the measurement.
	first.ScriptDigest, _ = jobs.Digest(r.Run.Script())
	if program, err := os.Executable(); err == nil {
		first.BinaryDigest, _ = jobs.Digest(program)
	}
	file, err := load.NewAttemptFile(dir, fileMode, first)
	if err != nil {
		return nil, err
	}
	r.say("repeat %d, attempt %d on %s, in %s", index, number, first.Node.Hostname, dir)
	return &attempt{dir: dir, file: file, plan: r.spec.Plan, say: r.say}, nil
}

// claim makes the folder of the next attempt; mkdir is the lock.
func claim(run results.RunDir, index int) (int, results.AttemptDir, error) {
	if err := os.MkdirAll(run.Repeat(index), 0o750); err != nil {
		return 0, "", fmt.Errorf("make the folder of repeat %d: %w", index, err)
	}
	taken, err := run.Attempts(index)
	if err != nil {
		return 0, "", err
	}
	next := 0
	if len(taken) > 0 {
		next = taken[len(taken)-1] + 1
	}
	for ; ; next++ {
		dir := run.Attempt(index, next)
		err := os.Mkdir(string(dir), 0o750) // the script's umask decides about the group
		if err == nil {
			return next, dir, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return 0, "", fmt.Errorf("make the folder of repeat %d, attempt %d: %w", index, next, err)
		}
	}
}

func slurmFacts() *results.SlurmFacts {
	job := os.Getenv("SLURM_JOB_ID")
	if job == "" {
		return nil
	}
	restarts, _ := strconv.Atoi(os.Getenv("SLURM_RESTART_COUNT")) // absent on the first run
	return &results.SlurmFacts{
		JobID: job, ArrayJobID: os.Getenv("SLURM_ARRAY_JOB_ID"), ArrayTaskID: os.Getenv("SLURM_ARRAY_TASK_ID"),
		RestartCount: restarts, JobName: os.Getenv("SLURM_JOB_NAME"), Account: os.Getenv("SLURM_JOB_ACCOUNT"),
		Partition: os.Getenv("SLURM_JOB_PARTITION"), NodeList: os.Getenv("SLURM_JOB_NODELIST"),
	}
}

// progress says what is being done before the load begins; not being able to say so stops nothing.
func (a *attempt) progress(phase string) {
	now := a.file.Get()
	p := results.Progress{Format: results.FormatProgress, Repeat: now.Repeat, Attempt: now.Attempt, UpdatedAt: time.Now().UTC(), Phase: phase}
	if err := results.WriteJSON(a.dir.Progress(), p, fileMode); err != nil {
		a.say("progress: %v", err)
	}
}

// end writes down how the attempt ended. The state follows from err; one that the
// measurement has set is kept where it is complete: a server that then stops badly
// doesn't undo it.
func (a *attempt) end(err error) error {
	var state string
	written := a.file.Update(func(f *results.Attempt) {
		f.EndedAt = time.Now().UTC()
		var classified *failure
		switch {
		case errors.As(err, &classified):
			f.State, f.Failure = results.StateFailed, classified.facts
		case errors.Is(err, ErrInterrupted):
			f.State = results.StateInterrupted
			f.Failure = &results.Failure{Class: "signal", Words: err.Error()}
		case err != nil && f.State != results.StateComplete:
			f.State = results.StateFailed
			f.Failure = &results.Failure{Class: "client", Words: err.Error()}
		}
		state = f.State
	})
	a.say("%s: %s", a.dir, state)
	return errors.Join(err, written, a.summariseAgain())
}

// summariseAgain makes a summary that the load wrote fit the state that was decided
// after it, so that collect gets the same bytes from the files.
func (a *attempt) summariseAgain() error {
	have, err := results.ReadJSON[results.Summary](a.dir.Summary(), results.FormatSummary)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing was loaded
	}
	now := a.file.Get()
	if err == nil && have.State == now.State {
		return nil
	}
	_, err = load.Summarise(a.dir, now, a.plan, fileMode)
	return err
}

// failure is a classified cause as an error.
type failure struct{ facts *results.Failure }

func (f *failure) Error() string {
	text := f.facts.Words
	if f.facts.Line != "" {
		text += " (" + f.facts.Line + ")"
	}
	if f.facts.Remedy != "" {
		text += "; " + f.facts.Remedy
	}
	return text
}

func (f *failure) Unwrap() error { return ErrServer }
