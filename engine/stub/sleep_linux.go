package stub

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

func monotonicNs() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // every Linux has this clock
	}
	return t.Nano()
}

// sleeper sleeps to the nanosecond and can be woken. Go's timers wake to the
// millisecond, because the runtime's poller waits in whole ones; ppoll on a
// thread without timer slack is late by some microseconds only.
type sleeper struct {
	fd int // eventfd
}

func newSleeper() (*sleeper, error) {
	fd, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make an eventfd: %w", err)
	}
	return &sleeper{fd: fd}, nil
}

// own binds the calling goroutine to a thread without timer slack.
func (s *sleeper) own() {
	runtime.LockOSThread()
	// Without it sleeps are 50 us longer; nothing else depends on it.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
}

// sleep returns after d or a wake; d < 0 waits for the wake alone.
func (s *sleeper) sleep(d time.Duration) {
	var limit *unix.Timespec
	if d >= 0 {
		t := unix.NsecToTimespec(int64(d))
		limit = &t
	}
	fds := [1]unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}}
	if n, _ := unix.Ppoll(fds[:], limit, nil); n > 0 {
		var b [8]byte
		_, _ = unix.Read(s.fd, b[:]) // empties it; nothing there is as good
	}
}

func (s *sleeper) wake() {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], 1)
	_, _ = unix.Write(s.fd, b[:]) // full means that a wake is on its way
}

func (s *sleeper) close() error { return unix.Close(s.fd) }
