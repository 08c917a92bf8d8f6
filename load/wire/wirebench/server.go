//go:build linux

package wirebench

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"hpcbench/load/clock"
	"hpcbench/load/pace"
)

// The events have the size and the shape of a vLLM's completion events. The
// text is the instant of the write on CLOCK_MONOTONIC, in nanoseconds, of a
// fixed number of digits.
const (
	eventHead = `data: {"id":"cmpl-8f821dabad043275","object":"text_completion","created":1796131774,"model":"tiny","choices":[{"index":0,"text":"`
	eventTail = `","logprobs":null,"finish_reason":null,"stop_reason":null,"token_ids":null}]}` + "\n\n"
	digits    = 16
	perWrite  = 32
)

var eventSize = len(eventHead) + digits + len(eventTail)

// chunkSize is an event as a chunk of its own.
var chunkSize = eventSize + len(strconv.FormatInt(int64(eventSize), 16)) + 4

// makeEvents writes n events as n chunks that were written at ns.
func makeEvents(buf []byte, ns int64, n int) []byte {
	buf = buf[:0]
	for range n {
		buf = strconv.AppendInt(buf, int64(eventSize), 16)
		buf = append(buf, "\r\n"...)
		buf = append(buf, eventHead...)
		buf = appendDigits(buf, ns)
		buf = append(buf, eventTail...)
		buf = append(buf, "\r\n"...)
	}
	return buf
}

func appendDigits(buf []byte, ns int64) []byte {
	var d [digits]byte
	for i := digits - 1; i >= 0; i-- {
		d[i], ns = byte('0'+ns%10), ns/10
	}
	return append(buf, d[:]...)
}

// serve accepts the plan's streams and then writes until it is killed.
func serve(p Plan) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	if p.Shape == Requests {
		return answerShortly(ln)
	}
	fds := make([]int, 0, p.Streams)
	conns := make([]net.Conn, 0, p.Streams)
	buf := make([]byte, 64<<10)
	for range p.Streams {
		c, err := ln.Accept()
		if err != nil {
			return err
		}
		conns = append(conns, c)
	}
	for _, c := range conns {
		for got := []byte{}; !bytes.Contains(got, []byte("\r\n\r\n")); {
			n, err := c.Read(buf)
			if err != nil {
				return fmt.Errorf("read a request: %w", err)
			}
			got = append(got, buf[:n]...)
		}
		raw, err := c.(*net.TCPConn).SyscallConn()
		if err != nil {
			return err
		}
		if err := raw.Control(func(fd uintptr) { fds = append(fds, int(fd)) }); err != nil {
			return err
		}
	}
	for _, c := range conns {
		if _, err := c.Write([]byte("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n")); err != nil {
			return err
		}
	}
	c := clock.New(time.Now())
	w := writer{fds: fds, clock: c, epoch: c.MonotonicEpoch(), buf: make([]byte, 0, perWrite*chunkSize)}
	switch p.Shape {
	case Coalesced:
		return w.flood()
	case Burst:
		return w.paced(p, func(int) int64 { return 0 })
	}
	interval := 1e9 / p.EventsPerS
	return w.paced(p, func(i int) int64 { return int64(interval * float64(i) / float64(len(fds))) })
}

// answerShortly answers every request with three events, 5 ms apart.
func answerShortly(ln net.Listener) error {
	for {
		c, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			in := make([]byte, 16<<10)
			out := makeEvents(nil, 0, 1)
			for {
				if _, err := c.Read(in); err != nil {
					return
				}
				parts := []string{"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" + string(out),
					string(out), string(out), "0\r\n\r\n"}
				for _, part := range parts {
					if _, err := c.Write([]byte(part)); err != nil {
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
			}
		}()
	}
}

type writer struct {
	fds   []int
	clock *clock.Clock
	epoch int64
	buf   []byte
}

// paced writes an event to each stream in every interval, offset into it.
func (w *writer) paced(p Plan, offset func(i int) int64) error {
	waiter := pace.NewWaiter(w.clock)
	defer waiter.Close()
	interval := 1e9 / p.EventsPerS
	begin := w.clock.Now() + 1e6
	for k := 0; ; k++ {
		for i, fd := range w.fds {
			if err := waiter.Until(context.Background(), begin+int64(interval*float64(k))+offset(i)); err != nil {
				return err
			}
			w.buf = makeEvents(w.buf, w.epoch+w.clock.Now(), 1)
			for left := w.buf; len(left) > 0; {
				n, err := unix.SendmsgN(fd, left, nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
				switch {
				case err == unix.EAGAIN:
					// The client is megabytes behind: wait for it, which shows as a
					// lower rate.
					time.Sleep(time.Millisecond)
				case err != nil:
					return fmt.Errorf("write an event: %w", err)
				default:
					left = left[n:]
				}
			}
		}
	}
}

// flood writes to each stream what it takes.
func (w *writer) flood() error {
	poll := make([]unix.PollFd, len(w.fds))
	left := make([][]byte, len(w.fds))
	for i, fd := range w.fds {
		poll[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLOUT}
	}
	w.buf = makeEvents(w.buf, w.epoch+w.clock.Now(), perWrite)
	for {
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR {
			return fmt.Errorf("poll: %w", err)
		}
		for i := range poll {
			if poll[i].Revents == 0 {
				continue
			}
			if len(left[i]) == 0 {
				left[i] = w.buf // all alike: what is written says nothing of when
			}
			n, err := unix.SendmsgN(w.fds[i], left[i], nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
			if err != nil && err != unix.EAGAIN {
				return fmt.Errorf("write events: %w", err)
			}
			left[i] = left[i][max(n, 0):]
		}
	}
}
