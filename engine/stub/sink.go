package stub

import (
	"net"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// sink writes to a connection without ever blocking its caller: what the
// socket doesn't take is kept and written by a goroutine, in order.
type sink struct {
	conn  net.Conn
	raw   syscall.RawConn
	tryFn func(fd uintptr) bool // made once: a closure a write would be garbage a token

	mu      sync.Mutex
	pending []byte
	flushed *sync.Cond // pending is empty again, or the connection is broken
	broken  error

	try   []byte // arguments and results of tryFn
	tried int
	why   error
}

func newSink(conn net.Conn) *sink {
	s := &sink{conn: conn}
	s.flushed = sync.NewCond(&s.mu)
	if sc, ok := conn.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			s.raw = raw
		}
	}
	s.tryFn = func(fd uintptr) bool {
		for {
			s.tried, s.why = unix.Write(int(fd), s.try)
			if s.why != unix.EINTR {
				return true
			}
		}
	}
	return s
}

// write sends b, which the caller may use again at once.
func (s *sink) write(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return
	}
	if len(s.pending) > 0 {
		s.pending = append(s.pending, b...)
		return
	}
	if s.raw != nil {
		s.try, s.tried, s.why = b, 0, nil
		if err := s.raw.Write(s.tryFn); err != nil {
			s.broken = err
			return
		}
		if s.why != nil && s.why != unix.EAGAIN {
			s.broken = s.why
			return
		}
		b = b[max(s.tried, 0):]
		if len(b) == 0 {
			return
		}
	}
	s.pending = append(s.pending, b...)
	go s.flush()
}

// flush is the slow way, for readers that don't keep up.
func (s *sink) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pending) > 0 && s.broken == nil {
		b := s.pending
		s.mu.Unlock()
		_, err := s.conn.Write(b)
		s.mu.Lock()
		if err != nil {
			s.broken = err
			break
		}
		s.pending = append(s.pending[:0:0], s.pending[len(b):]...)
	}
	s.pending = nil
	s.flushed.Broadcast()
}

// backlog is how many bytes the client hasn't made room for.
func (s *sink) backlog() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending)
}

// wait returns when everything is with the kernel, or can't be.
func (s *sink) wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pending) > 0 && s.broken == nil {
		s.flushed.Wait()
	}
}
