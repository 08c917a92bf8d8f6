package slurm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestFindByName(t *testing.T) {
	ctx, since := context.Background(), time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	inQueue := answer{stdout: queueLine("12_1", "12", "hb-1", "PENDING", "Priority") + queueLine("12_2", "13", "hb-1", "PENDING", "Priority") + queueLine("9", "9", "hb-10", "PENDING", "Priority")}
	inPast := answer{stdout: acctLine("30", "30", "COMPLETED", "2026-12-01T10:02:00", "2026-12-01T10:02:00", "2026-12-01T10:03:00")}
	down := answer{code: 1, stderr: "sacct: error: Problem talking to the database: Connection refused"}
	for name, tc := range map[string]struct {
		queue, past answer
		want        []JobID
		err         error
	}{
		"in the queue":                      {inQueue, down, []JobID{{Job: 12}}, nil},
		"ended already":                     {answer{}, inPast, []JobID{{Job: 30}}, nil},
		"nowhere":                           {answer{}, answer{}, []JobID{}, nil},
		"not queued and database down":      {answer{}, down, nil, ErrUnreachable},
		"not queued and no accounting kept": {answer{}, answer{code: 1, stderr: "Slurm accounting storage is disabled"}, []JobID{}, nil},
		"controller down":                   {answer{code: 1, stderr: "Unable to contact slurm controller (connect failure)"}, inPast, nil, ErrUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := answering(map[string][]answer{"squeue": {tc.queue}, "sacct": {tc.past}})
			got, err := c.FindByName(ctx, "hb-1", since)
			if !errors.Is(err, tc.err) || !slices.Equal(got, tc.want) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
