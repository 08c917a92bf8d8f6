//go:build unix

package wire

import (
	"fmt"
	"os"
	"strings"
	"syscall"

	"hpcbench/results"
)

const limitsOp = "check the limits of this machine"

// spareDescriptors are left for files, the self-test and the rest.
const spareDescriptors = 64

// CheckLimits says whether this process may hold n connections to one address:
// it needs a descriptor and, over TCP, a local port for each. The soft limit of
// descriptors was raised to the hard one by Go at the start. The error is of class client and says
// what to change.
func CheckLimits(n int) error {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	if need := uint64(n) + spareDescriptors; uint64(files.Cur) < need {
		return fail(results.ErrorClient, limitsOp, "%d connections need %d open files, the limit is %d; raise it with ulimit -n, or ask for fewer streams",
			n, need, files.Cur)
	}
	low, high, ok := localPorts()
	if ok && n > high-low+1 {
		return fail(results.ErrorClient, limitsOp, "%d connections to one address need as many local ports, ip_local_port_range %d-%d has %d; ask for fewer streams",
			n, low, high, high-low+1)
	}
	return nil
}

// localPorts is the range of ports that outgoing connections get, where the
// system says.
func localPorts() (low, high int, ok bool) {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 0, 0, false
	}
	n, err := fmt.Sscan(strings.TrimSpace(string(text)), &low, &high)
	return low, high, n == 2 && err == nil
}
