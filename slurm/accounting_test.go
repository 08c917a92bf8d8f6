package slurm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func acctLine(id, raw, state, submit, start, end string) string {
	return line(id, raw, "hb-1", "me", "eu-26-1", "qgpu", "normal", state, "0:9", "1:0", submit, start, end, "61", "1440",
		"acn01", "billing=16,cpu=16,gres/gpu=1,gres/gpu:a100=1,mem=120G,node=1", "cpu=16", "123456K", "None")
}

func TestAccountingNumbersTheRunsOfARequeuedJob(t *testing.T) {
	c, f := answering(map[string][]answer{"sacct": {{stdout: acctLine("12_1", "12", "PENDING", "2026-12-01T10:02:00", "Unknown", "Unknown") +
		acctLine("12_1", "12", "NODE_FAIL", "2026-12-01T10:00:00", "2026-12-01T10:00:01", "2026-12-01T10:01:02") +
		acctLine("12_2", "13", "CANCELLED by 1000", "2026-12-01T10:00:00", "2026-12-01T10:00:01", "2026-12-01T10:01:02") +
		acctLine("12_2.batch", "13.batch", "CANCELLED", "2026-12-01T10:00:01", "2026-12-01T10:00:01", "2026-12-01T10:01:02")}}})
	got, err := c.Accounting(context.Background(), ids(t, "12_1", "12_2")...)
	if err != nil || len(got) != 4 {
		t.Fatalf("got %v, %v", got, err)
	}
	if !hasArg(f.calls[0], "--duplicates") || !hasArg(f.calls[0], "--jobs=12") {
		t.Errorf("call %v", f.calls[0])
	}
	first, second, batch, again := got[0], got[1], got[2], got[3]
	if first.State != StateNodeFail || first.Restarts != 0 || first.Latest || again.State != StatePending || again.Restarts != 1 || !again.Latest {
		t.Errorf("first %+v\nagain %+v", first, again)
	}
	if second.CancelledBy != "1000" || second.State != StateCancelled || second.Exit.Signal != 9 || second.DerivedExit.Code != 1 ||
		second.Elapsed != 61*time.Second || second.TimeLimit != 24*time.Hour || second.AllocTRES.GPUs() != 1 || second.RawID != 13 {
		t.Errorf("second %+v", second)
	}
	if batch.ID.StepRef != "batch" || batch.MaxRSSBytes != 123456<<10 {
		t.Errorf("batch step %+v", batch)
	}
	if !again.Start.IsZero() || !again.End.IsZero() {
		t.Errorf("a job that never started has instants: %+v", again)
	}
}

func TestAccountingErrors(t *testing.T) {
	for words, want := range map[string]error{
		"sacct: error: Problem talking to the database: Connection refused":                                            ErrUnreachable,
		"sacct: error: slurm_persist_conn_open_without_init: failed to open persistent connection to host:localhost:1": ErrUnreachable,
		"Slurm accounting storage is disabled":                                                                         ErrNoAccounting,
	} {
		c, _ := answering(map[string][]answer{"sacct": {{code: 1, stderr: words}}})
		if _, err := c.Accounting(context.Background(), JobID{Job: 1}); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", words, err, want)
		}
	}
}

func FuzzAccounting(f *testing.F) {
	f.Add(acctLine("12_1.batch", "12.batch", "CANCELLED by 1", "2026-12-01T10:02:00", "Unknown", "None"))
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseAccounting(s)
		if err == nil && strings.TrimSpace(s) != "" && len(got) == 0 {
			t.Errorf("%q vanished without an error", s)
		}
	})
}
