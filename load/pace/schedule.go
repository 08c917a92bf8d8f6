package pace

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// MaxArrivals bounds a drawn schedule: 80 MB of it.
const MaxArrivals = 10_000_000

// ErrTooMany says that a schedule would have more than MaxArrivals.
var ErrTooMany = errors.New("too many arrivals")

// Draw lists the arrivals before window, as offsets from the start of the step.
func Draw(p Pacer, window time.Duration) ([]time.Duration, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	expect := p.RatePerS() * window.Seconds()
	if expect > MaxArrivals {
		return nil, fmt.Errorf("%w: %.0f in a step of %v at %g a second, %d is the limit; shorten the step or lower the rate",
			ErrTooMany, expect, window, p.RatePerS(), MaxArrivals)
	}
	arrivals := make([]time.Duration, 0, int(expect)+1)
	prev := time.Duration(0)
	for i := 0; ; i++ {
		at := p.Next(i, prev)
		if at >= window {
			return arrivals, nil
		}
		arrivals = append(arrivals, at)
		prev = at
	}
}

// Lengths are the tokens asked for in one request.
type Lengths struct {
	PromptTokens int
	OutputTokens int
}

// Digest names a schedule: the arrivals of a step and the lengths of its
// requests, each in order. Closed loops have no arrivals. Equal schedules have
// equal digests, on every machine; it is the SHA-256 in hexadecimal.
func Digest(arrivals []time.Duration, lengths []Lengths) string {
	h := sha256.New()
	w := bufio.NewWriter(h) // never fails: a hash takes every byte
	number := func(v uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		w.Write(b[:])
	}
	w.WriteString("hpcbench schedule 1\n")
	number(uint64(len(arrivals)))
	for _, at := range arrivals {
		number(uint64(at))
	}
	number(uint64(len(lengths)))
	for _, l := range lengths {
		number(uint64(l.PromptTokens))
		number(uint64(l.OutputTokens))
	}
	w.Flush()
	return hex.EncodeToString(h.Sum(nil))
}
