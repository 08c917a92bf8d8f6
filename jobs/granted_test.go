package jobs

import (
	"testing"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

func TestGranted(t *testing.T) {
	asked := results.JobSpec{Account: "OPEN-30-15", Partition: "qgpu"}
	for name, c := range map[string]struct {
		held slurm.Job
		want string
	}{
		"as asked":        {slurm.Job{Account: "open-30-15", Partition: "qgpu", TimeLimit: time.Hour}, ""},
		"another account": {slurm.Job{Account: "dd-24-88", Partition: "qgpu", TimeLimit: time.Hour}, "account dd-24-88 instead of OPEN-30-15"},
		"a plugin's mind": {slurm.Job{Account: "open-30-15", Partition: "qgpu_exp", TimeLimit: 30 * time.Minute},
			"partition qgpu_exp instead of qgpu, time limit 30m0s instead of 1h0m0s"},
	} {
		if got := granted(c.held, asked, time.Hour); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
