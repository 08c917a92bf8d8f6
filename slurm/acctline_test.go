package slurm

import (
	"testing"
	"time"
)

func TestLineOfARecord(t *testing.T) {
	at := time.Date(2026, 3, 19, 9, 0, 0, 0, time.FixedZone("CET", 3600))
	r := AcctRow{
		ID: JobID{Job: 41, Array: true, Task: 2}, RawID: 43, Name: "hb-run-1", Account: "open-30-15", Partition: "qgpu", State: StateTimeout,
		Exit: Exit{Code: 0, Signal: 15}, Submit: at, Start: at.Add(time.Minute), End: at.Add(time.Hour), Elapsed: 59 * time.Minute,
		NodeList: "acn01", AllocTRES: TRES{"node": "1", "gres/gpu": "4", "cpu": "64"},
	}
	want := "JobID=41_2 JobName=hb-run-1 Account=open-30-15 Partition=qgpu State=TIMEOUT ExitCode=0:15 " +
		"Submit=2026-03-19T08:00:00Z Start=2026-03-19T08:01:00Z End=2026-03-19T09:00:00Z ElapsedRaw=3540 NodeList=acn01 AllocTRES=cpu=64,gres/gpu=4,node=1"
	if got := r.Line(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (AcctRow{ID: JobID{Job: 7}, State: StatePending}).Line(); got != "JobID=7 State=PENDING ExitCode=0:0 ElapsedRaw=0" {
		t.Error(got)
	}
}
