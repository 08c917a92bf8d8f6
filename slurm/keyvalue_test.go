package slurm

import (
	"strings"
	"testing"
)

func FuzzScontrol(f *testing.F) {
	f.Add("JobId=1 JobName=a b=c UserId=x ArrayJobId=1 ArrayTaskId=1-5%2 TRES=cpu=1")
	f.Add("PartitionName=x MaxTime=1-00:00:00 MaxNodes=UNLIMITED")
	f.Add("ReservationName=x StartTime=2026-12-01T10:00:00")
	f.Fuzz(func(t *testing.T, s string) {
		if jobs, err := parseJobs(s); err == nil {
			for _, j := range jobs {
				if j.RawID == 0 && j.Fields["JobId"] != "0" && strings.Trim(j.Fields["JobId"], "0") != "" {
					t.Errorf("%q: a job without an id", s)
				}
			}
		}
		_, _ = parsePartitions(s)
		_, _ = parseReservations(s)
		_, _ = parseForecast(s)
		_ = parseConfig(s)
	})
}
