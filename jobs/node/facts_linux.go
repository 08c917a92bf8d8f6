package node

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hpcbench/results"
)

// nodeFacts writes down the node as it is before the server starts. What can't
// be known is left out: a missing tool must not cost a measurement.
func nodeFacts(ctx context.Context, site results.SiteFacts, runtimeCommand string, gpusOnNode int) results.NodeFacts {
	var f results.NodeFacts
	f.Hostname, _ = os.Hostname()
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		f.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	f.CPUModel = procField("/proc/cpuinfo", "model name")
	f.CPUsAllowed = procField("/proc/self/status", "Cpus_allowed_list")
	if kb, err := strconv.ParseInt(strings.TrimSuffix(procField("/proc/meminfo", "MemTotal"), " kB"), 10, 64); err == nil {
		f.MemoryMiB = kb / 1024
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		f.LoadAverage = strings.TrimSpace(string(b))
	}
	shown, driver, foreign := gpuFacts(ctx, site.GPUVendor)
	f.GPUs, f.Driver = ours(shown, slurmGPUs(), gpusOnNode), driver
	f.Foreign = onOurs(foreign, f.GPUs)
	if runtimeCommand != "" {
		f.Runtime = firstLine(answer(ctx, runtimeCommand, "--version"))
	}
	return f
}

// procField is the value of the first "name : value" line.
func procField(path, name string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// answer runs a small tool and gives its output, nothing where it fails.
func answer(ctx context.Context, name string, args ...string) []byte {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if err != nil {
		return nil
	}
	return out
}

func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	return string(line)
}
