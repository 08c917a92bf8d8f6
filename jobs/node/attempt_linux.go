package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"hpcbench/jobs"
	"hpcbench/results"
)

// attempt is one try at a repeat, with its folder and its file.
type attempt struct {
	dir  results.AttemptDir
	file results.Attempt
	say  func(string, ...any)
}

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
	a := &attempt{dir: dir, say: r.say}
	a.file = results.Attempt{
		Format: results.FormatAttempt, RecordsFormat: results.FormatRecords, TelemetryFormat: results.FormatTelemetry,
		Run: r.spec.Name, Repeat: index, Attempt: number, Simulated: r.spec.Simulated,
		State: results.StateStarting, StartedAt: now, EpochAt: now, SpecDigest: digest, ToolVersion: r.ToolVersion,
		Node: nodeFacts(ctx, r.spec.Site, r.spec.Server.Runtime), Slurm: slurmFacts(),
	}
	a.file.Server.Engine = r.spec.Server.Engine
	// Digests that can't be made are left out: they are provenance, not the measurement.
	a.file.ScriptDigest, _ = jobs.Digest(r.Run.Script())
	if program, err := os.Executable(); err == nil {
		a.file.BinaryDigest, _ = jobs.Digest(program)
	}
	r.say("repeat %d, attempt %d on %s, in %s", index, number, a.file.Node.Hostname, dir)
	return a, a.write()
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

func (a *attempt) write() error {
	return results.WriteJSON(a.dir.Attempt(), a.file, 0o640)
}

// progress says what is being done before the load begins; not being able to say so stops nothing.
func (a *attempt) progress(phase string) {
	p := results.Progress{Format: results.FormatProgress, Repeat: a.file.Repeat, Attempt: a.file.Attempt, UpdatedAt: time.Now().UTC(), Phase: phase}
	if err := results.WriteJSON(a.dir.Progress(), p, 0o640); err != nil {
		a.say("progress: %v", err)
	}
}

// end writes down how the attempt ended. The state follows from err; a state that
// was set already (by the measurement) is kept.
func (a *attempt) end(err error) error {
	a.file.EndedAt = time.Now().UTC()
	var f *failure
	switch {
	case errors.As(err, &f):
		a.file.State, a.file.Failure = results.StateFailed, f.facts
	case errors.Is(err, ErrInterrupted):
		a.file.State = results.StateInterrupted
		if a.file.Failure == nil {
			a.file.Failure = &results.Failure{Class: "signal", Words: err.Error()}
		}
	case err != nil && a.file.State != results.StateComplete:
		a.file.State = results.StateFailed
		a.file.Failure = &results.Failure{Class: "client", Words: err.Error()}
	}
	a.say("repeat %d, attempt %d: %s", a.file.Repeat, a.file.Attempt, a.file.State)
	return errors.Join(err, a.write())
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
