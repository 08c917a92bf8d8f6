package pace

import (
	"golang.org/x/sys/unix"

	"hpcbench/load/clock"
)

// sleeper sleeps on the kernel's absolute monotonic clock.
type sleeper struct {
	epoch int64 // of the attempt's clock on CLOCK_MONOTONIC, ns
	slack int   // of the thread before, ns
}

// newSleeper takes the thread's timer slack away: by default Linux may wake an
// ordinary thread 50 µs late to save power.
func newSleeper(c *clock.Clock) sleeper {
	s := sleeper{epoch: c.MonotonicEpoch()}
	s.slack, _ = unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	// A kernel that refuses only wakes us later.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	return s
}

func (s *sleeper) close() {
	if s.slack > 0 {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(s.slack), 0, 0, 0)
	}
}

// until sleeps until at (ns since the attempt's epoch).
func (s *sleeper) until(at int64) {
	ts := unix.NsecToTimespec(s.epoch + at)
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil) == unix.EINTR {
		continue
	}
}
