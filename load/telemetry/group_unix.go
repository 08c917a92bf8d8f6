//go:build unix

package telemetry

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the sampler and what it starts end together.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
