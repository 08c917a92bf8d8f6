package slurm

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTestOnly(t *testing.T) {
	c, f := answering(map[string][]answer{"sbatch": {{stderr: captured(t, "sbatch-test-only.txt")},
		{code: 1, stderr: "allocation failure: Invalid account or account/partition combination specified"}}})
	got, err := c.TestOnly(context.Background(), SubmitRequest{Script: "s.sh", Partition: "qgpu"})
	want := Forecast{Start: time.Date(2026, 12, 2, 4, 26, 51, 0, time.UTC), Processors: 32, NodeList: "acn02", Partition: "qgpu",
		Text: "Job 5 to start at 2026-12-02T04:26:51 using 32 processors on nodes acn02 in partition qgpu"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if !slices.Equal(f.calls[0].Args, []string{"--test-only", "--partition=qgpu", "s.sh"}) {
		t.Errorf("arguments %q", f.calls[0].Args)
	}
	if _, err := c.TestOnly(context.Background(), SubmitRequest{Script: "s.sh"}); err == nil || !strings.Contains(err.Error(), "Invalid account") {
		t.Errorf("a refusal gives %v", err)
	}
	for _, bad := range []string{"", "sbatch: nothing to say", "sbatch: Job 5 to start at soon using 32 processors on nodes acn02"} {
		if got, err := parseForecast(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}
