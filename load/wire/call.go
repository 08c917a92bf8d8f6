package wire

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"hpcbench/load/clock"
	"hpcbench/results"
)

// ErrStop is what Data answers when it has all it wants, as at [DONE]. The call
// ends well as soon as the answer does, but at the latest after stopGrace, when
// the connection is closed.
var ErrStop = errors.New("the rest of the answer isn't wanted")

const stopGrace = 200 * time.Millisecond

// Response is what is known of an answer. Instants are nanoseconds since the
// clock's epoch, 0 where it did not happen.
type Response struct {
	Status   int
	Proto    string // "HTTP/1.1"
	Header   http.Header
	TSend    int64       // just before the first byte was written
	THeaders clock.Stamp // of the read that completed the headers
	TEnd     int64       // the end of the answer, whichever way
	BytesOut int64
	BytesIn  int64
	Reads    int // that brought something
	// KernelReads counts those with a stamp of the kernel.
	KernelReads int
	// Body is the first MaxErrorBody bytes of an answer that isn't good.
	Body []byte
}

// Kind is the clock of the answer: the kernel's only where it stamped every
// read.
func (r *Response) Kind() clock.Kind {
	if r.Reads > 0 && r.Reads == r.KernelReads {
		return clock.Kernel
	}
	return clock.Process
}

// Call is a request on its way.
type Call struct {
	exchange
	timeouts Timeouts
	clock    *clock.Clock
	done     chan struct{}
	nudge    chan struct{} // Data answered ErrStop
	// abort ends the call from outside with the given error, unless it has
	// ended.
	abort func(error)

	err error

	// Progress that Wait looks at while the connection is read elsewhere.
	sentNs, headNs, lastNs, stopNs atomic.Int64
}

func newCall(cfg *Config, want string, data Data) *Call {
	return &Call{
		exchange: exchange{want: want, data: data},
		timeouts: cfg.Timeouts, clock: cfg.Clock,
		done: make(chan struct{}), nudge: make(chan struct{}, 1),
	}
}

// sending notes the instant before the first write.
func (c *Call) sending(bytes int) {
	c.resp.TSend = c.clock.Now()
	c.resp.BytesOut = int64(bytes)
	c.sentNs.Store(c.resp.TSend)
}

// Sent is the instant just before the first write, in nanoseconds since the
// clock's epoch; 0 while a goroutine that is to write has yet to run.
func (c *Call) Sent() int64 { return c.sentNs.Load() }

// Done is closed when the call has ended.
func (c *Call) Done() <-chan struct{} { return c.done }

// finish ends the call once; what comes later is ignored.
func (c *Call) finish(err error, at int64) {
	select {
	case <-c.done:
		return
	default:
	}
	c.err = c.verdict(err)
	c.resp.TEnd = at
	close(c.done)
}

// Wait waits until the call has ended, by itself or by a timeout or by ctx, and
// answers it. The response is filled as far as the answer came. The error is an
// *Error, or Data's own; nil is a whole answer with a status of 2xx and the
// wanted type.
func (c *Call) Wait(ctx context.Context) (*Response, error) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		now := c.clock.Now()
		limit := c.nextLimit(now)
		if limit.at <= now {
			c.abort(limit.broken())
			<-c.done
			return &c.resp, c.err
		}
		timer.Reset(time.Duration(limit.at - now))
		select {
		case <-c.done:
			return &c.resp, c.err
		case <-ctx.Done():
			c.abort(wrap("wait for the answer", context.Cause(ctx)))
			<-c.done
			return &c.resp, c.err
		case <-c.nudge:
		case <-timer.C:
		}
	}
}

// limit is an instant at which a bound is broken.
type limit struct {
	at    int64
	what  string
	bound time.Duration
}

func (l limit) broken() error {
	return fail(results.ErrorTimeout, "wait for the answer", "%s %v", l.what, l.bound)
}

// nextLimit is the earliest bound to be broken as things are; an hour from now
// where there is none.
func (c *Call) nextLimit(now int64) limit {
	next := limit{at: now + int64(time.Hour)}
	consider := func(from int64, bound time.Duration, what string) {
		if at := from + int64(bound); bound > 0 && at < next.at {
			next = limit{at, what, bound}
		}
	}
	sent := c.sentNs.Load()
	if sent == 0 { // the goroutine that sends has yet to run
		sent = now
	}
	if stop := c.stopNs.Load(); stop != 0 {
		consider(stop, stopGrace, "no end of it after")
		return next
	}
	consider(sent, c.timeouts.Total, "no end of it after")
	if head := c.headNs.Load(); head == 0 {
		consider(sent, c.timeouts.Headers, "no headers after")
	} else {
		consider(max(head, c.lastNs.Load()), c.timeouts.Idle, "not a byte for")
	}
	return next
}
