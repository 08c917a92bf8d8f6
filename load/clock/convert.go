package clock

import "time"

const (
	sampleEvery = 100 * time.Millisecond
	// stepLimit is how far the two clocks may part between samples before it
	// is called a step; slewing moves both alike and is never seen here.
	stepLimit = int64(time.Millisecond)
)

// Converter moves the kernel's wall-clock stamps onto a Clock. It belongs to
// one goroutine.
type Converter struct {
	clock     *Clock
	sample    func() int64 // wall − clock, ns
	offset    int64
	sampledAt int64
	sampled   bool
}

// NewConverter makes a converter onto c.
func NewConverter(c *Clock) *Converter {
	return &Converter{clock: c, sample: func() int64 { return wallOffset(c) }}
}

// Convert answers the instant of wallNs (nanoseconds since 1970) on the clock.
// prev and now are known bounds: the bytes were not there at prev, and now is
// just before they were read. ok is false where the answer would lie more than
// a millisecond outside of them even with a fresh offset, as it does when the
// wall clock is stepped between arrival and reading; then the stamp is useless.
func (k *Converter) Convert(wallNs, prev, now int64) (ns int64, ok bool) {
	if !k.sampled || now-k.sampledAt >= int64(sampleEvery) {
		k.resample(now)
	}
	ns = wallNs - k.offset
	if ns < prev-stepLimit || ns > now+stepLimit {
		k.resample(now)
		ns = wallNs - k.offset
		if ns < prev-stepLimit || ns > k.clock.Now()+stepLimit {
			return 0, false
		}
	}
	return max(ns, prev), true
}

func (k *Converter) resample(now int64) {
	offset := k.sample()
	if d := offset - k.offset; k.sampled && (d > stepLimit || d < -stepLimit) {
		k.clock.steps.Add(1)
	}
	k.offset, k.sampledAt, k.sampled = offset, now, true
}

// wallOffset is the wall clock minus c. It keeps the tightest of a few
// bracketed samples, since the process may lose its core between two reads.
func wallOffset(c *Clock) int64 {
	best, offset := int64(1<<62), int64(0)
	for range 8 {
		before := c.Now()
		wall := time.Now().UnixNano()
		after := c.Now()
		if width := after - before; width < best {
			best, offset = width, wall-(before+width/2)
		}
		if best < 500 {
			break
		}
	}
	return offset
}
