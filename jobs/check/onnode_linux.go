package check

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hpcbench/apptainer"
	"hpcbench/jobs/node"
	"hpcbench/results"
	"hpcbench/sites"
)

// OnNode is what the probe's job does: it reads the request in its folder and writes
// the answer beside it.
func OnNode(ctx context.Context, dir string) error {
	r, err := results.ReadJSON[ProbeRequest](filepath.Join(dir, "request.json"), formatProbe)
	if err != nil {
		return fmt.Errorf("read what to look at: %w", err)
	}
	a := ProbeAnswer{Format: formatProbed, Node: node.Facts(ctx, r.Site, r.Runtime, r.GPUs), Folders: map[string]string{}, Env: map[string]string{}}
	for _, f := range r.Folders {
		a.Folders[f.Key] = folderTrouble(f)
	}
	a.Unreachable = reach(ctx, r.Reach)
	if r.Image != "" {
		begun := time.Now()
		a.Container = container(ctx, r)
		a.ContainerS = time.Since(begun).Seconds()
	}
	var st unix.Statfs_t
	if unix.Statfs(os.TempDir(), &st) == nil {
		a.TmpMemory, a.TmpFree = st.Type == unix.TMPFS_MAGIC || st.Type == unix.RAMFS_MAGIC, times(st.Bavail, st.Bsize)
	}
	for _, name := range []string{"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "TMPDIR", "SLURM_CPUS_ON_NODE"} {
		if v, set := os.LookupEnv(name); set {
			a.Env[name] = v
		}
	}
	return results.WriteJSON(filepath.Join(dir, "answer.json"), a, 0o600)
}

// folderTrouble says why a folder can't be used here. One that isn't there yet is no
// trouble where it can be made.
func folderTrouble(f ProbeFolder) string {
	top, here, err := nearest(f.Path)
	switch {
	case err != nil:
		return err.Error()
	case !f.Write && !here:
		return "" // prepare will make it
	case f.Write:
		probe, err := os.CreateTemp(top, ".hpcbench-probe-")
		if err != nil {
			return err.Error()
		}
		_ = probe.Close()
		if err := os.Remove(probe.Name()); err != nil {
			return err.Error()
		}
	default:
		if err := unix.Access(top, unix.R_OK|unix.X_OK); err != nil {
			return fmt.Sprintf("%s: %v", top, err)
		}
	}
	return ""
}

// reach says why a host isn't reached.
func reach(ctx context.Context, host string) string {
	c, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", host)
	if err != nil {
		return err.Error()
	}
	_ = c.Close()
	return ""
}

// container says why a container doesn't start here.
func container(ctx context.Context, r ProbeRequest) string {
	image, err := apptainer.Resolve(r.Image)
	if err != nil {
		return err.Error()
	}
	command := apptainer.Command{Runtime: apptainer.Runtime(r.Runtime), Image: image, GPU: apptainer.GPU(r.GPUOption), Argv: []string{"true"}}
	if r.GPUOption == sites.None {
		command.GPU = apptainer.NoGPU
	}
	argv, err := command.CommandLine()
	if err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &stderr, 5*time.Second
	if err := cmd.Run(); err != nil {
		return strings.TrimSpace(fmt.Sprintf("%v: %s", err, lastLines(stderr.String())))
	}
	return ""
}
