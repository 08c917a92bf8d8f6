package node

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hpcbench/results"
)

// doubles of squeue, which lists a step until scancel was called for it, and of scancel.
func stepDoubles(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"squeue":  "#!/bin/bash\n[ \"$*\" = \"--noheader --steps --jobs=77 --format=%i\" ] || exit 1\necho 77.batch\n[ -e " + dir + "/gone ] || echo 77.0\n",
		"scancel": "#!/bin/bash\necho \"$*\" >>" + dir + "/asked\ntouch " + dir + "/gone\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("SLURM_JOB_ID", "77")
	return dir
}

func TestEndSteps(t *testing.T) {
	dir := stepDoubles(t)
	var said bytes.Buffer
	r := &runner{Options: Options{Log: &said}}
	if err := r.endSteps(t.Context()); err != nil || said.Len() > 0 {
		t.Errorf("a server on one node has no steps: %v, %s", err, said.String())
	}
	r.spec = results.Spec{Job: results.JobSpec{Nodes: 2}}
	if err := r.endSteps(t.Context()); err != nil {
		t.Fatal(err)
	}
	if asked, err := os.ReadFile(filepath.Join(dir, "asked")); err != nil || string(asked) != "77.0\n" || !strings.Contains(said.String(), "77.0") {
		t.Errorf("scancel was asked %q, %v; said %s", asked, err, said.String())
	}
}

func TestServerSteps(t *testing.T) {
	got := serverSteps("12_3.0\n12_3.batch\n12_3.extern\n12_3.11\n")
	if want := []string{"12_3.0", "12_3.11"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := serverSteps("\n"); got != nil {
		t.Errorf("got %v", got)
	}
}
