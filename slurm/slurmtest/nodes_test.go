//go:build cluster

package slurmtest

import (
	"testing"

	"hpcbench/slurm"
)

func TestNodesOfAPartition(t *testing.T) {
	Up(t)
	cl := slurm.New(slurm.Options{})
	for partition, want := range map[string]string{"small-g": "mi250", "qgpu": "a100"} {
		kinds, err := cl.NodeKinds(t.Context(), partition)
		if err != nil || len(kinds) == 0 {
			t.Fatalf("%s: %+v, %v", partition, kinds, err)
		}
		nodes := 0
		for _, k := range kinds {
			nodes += k.Nodes
			if kind, n := k.GPUs(); kind != want || n != 8 || k.Partition != partition || k.MemoryMiB < 400_000 {
				t.Errorf("%s: %+v", partition, k)
			}
		}
		if nodes != 2 {
			t.Errorf("%s has %d nodes", partition, nodes)
		}
	}
}
