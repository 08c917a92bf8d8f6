package slurm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSubmitPassesWhatIsSetAndNothingElse(t *testing.T) {
	c, f := answering(map[string][]answer{"sbatch": {{stdout: "4711;lumi\n"}}})
	id, err := c.Submit(context.Background(), SubmitRequest{
		Script: "/runs/a b/script.sh", Args: []string{"one"}, JobName: "hb-night-7f", Account: "project_465000001",
		Partition: "small-g", Time: 90 * time.Minute, Array: "1-5%2", ExtraArgs: []string{"--no-requeue"},
	})
	if err != nil || id != (JobID{Job: 4711}) {
		t.Fatalf("got %v, %v", id, err)
	}
	want := []string{"--parsable", "--job-name=hb-night-7f", "--account=project_465000001", "--partition=small-g",
		"--array=1-5%2", "--time=01:30:00", "--no-requeue", "/runs/a b/script.sh", "one"}
	if got := f.calls[0].Args; !slices.Equal(got, want) {
		t.Errorf("arguments\n got %q\nwant %q", got, want)
	}
}

func TestSubmitErrorsSayWhetherAJobMayExist(t *testing.T) {
	for name, tc := range map[string]struct {
		answer answer
		want   error // nil: a refusal
		words  string
	}{
		"refused":          {answer{code: 1, stderr: "sbatch: error: Batch job submission failed: Invalid partition name specified\n"}, nil, "Batch job submission failed: Invalid partition name specified"},
		"no such tool":     {answer{err: ErrNotInstalled}, ErrNotInstalled, ""},
		"controller down":  {answer{code: 1, stderr: "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)\n"}, ErrUnreachable, "connect failure"},
		"lost after send":  {answer{code: 1, stderr: "sbatch: error: Batch job submission failed: Unable to contact slurm controller (receive failure)\n"}, ErrLost, "receive failure"},
		"answer timed out": {answer{code: 1, stderr: "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation\n"}, ErrLost, "Socket timed out"},
		"killed":           {answer{err: errors.New("signal: killed")}, ErrLost, "killed"},
		"hung":             {answer{err: context.DeadlineExceeded}, ErrLost, ""},
		"no id":            {answer{stdout: "thank you\n"}, ErrLost, "thank you"},
		"bad dependency":   {answer{code: 1, stderr: "sbatch: error: Batch job submission failed: Job dependency problem\n"}, nil, "Job dependency problem"},
	} {
		t.Run(name, func(t *testing.T) {
			c, f := answering(map[string][]answer{"sbatch": {tc.answer}})
			_, err := c.Submit(context.Background(), SubmitRequest{Script: "s.sh"})
			if err == nil {
				t.Fatal("no error")
			}
			for _, sentinel := range []error{ErrLost, ErrUnreachable, ErrNotInstalled} {
				if errors.Is(err, sentinel) != (sentinel == tc.want) {
					t.Errorf("errors.Is(%v, %v) = %v", err, sentinel, sentinel != tc.want)
				}
			}
			if !strings.Contains(err.Error(), tc.words) {
				t.Errorf("error %q lacks %q", err, tc.words)
			}
			if f.count("sbatch") != 1 {
				t.Errorf("sbatch was called %d times", f.count("sbatch"))
			}
		})
	}
}

func TestSubmitIsNeverSentTwice(t *testing.T) {
	f := &fake{answers: map[string][]answer{"sbatch": {{code: 1, stderr: "Unable to contact slurm controller (connect failure)"}}}}
	c := New(Options{Run: f.run, Environ: []string{}}) // with retries for questions
	if _, err := c.Submit(context.Background(), SubmitRequest{Script: "s.sh"}); !errors.Is(err, ErrUnreachable) {
		t.Fatalf("got %v", err)
	}
	if f.count("sbatch") != 1 {
		t.Errorf("sbatch was called %d times", f.count("sbatch"))
	}
}

func TestSubmitIsNotTornByCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := New(Options{Environ: []string{}, Run: func(inner context.Context, _ Command) (Result, error) {
		cancel()
		if inner.Err() != nil {
			return Result{}, inner.Err()
		}
		return Result{Stdout: "12\n"}, nil
	}})
	if id, err := c.Submit(ctx, SubmitRequest{Script: "s.sh"}); err != nil || id.Job != 12 {
		t.Errorf("got %v, %v", id, err)
	}
	if _, err := c.Submit(ctx, SubmitRequest{Script: "s.sh"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context still submits: %v", err)
	}
}

func TestSubmitRefusesWhatCannotBePassed(t *testing.T) {
	c, f := answering(nil)
	for _, r := range []SubmitRequest{{}, {Script: "s", JobName: "a b"}, {Script: "s", JobName: "a,b"}, {Script: "s", Account: "a\nb"}} {
		if _, err := c.Submit(context.Background(), r); err == nil {
			t.Errorf("%+v was accepted", r)
		}
	}
	if len(f.calls) != 0 {
		t.Errorf("something was called: %v", f.calls)
	}
}
