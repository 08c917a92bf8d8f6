package slurm

import (
	"context"
	"testing"
	"time"
)

func TestConfig(t *testing.T) {
	c, _ := answering(map[string][]answer{"scontrol": {{stdout: captured(t, "scontrol-config.txt")}}})
	conf, err := c.Config(context.Background())
	if err != nil || conf.Version != "22.05.8" || conf.KillWait != 5*time.Second || conf.EnforcePartLimits != "NO" || conf.MaxArraySize != 1001 ||
		conf.Cluster != "bench" || conf.MinJobAge != time.Minute || !conf.JobRequeue || conf.ProctrackType != "proctrack/linuxproc" {
		t.Errorf("got %+v, %v", conf, err)
	}
}
