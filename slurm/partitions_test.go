package slurm

import (
	"context"
	"testing"
	"time"
)

func TestPartitions(t *testing.T) {
	c, _ := answering(map[string][]answer{"scontrol": {{stdout: captured(t, "scontrol-partition.txt")}}})
	ps, err := c.Partitions(context.Background())
	if err != nil || len(ps) != 6 {
		t.Fatalf("%d partitions, %v", len(ps), err)
	}
	devg, standard, qgpu := ps[0], ps[2], ps[3]
	if devg.Name != "dev-g" || devg.MaxTime != 3*time.Hour || devg.DefaultTime != 30*time.Minute || devg.MaxNodes != 32 || devg.QOS != "dev-g" || devg.TRES.GPUs() != 16 {
		t.Errorf("dev-g %+v", devg)
	}
	if !standard.Exclusive || devg.Exclusive {
		t.Error("standard-g gives whole nodes, dev-g does not")
	}
	if qgpu.MaxTime != 48*time.Hour || qgpu.DefaultTime != 24*time.Hour || qgpu.MaxNodes != -1 || !qgpu.Allows("OPEN-00-00") || qgpu.Allows("project_465000001") {
		t.Errorf("qgpu %+v", qgpu)
	}
}
