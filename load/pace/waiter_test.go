package pace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"hpcbench/load/clock"
)

func TestUntilIsNeverEarly(t *testing.T) {
	c := clock.New(time.Now())
	w := NewWaiter(c)
	defer w.Close()
	for _, ahead := range []time.Duration{-time.Second, 0, 10 * time.Microsecond, 300 * time.Microsecond, 3 * time.Millisecond, 30 * time.Millisecond} {
		at := c.Now() + int64(ahead)
		if err := w.Until(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if late := c.Now() - at; late < 0 {
			t.Errorf("%v ahead: %d ns early", ahead, -late)
		}
	}
}

// Deadlines are absolute: 200 of them a millisecond apart end after 200 ms,
// whatever each of them was late.
func TestUntilDoesNotDrift(t *testing.T) {
	c := clock.New(time.Now())
	w := NewWaiter(c)
	defer w.Close()
	start := c.Now()
	late := make([]int64, 200)
	for i := range late {
		at := start + int64(i+1)*int64(time.Millisecond)
		if err := w.Until(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		late[i] = c.Now() - at
	}
	slices.Sort(late)
	// The median only: a neighbour on the machine may take the core now and then.
	if median := late[len(late)/2]; median > int64(2*time.Millisecond) {
		t.Errorf("the median deadline was met %d µs late", median/1000)
	}
}

func TestUntilEndsWithItsContext(t *testing.T) {
	c := clock.New(time.Now())
	w := NewWaiter(c)
	defer w.Close()
	mine := errors.New("mine")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(mine) })
	start := time.Now()
	if err := w.Until(ctx, c.Now()+int64(time.Hour)); err != mine {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := w.Until(ctx, c.Now()+int64(time.Millisecond)); err != mine {
		t.Errorf("a context that had ended: got %v", err)
	}
}

// BenchmarkLag answers how late 1,000 deadlines a second are met, alone and
// beside a goroutine that never rests.
func BenchmarkLag(b *testing.B) {
	for _, busy := range []bool{false, true} {
		b.Run(fmt.Sprintf("busy=%v", busy), func(b *testing.B) {
			c := clock.New(time.Now())
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			if busy {
				go func() {
					for ctx.Err() == nil {
						continue
					}
				}()
			}
			w := NewWaiter(c)
			defer w.Close()
			late := make([]int64, 0, b.N)
			start := c.Now()
			for i := range b.N {
				at := start + int64(i+1)*int64(time.Millisecond)
				if err := w.Until(ctx, at); err != nil {
					b.Fatal(err)
				}
				late = append(late, c.Now()-at)
			}
			slices.Sort(late)
			b.ReportMetric(float64(late[len(late)/2])/1e3, "p50-µs")
			b.ReportMetric(float64(late[len(late)*99/100])/1e3, "p99-µs")
		})
	}
}
