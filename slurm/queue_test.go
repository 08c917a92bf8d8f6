package slurm

import (
	"context"
	"strings"
	"testing"
	"time"
)

func queueLine(id, raw, name, state, reason string) string {
	return line(id, raw, name, "me", "project_465000001", "small-g", "normal", state, "1-00:00:00", "0:30",
		"2026-12-01T10:00:00", "N/A", "N/A", "1", "", "(null)", "(null)", reason)
}

func TestQueueReadsElementsNamesAndReasons(t *testing.T) {
	c, f := answering(map[string][]answer{"squeue": {{stdout: queueLine("12_3", "14", "odd|name, with: all", "RUNNING", "None") +
		queueLine("12_4", "12", "n", "PENDING", "ReqNodeNotAvail, UnavailableNodes:acn03")}}})
	got, err := c.Queue(context.Background(), ids(t, "12_3", "12_4", "99")...)
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v", got, err)
	}
	if got[0].Name != "odd|name, with: all" || got[0].ID != (JobID{Job: 12, Array: true, Task: 3}) || got[0].RawID != 14 ||
		got[0].State != StateRunning || got[0].TimeLimit != 24*time.Hour || got[0].Elapsed != 30*time.Second || got[0].Reason != "" {
		t.Errorf("first row %+v", got[0])
	}
	if got[1].Reason != "ReqNodeNotAvail, UnavailableNodes:acn03" || !got[1].Start.IsZero() {
		t.Errorf("second row %+v", got[1])
	}
	if f.count("squeue") != 1 || !hasArg(f.calls[0], "--jobs=12,99") || !hasArg(f.calls[0], "--array") {
		t.Errorf("calls %v", f.calls)
	}
}

func TestQueueOfUnknownJobIsEmptyNotAnError(t *testing.T) {
	c, _ := answering(map[string][]answer{"squeue": {{code: 1, stderr: "slurm_load_jobs error: Invalid job id specified\n"}}})
	if got, err := c.Queue(context.Background(), JobID{Job: 999}); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestQueueOfNothingCallsNothing(t *testing.T) {
	c, f := answering(nil)
	if got, err := c.Queue(context.Background()); err != nil || got != nil || len(f.calls) != 0 {
		t.Errorf("got %v, %v, %v", got, err, f.calls)
	}
}

func TestQueueKeepsGoodRowsBesideABadOne(t *testing.T) {
	c, _ := answering(map[string][]answer{"squeue": {{stdout: "something else\n" + queueLine("7", "7", "n", "PENDING", "Priority")}}})
	got, err := c.Queue(context.Background(), JobID{Job: 7})
	if len(got) != 1 || err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("got %v, %v", got, err)
	}
}

func FuzzQueue(f *testing.F) {
	f.Add(queueLine("12_[4-5%2]", "12", "n", "PENDING", "(Priority)"))
	f.Add("\x1f\x1f")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseQueue(s)
		if err == nil && strings.TrimSpace(s) != "" && len(got) == 0 {
			t.Errorf("%q vanished without an error", s)
		}
	})
}
