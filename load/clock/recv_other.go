//go:build !(linux && (amd64 || arm64 || ppc64le))

package clock

import (
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// Enable answers that this system has no receive stamps.
func Enable(int) error {
	return fmt.Errorf("receive stamps of the kernel are not read on %s/%s", runtime.GOOS, runtime.GOARCH)
}

// Receiver reads a socket without a stamp.
type Receiver struct{}

// Recv reads what is there into buf; the stamp is always 0.
func (*Receiver) Recv(fd int, buf []byte) (n int, wallNs int64, errno syscall.Errno) {
	for {
		n, err := syscall.Read(fd, buf)
		if err == nil {
			return n, 0, 0
		}
		e, ok := err.(syscall.Errno)
		if !ok {
			e = syscall.EIO
		}
		if e != syscall.EINTR {
			return 0, 0, e
		}
	}
}

var processStart = time.Now()

func monotonicNow() int64 { return int64(time.Since(processStart)) }
