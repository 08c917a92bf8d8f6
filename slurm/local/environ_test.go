package local

import (
	"slices"
	"strings"
	"testing"
)

func TestExportEnviron(t *testing.T) {
	have := []string{"HOME=/h", "A=1", "B=2", "PATH=/x"}
	for export, want := range map[string][]string{
		"":          have,
		"ALL":       have,
		"ALL,C=3":   append(slices.Clone(have), "C=3"),
		"NONE":      {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/h"},
		"A,C=4,NOT": {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/h", "A=1", "C=4"},
	} {
		if got := exportEnviron(export, slices.Clone(have)); !slices.Equal(got, want) {
			t.Errorf("%q gives %q, want %q", export, got, want)
		}
	}
}

func TestSlurmEnvironHasNoRestartCount(t *testing.T) {
	j := job{ID: 12, Name: "hb", Array: true, Elements: []element{{1, 12}, {5, 13}}}
	env := slurmEnviron(j, j.Elements[1], 4)
	for _, want := range []string{"SLURM_JOB_ID=13", "SLURM_ARRAY_JOB_ID=12", "SLURM_ARRAY_TASK_ID=5", "SLURM_ARRAY_TASK_MAX=5", "SLURM_CPUS_ON_NODE=4"} {
		if !slices.Contains(env, want) {
			t.Errorf("%q lacks %s", env, want)
		}
	}
	if slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "SLURM_RESTART_COUNT") }) {
		t.Error("nothing is ever requeued here")
	}
}
