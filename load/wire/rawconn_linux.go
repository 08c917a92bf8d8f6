package wire

import (
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hpcbench/load/clock"
	"hpcbench/results"
)

// rawConn is a connection of the raw wire. Its mutex is held while the loop
// reads it, so that a call which was ended from outside gets no more data.
type rawConn struct {
	loop    *loop
	slot    int32
	use     int32
	connect time.Duration

	mu      sync.Mutex
	fd      int // -1 when closed
	call    *Call
	answer  answer
	out     []byte // of the request, not yet taken by the kernel
	prev    int64  // no byte that is still to come had arrived at this instant
	last    int64  // stamp
	calls   int
	spoiled bool // the last call did not end with a reusable connection
}

// Connect is how long dialling took.
func (c *rawConn) Connect() time.Duration { return c.connect }

// Usable says that another request may be sent.
func (c *rawConn) Usable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fd >= 0 && c.call == nil && !c.spoiled
}

// Close closes the connection.
func (c *rawConn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(fail(results.ErrorCancelled, "read the answer", "the connection was closed"), c.loop.cfg.Clock.Now())
	c.shut()
}

// shut closes the descriptor. The mutex is held.
func (c *rawConn) shut() {
	c.spoiled = true
	if c.fd >= 0 {
		unix.Close(c.fd) // which takes it out of the epoll set, too
		c.fd = -1
		c.loop.drop(c)
	}
}

// end ends the call, if there is one. The mutex is held.
func (c *rawConn) end(err error, at int64) {
	if c.call == nil {
		return
	}
	call := c.call
	c.call, c.out = nil, nil
	call.finish(err, at)
}

// failed ends the call with an error and closes the connection. The mutex is
// held.
func (c *rawConn) failed(err error) {
	if own, ok := err.(*Error); ok && c.calls > 1 && !c.answer.begun() &&
		(own.Class == results.ErrorReset || own.Class == results.ErrorClosed) {
		own.Stale = true
	}
	c.end(err, c.loop.cfg.Clock.Now())
	c.shut()
}

// Start writes what the kernel takes at once and leaves the rest to the loop.
func (c *rawConn) Start(req *Request, data Data) *Call {
	call := newCall(c.loop.cfg, req.Want, data)
	call.abort = func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.call == call {
			c.end(err, c.loop.cfg.Clock.Now())
			c.shut()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fd < 0 || c.call != nil || c.spoiled {
		call.sending(0)
		err := fail(results.ErrorClosed, "send the request", "the connection had been closed by the server")
		err.Stale = true
		call.finish(err, call.resp.TSend)
		return call
	}
	c.call, c.answer, c.out = call, answer{}, req.bytes
	c.calls++
	call.sending(len(req.bytes))
	c.prev = call.resp.TSend
	c.flush(false)
	return call
}

// flush writes as much as the kernel takes. The mutex is held.
func (c *rawConn) flush(waiting bool) {
	for len(c.out) > 0 {
		n, err := unix.SendmsgN(c.fd, c.out, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			if !waiting {
				if err := c.loop.watch(unix.EPOLL_CTL_MOD, c, unix.EPOLLIN|unix.EPOLLOUT); err != nil {
					c.failed(wrap("send the request", err))
				}
			}
			return
		case err != nil:
			// What the server said before it closed is worth more: the loop
			// reads it, and finds the end or the error behind it.
			c.out = nil
		default:
			c.out = c.out[n:]
		}
	}
	c.out = nil
	if waiting {
		if err := c.loop.watch(unix.EPOLL_CTL_MOD, c, unix.EPOLLIN); err != nil {
			c.failed(wrap("send the request", err))
		}
	}
}

// ready is called by the loop with what epoll saw. It says whether a call ended.
func (c *rawConn) ready(events uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.call
	if c.fd >= 0 && events&unix.EPOLLOUT != 0 {
		c.flush(true)
	}
	if events&^unix.EPOLLOUT != 0 {
		for range readsInARow {
			if c.fd < 0 || !c.read() {
				break
			}
		}
	}
	return before != nil && c.call == nil
}

// read reads once and says whether there may be more.
func (c *rawConn) read() bool {
	l := c.loop
	now := l.cfg.Clock.Now()
	n, wall, errno := l.recv.Recv(c.fd, l.buf)
	switch {
	case errno == syscall.EAGAIN:
		return false
	case errno != 0:
		c.failed(wrap("read the answer", errno))
		return false
	case n == 0:
		c.eof()
		return false
	}
	st := clock.Stamp{PrevNs: c.prev, More: n == len(l.buf)}
	if wall != 0 {
		if ns, ok := l.conv.Convert(wall, c.prev, now); ok {
			st.Ns, st.Kind = ns, clock.Kernel
		}
	}
	if st.Kind == clock.Process {
		st.Ns = l.cfg.Clock.Now()
	}
	// The kernel's stamp may be earlier than one of the process before it.
	st.Ns = max(st.Ns, c.last)
	c.last = st.Ns
	c.received(l.buf[:n], st)
	if !st.More {
		c.prev = now
	}
	return st.More
}

func (c *rawConn) received(b []byte, st clock.Stamp) {
	call := c.call
	if call == nil { // bytes that nobody asked for
		c.shut()
		return
	}
	call.received(len(b), st.Kind)
	call.lastNs.Store(max(st.Ns, 1))
	before := c.answer.response
	body, rest, err := c.answer.feed(b)
	if r := c.answer.response; r != before {
		call.head(r, st)
		call.headNs.Store(max(st.Ns, 1))
	}
	if len(body) > 0 {
		st.More = st.More || len(rest) > 0 || c.answer.more()
		if err := call.body(body, st); err != nil {
			c.failed(err)
			return
		}
		if call.stopped && call.stopNs.Load() == 0 {
			call.stopNs.Store(max(st.Ns, 1))
			call.nudge <- struct{}{}
		}
	}
	switch {
	case err != nil:
		c.failed(err)
	case c.answer.framing != ended:
	case len(c.out) > 0 || len(rest) > 0 || !c.answer.keepAlive():
		c.end(nil, st.Ns)
		c.shut()
	default:
		c.end(nil, st.Ns)
	}
}

func (c *rawConn) eof() {
	if c.call != nil {
		if whole, err := c.answer.eof(); whole {
			c.end(nil, c.loop.cfg.Clock.Now())
		} else {
			c.failed(err)
		}
	}
	c.shut()
}
