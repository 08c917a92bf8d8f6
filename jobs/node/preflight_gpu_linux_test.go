package node

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"hpcbench/results"
)

// A process of the job before ours that is just ending is waited for.
func TestAwaitAlone(t *testing.T) {
	dir := t.TempDir()
	tool := `#!/bin/sh
case $1 in
  --query-gpu*) echo "0, GPU-aa, NVIDIA A100-SXM4-40GB, 40960, 40000, 400, 570.1" ;;
  *) [ -e "$0.asked" ] || echo "GPU-aa, 42, python, 900"; : > "$0.asked" ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(tool), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	r := runner{}
	r.spec.Site = results.SiteFacts{GPUVendor: "nvidia"}
	facts := nodeFacts(t.Context(), r.spec.Site, "", 1)
	if len(facts.Foreign) != 1 || facts.Driver != "570.1" {
		t.Fatalf("%+v", facts)
	}
	begun := time.Now()
	if left := r.awaitAlone(t.Context(), facts); len(left) != 0 || time.Since(begun) > 30*time.Second {
		t.Errorf("left %v after %s", left, time.Since(begun))
	}
	if left := r.awaitAlone(t.Context(), results.NodeFacts{}); left != nil {
		t.Errorf("nobody was there, and left are %v", left)
	}
}
