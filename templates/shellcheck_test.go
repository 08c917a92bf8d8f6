//go:build cluster

package templates

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// This needs a Debian package, so it runs in the level that installs them.
func TestShellcheck(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sh")
	if err != nil || len(files) < len(golden) {
		t.Fatalf("golden scripts: %v, %v", files, err)
	}
	out, err := exec.Command("shellcheck", append([]string{"--shell=bash", "--severity=style"}, files...)...).CombinedOutput()
	if err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
}
