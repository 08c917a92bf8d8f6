package slurm

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestCancelNamesExactIdsOnly(t *testing.T) {
	c, f := answering(map[string][]answer{"scancel": {{}}})
	if err := c.Cancel(context.Background(), ids(t, "12_3", "40")...); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.calls[0].Args, []string{"12_3", "40"}) {
		t.Errorf("arguments %q", f.calls[0].Args)
	}
	if err := c.Cancel(context.Background()); err != nil || len(f.calls) != 1 {
		t.Errorf("cancelling nothing: %v, %d calls", err, len(f.calls))
	}
	if err := c.Cancel(context.Background(), JobID{}); err == nil || len(f.calls) != 1 {
		t.Errorf("cancelling no job at all: %v, %d calls", err, len(f.calls))
	}
}

func TestCancelOfWhatHasEndedIsFine(t *testing.T) {
	for stderr, fine := range map[string]bool{
		"scancel: error: Kill job error on job id 7: Invalid job id specified\n":                                true,
		"scancel: error: Kill job error on job id 7: Job/step already completing or completed\n":                true,
		"scancel: error: Kill job error on job id 7: Access/permission denied\n":                                false,
		"scancel: error: Kill job error on job id 7: Invalid job id specified\nscancel: error: Access denied\n": false,
	} {
		c, _ := answering(map[string][]answer{"scancel": {{code: 1, stderr: stderr}}})
		if err := c.Cancel(context.Background(), JobID{Job: 7}); (err == nil) != fine {
			t.Errorf("%q: %v", stderr, err)
		}
	}
}

func TestSignal(t *testing.T) {
	c, f := answering(map[string][]answer{"scancel": {{}}})
	if err := c.Signal(context.Background(), "TERM", SignalBatch, JobID{Job: 7}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.calls[0].Args, " "); got != "--signal=TERM --batch 7" {
		t.Errorf("arguments %q", got)
	}
	if err := c.Signal(context.Background(), "TERM x", SignalBatch, JobID{Job: 7}); err == nil {
		t.Error("a signal with a space was accepted")
	}
}
