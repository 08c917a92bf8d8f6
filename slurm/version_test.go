package slurm

import (
	"context"
	"testing"
)

func TestVersion(t *testing.T) {
	c, _ := answering(map[string][]answer{"squeue": {{stdout: "slurm-wlm 22.05.8\n"}, {stdout: "slurm 24.05.8\n"}, {stdout: "?"}}})
	for _, want := range []string{"22.05.8", "24.05.8"} {
		if got, err := c.Version(context.Background()); err != nil || got != want {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if _, err := c.Version(context.Background()); err == nil {
		t.Error("nonsense is a version")
	}
}
