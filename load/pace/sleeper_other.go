//go:build !linux

package pace

import (
	"time"

	"hpcbench/load/clock"
)

// sleeper sleeps on Go's own timers.
type sleeper struct{ clock *clock.Clock }

func newSleeper(c *clock.Clock) sleeper { return sleeper{clock: c} }

func (s *sleeper) close() {}

// until sleeps until at (ns since the attempt's epoch).
func (s *sleeper) until(at int64) { time.Sleep(time.Duration(at - s.clock.Now())) }
