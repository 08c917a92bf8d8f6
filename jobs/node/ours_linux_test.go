package node

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hpcbench/results"
)

func TestOursOnASharedNode(t *testing.T) {
	var eight []results.GPU
	for _, i := range []string{"0", "1", "2", "3", "4", "5", "6", "7"} {
		eight = append(eight, results.GPU{Index: i, ID: "GPU-" + i})
	}
	for name, c := range map[string]struct {
		shown  []results.GPU
		list   string
		onNode int
		want   []string
	}{
		"two of eight":           {eight, "4,5", 2, []string{"4", "5"}},
		"a range":                {eight, "0-2,7", 4, []string{"0", "1", "2", "7"}},
		"hidden by a cgroup":     {eight[:2], "4,5", 2, []string{"0", "1"}},
		"the whole node":         {eight, "0-7", 8, []string{"0", "1", "2", "3", "4", "5", "6", "7"}},
		"no list":                {eight[:3], "", 1, []string{"0", "1", "2"}},
		"a list of another kind": {eight[:3], "GPU-6f0c", 1, []string{"0", "1", "2"}},
		"no GPUs asked for":      {nil, "", 0, nil},
	} {
		if d := cmp.Diff(c.want, indices(ours(c.shown, c.list, c.onNode))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if got := onOurs([]string{"GPU-4, 77, python", "GPU-1, 78, python"}, eight[4:]); len(got) != 1 || got[0] != "GPU-4, 77, python" {
		t.Errorf("got %v", got)
	}
}
