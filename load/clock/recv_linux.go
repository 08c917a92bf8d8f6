//go:build linux && (amd64 || arm64 || ppc64le)

package clock

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Enable asks the kernel to stamp what the socket receives. Bytes received
// before it carry no stamp.
func Enable(fd int) error {
	const flags = unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPING, flags); err != nil {
		return fmt.Errorf("set SO_TIMESTAMPING: %w", err)
	}
	return nil
}

// Receiver reads a socket together with the kernel's stamp, without allocating.
// It belongs to one goroutine.
type Receiver struct {
	hdr unix.Msghdr
	iov unix.Iovec
	oob [128]byte
}

// Recv reads what is there into buf and answers the number of bytes (0 at the
// end of the stream), the wall-clock stamp in nanoseconds since 1970 (0 where
// the kernel gave none), and the error number. It never waits: with nothing to
// read it answers EAGAIN, whether the socket blocks or not. buf isn't empty.
func (r *Receiver) Recv(fd int, buf []byte) (n int, wallNs int64, errno syscall.Errno) {
	r.iov.Base = &buf[0]
	r.iov.SetLen(len(buf))
	r.hdr.Iov = &r.iov
	r.hdr.Iovlen = 1
	r.hdr.Control = &r.oob[0]
	for {
		r.hdr.SetControllen(len(r.oob))
		// A call that never waits need not tell the scheduler that it may.
		got, _, e := syscall.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.hdr)), unix.MSG_DONTWAIT)
		if e == unix.EINTR {
			continue
		}
		r.iov.Base = nil
		if e != 0 {
			return 0, 0, e
		}
		return int(got), softwareStamp(r.oob[:r.hdr.Controllen]), 0
	}
}

// softwareStamp finds the first time of an SCM_TIMESTAMPING message: the
// software receive time. 0 where there is none.
func softwareStamp(oob []byte) int64 {
	const head, stamps = unix.SizeofCmsghdr, 3 * 16
	for len(oob) >= head {
		size := binary.NativeEndian.Uint64(oob)
		if size < head || size > uint64(len(oob)) {
			return 0
		}
		level := int32(binary.NativeEndian.Uint32(oob[8:]))
		kind := int32(binary.NativeEndian.Uint32(oob[12:]))
		if level == unix.SOL_SOCKET && kind == unix.SCM_TIMESTAMPING && size >= head+stamps {
			sec := int64(binary.NativeEndian.Uint64(oob[head:]))
			nsec := int64(binary.NativeEndian.Uint64(oob[head+8:]))
			return sec*1e9 + nsec
		}
		oob = oob[min(uint64(len(oob)), (size+7)&^7):]
	}
	return 0
}

func monotonicNow() int64 {
	var ts unix.Timespec
	// It can only fail for a clock that doesn't exist.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}
