package pace

import (
	"fmt"
	"math"
	"time"
)

// Pacer says when requests are due. It is pure: equal arguments give equal
// answers, and there is no clock in it.
type Pacer interface {
	// Next is the offset of arrival i (from 0) from the start of the step,
	// given that of arrival i−1 (0 for the first). It never falls with i.
	Next(i int, prev time.Duration) time.Duration
	// RatePerS is the mean rate in requests per second.
	RatePerS() float64
	// Check says what is wrong with the parameters.
	Check() error
}

// never is what a pacer answers beyond the range of time.Duration (292 years).
const never = time.Duration(math.MaxInt64)

// Constant has arrival i at exactly i/rate, rounded to the nanosecond: no error
// adds up.
type Constant struct{ PerS float64 }

// Next ignores the arrival before.
func (c Constant) Next(i int, _ time.Duration) time.Duration { return offset(float64(i) / c.PerS) }

// RatePerS is the rate.
func (c Constant) RatePerS() float64 { return c.PerS }

// Check wants a finite positive rate.
func (c Constant) Check() error { return checkRate(c.PerS) }

// Poisson has exponential gaps with mean 1/PerS. Gap i depends on the seed and
// i alone.
type Poisson struct {
	PerS float64
	Seed uint64
}

// Next adds a gap to the arrival before; the first arrival has one, too.
func (p Poisson) Next(i int, prev time.Duration) time.Duration {
	gap := offset(exponential(p.Seed, uint64(i)) / p.PerS)
	if gap > never-prev {
		return never
	}
	return prev + gap
}

// RatePerS is the mean rate.
func (p Poisson) RatePerS() float64 { return p.PerS }

// Check wants a finite positive rate.
func (p Poisson) Check() error { return checkRate(p.PerS) }

// tick is how often the Hugging Face tool looks whether requests are due.
const tick = 10 * time.Millisecond

// Ticked has the arrivals of the Hugging Face inference-benchmarker, for
// figures that are to be compared with its own: every 10 ms it starts the
// whole requests that have become due, so the first one comes after a whole
// 1/rate, and above 100 a second they come in bursts. Its cap on requests in
// flight isn't part of the pacing.
type Ticked struct{ PerS float64 }

// Next is the first tick by which i+1 requests have become due.
func (t Ticked) Next(i int, _ time.Duration) time.Duration {
	due := float64(i+1) / (t.PerS * tick.Seconds())
	// The tool adds up rate × 0.01; the quotient may miss the whole number by
	// a rounding error.
	ticks := math.Ceil(due - float64(1e-9*due))
	return offset(ticks * tick.Seconds())
}

// RatePerS is the mean rate.
func (t Ticked) RatePerS() float64 { return t.PerS }

// Check wants a finite positive rate.
func (t Ticked) Check() error { return checkRate(t.PerS) }

func checkRate(perS float64) error {
	if !(perS > 0) || math.IsInf(perS, 0) {
		return fmt.Errorf("a rate of %g requests per second can't be paced: it must be above 0 and finite", perS)
	}
	return nil
}

func offset(seconds float64) time.Duration {
	ns := math.Round(seconds * 1e9)
	if !(ns < math.MaxInt64) {
		return never
	}
	return time.Duration(ns)
}
