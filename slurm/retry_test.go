package slurm

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestQuestionsAreAskedAgainWhileNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := answer{code: 1, stderr: "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"}
		f := &fake{answers: map[string][]answer{"squeue": {down, down, {stdout: queueLine("7", "7", "n", "RUNNING", "None")}}}}
		c := New(Options{Run: f.run, Environ: []string{}})
		if got, err := c.Queue(context.Background(), JobID{Job: 7}); err != nil || len(got) != 1 || f.count("squeue") != 3 {
			t.Errorf("got %v, %v after %d calls", got, err, f.count("squeue"))
		}

		f = &fake{answers: map[string][]answer{"squeue": {down}}}
		c = New(Options{Run: f.run, Environ: []string{}, RetryFor: 20 * time.Second})
		begin := time.Now()
		_, err := c.Queue(context.Background(), JobID{Job: 7})
		if !errors.Is(err, ErrUnreachable) || time.Since(begin) > 30*time.Second || f.count("squeue") < 3 {
			t.Errorf("got %v after %v and %d calls", err, time.Since(begin), f.count("squeue"))
		}

		f = &fake{answers: map[string][]answer{"squeue": {{code: 1, stderr: "squeue: error: Unrecognized option"}}}}
		c = New(Options{Run: f.run, Environ: []string{}})
		if _, err := c.Queue(context.Background(), JobID{Job: 7}); err == nil || f.count("squeue") != 1 {
			t.Errorf("a refusal was asked again: %v after %d calls", err, f.count("squeue"))
		}
	})
}
