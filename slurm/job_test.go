package slurm

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestJob(t *testing.T) {
	c, f := answering(map[string][]answer{"scontrol": {{stdout: captured(t, "scontrol-job-array.txt")}}})
	jobs, err := c.Job(context.Background(), JobID{Job: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !hasArg(f.calls[0], "--oneliner") || !hasArg(f.calls[0], "1") {
		t.Errorf("call %v", f.calls[0])
	}
	var packed, running, never *Job
	for i := range jobs {
		switch j := &jobs[i]; {
		case j.ID.Tasks != "":
			packed = j
		case j.ID == JobID{Job: 1}.Element(1):
			running = j
		case j.ID == JobID{Job: 2}:
			never = j
		}
	}
	if packed == nil || running == nil || never == nil {
		t.Fatalf("jobs %+v", jobs)
	}
	if packed.ID.Tasks != "3-5%2" || packed.State != StatePending {
		t.Errorf("packed %+v", packed)
	}
	if running.RawID != 3 || running.Account != "open-00-00" || running.Partition != "qgpu" || running.TimeLimit != 24*time.Hour ||
		running.State != StateRunning || running.BatchHost != "acn01" || running.TRES.GPUs() != 1 || !running.Requeue || running.Name != "hb-cap" {
		t.Errorf("running %+v", running)
	}
	if never.Reason != "PartitionTimeLimit" || never.TimeLimit != 96*time.Hour {
		t.Errorf("never %+v", never)
	}
	c, _ = answering(map[string][]answer{"scontrol": {{code: 1, stderr: "slurm_load_jobs error: Invalid job id specified"}}})
	if _, err := c.Job(context.Background(), JobID{Job: 9}); !errors.Is(err, ErrNoJob) {
		t.Errorf("unknown job: %v", err)
	}
}
