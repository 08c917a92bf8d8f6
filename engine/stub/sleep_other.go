//go:build !linux

package stub

import "time"

var processStart = time.Now()

// monotonicNs counts from the process's start: elsewhere than on Linux other
// processes can't compare with it.
func monotonicNs() int64 { return int64(time.Since(processStart)) }

// sleeper sleeps as exactly as Go's timers do and can be woken.
type sleeper struct{ woken chan struct{} }

func newSleeper() (*sleeper, error) { return &sleeper{woken: make(chan struct{}, 1)}, nil }

func (s *sleeper) own() {}

func (s *sleeper) sleep(d time.Duration) {
	if d < 0 {
		<-s.woken
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.woken:
	case <-t.C:
	}
}

func (s *sleeper) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

func (s *sleeper) close() error { return nil }
