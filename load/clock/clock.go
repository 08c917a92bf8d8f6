package clock

import (
	"sync/atomic"
	"time"

	"hpcbench/results"
)

// Kind is the clock that stamped a read.
type Kind uint8

// The kinds of clock, in the order of preference reversed: the zero value is
// the one that always works.
const (
	Process Kind = iota // the monotonic clock after read returned
	Kernel              // the kernel's software receive time
)

// String answers the word that records use for this clock.
func (k Kind) String() string {
	if k == Kernel {
		return results.ClockKernel
	}
	return results.ClockProcess
}

// Stamp says when the bytes of one read arrived.
type Stamp struct {
	// Ns is when the last byte arrived, in nanoseconds since the epoch. For
	// every earlier byte of the read it is an upper bound.
	Ns int64
	// PrevNs is a lower bound for every byte of the read: none of them had
	// arrived at that instant. PrevNs <= Ns.
	PrevNs int64
	// Kind is the clock Ns was read from.
	Kind Kind
	// More says that bytes behind these share the stamp or may do so: the read
	// filled its buffer, or brought framing that came later. Then Ns is an upper
	// bound for the last byte, too.
	More bool
}

// Clock is the monotonic clock of an attempt. It is safe for concurrent use.
type Clock struct {
	epoch time.Time
	steps atomic.Int64
}

// New starts a clock that counts from epoch, which must carry a monotonic
// reading (as time.Now gives it).
func New(epoch time.Time) *Clock { return &Clock{epoch: epoch} }

// Epoch is the instant the clock counts from.
func (c *Clock) Epoch() time.Time { return c.epoch }

// Now is the time since the epoch in nanoseconds.
func (c *Clock) Now() int64 { return int64(time.Since(c.epoch)) }

// Steps counts the times a Converter of this clock saw the wall clock jump by
// more than a millisecond against the monotonic one.
func (c *Clock) Steps() int64 { return c.steps.Load() }

// MonotonicEpoch is the epoch on the kernel's CLOCK_MONOTONIC, in nanoseconds:
// what absolute timers of the kernel count from. It is exact within the time
// between two clock reads, well below a microsecond.
func (c *Clock) MonotonicEpoch() int64 { return monotonicNow() - c.Now() }
