package wire

import (
	"io"
	"net"
	"os"
	"syscall"

	"hpcbench/load/clock"
)

// stampConn is a connection that knows when its last bytes arrived. Below TLS
// it hands out one TLS record at a time, so that what is decrypted can be told
// from what waits behind it. Reading belongs to one goroutine.
type stampConn struct {
	net.Conn
	raw   syscall.RawConn // nil: stamps of the process only
	clock *clock.Clock
	conv  *clock.Converter
	recv  clock.Receiver

	// allowed bounds what may still be read, for heads; below 0 is no bound.
	allowed int64
	onRead  func(n int, st clock.Stamp)

	ended bool        // the peer has closed
	last  clock.Stamp // of the last read
	prev  int64       // no byte that is still to come had arrived at this instant
	lower int64       // the same for the first byte read since take
	taken bool

	records bool // cut at TLS records
	buf     []byte
	unread  []byte // of buf
	record  int    // bytes of the current record that were not handed out
}

// A TLS record begins with its type, two bytes of version and two of length.
const recordHead = 5

func newStampConn(nc net.Conn, cfg *Config, records bool) *stampConn {
	s := &stampConn{Conn: nc, clock: cfg.Clock, conv: clock.NewConverter(cfg.Clock), allowed: -1, taken: true, records: records}
	if _, tcp := nc.(*net.TCPConn); tcp && cfg.Kernel {
		if raw, err := nc.(syscall.Conn).SyscallConn(); err == nil {
			s.raw = raw
		}
	}
	if records {
		s.buf = make([]byte, 16<<10)
	}
	return s
}

// Read reads and notes when the bytes arrived.
func (s *stampConn) Read(p []byte) (int, error) {
	if !s.records {
		return s.receive(p)
	}
	for s.record == 0 {
		if len(s.unread) >= recordHead {
			s.record = recordHead + int(s.unread[3])<<8 + int(s.unread[4])
			break
		}
		have := copy(s.buf, s.unread)
		n, err := s.receive(s.buf[have:])
		s.unread = s.buf[:have+n]
		if err != nil {
			if have == 0 {
				return 0, err
			}
			s.record = have // a stump: TLS says what is wrong with it
		}
	}
	if len(s.unread) == 0 {
		n, err := s.receive(s.buf)
		if err != nil {
			return 0, err
		}
		s.unread = s.buf[:n]
	}
	n := copy(p, s.unread[:min(len(s.unread), s.record)])
	s.unread = s.unread[n:]
	s.record -= n
	return n, nil
}

// whole says that another whole record waits behind the ones handed out.
func (s *stampConn) whole() bool {
	return s.record == 0 && len(s.unread) >= recordHead &&
		len(s.unread) >= recordHead+int(s.unread[3])<<8+int(s.unread[4])
}

func (s *stampConn) receive(p []byte) (n int, err error) {
	if s.allowed == 0 {
		return 0, errHeadTooLarge
	}
	if s.allowed > 0 && int64(len(p)) > s.allowed {
		p = p[:s.allowed]
	}
	var now, wall int64
	if s.raw == nil {
		now = s.clock.Now()
		n, err = s.Conn.Read(p)
	} else {
		var errno syscall.Errno
		err = s.raw.Read(func(fd uintptr) bool {
			now = s.clock.Now()
			n, wall, errno = s.recv.Recv(int(fd), p)
			return errno != syscall.EAGAIN
		})
		switch {
		case err != nil:
		case errno != 0:
			err = os.NewSyscallError("recvmsg", errno)
		case n == 0:
			err = io.EOF
		}
	}
	if n <= 0 {
		s.ended = err == io.EOF
		return 0, err
	}
	if s.allowed > 0 {
		s.allowed -= int64(n)
	}
	st := clock.Stamp{PrevNs: s.prev, More: n == len(p)}
	if wall != 0 {
		if ns, ok := s.conv.Convert(wall, s.prev, now); ok {
			st.Ns, st.Kind = ns, clock.Kernel
		}
	}
	if st.Kind == clock.Process {
		st.Ns = s.clock.Now()
	}
	st.Ns = max(st.Ns, s.last.Ns) // the kernel's may be earlier than one of the process before
	if s.taken {
		s.lower, s.taken = s.prev, false
	}
	if !st.More {
		s.prev = now
	}
	s.last = st
	if s.onRead != nil {
		s.onRead(n, st)
	}
	return n, err
}

// begin says that what comes answers a request sent at the instant ns.
func (s *stampConn) begin(ns int64) { s.prev, s.lower, s.taken = ns, ns, true }

// take answers the stamp of what was read since take was called last, or of
// the last read where nothing was: then its bytes had been waiting here.
func (s *stampConn) take() clock.Stamp {
	st := s.last
	st.PrevNs = s.lower
	st.More = st.More || s.whole()
	s.taken = true
	return st
}
