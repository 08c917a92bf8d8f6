package wire

import (
	"fmt"
	"net"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"hpcbench/load/clock"
)

const (
	// readBuffer is shared by all connections of a loop: memory doesn't grow
	// with them.
	readBuffer = 128 << 10
	// readsInARow bounds how often a connection that always has more is read
	// before the others get their turn.
	readsInARow = 8
)

// loop reads the connections that were added to it, from one goroutine.
type loop struct {
	cfg   *Config
	epoll int
	wake  int // an eventfd that ends the loop
	conv  *clock.Converter
	recv  clock.Receiver
	buf   []byte
	ended chan struct{}

	mu    sync.Mutex
	slots []*rawConn
	uses  []int32 // how often a slot was given away: an event of an earlier use is stale
	free  []int32
}

const wakeSlot = -1

func newLoop(cfg *Config) (*loop, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(epoll)
		return nil, fmt.Errorf("eventfd: %w", err)
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: wakeSlot}
	if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, wake, &event); err != nil {
		unix.Close(epoll)
		unix.Close(wake)
		return nil, fmt.Errorf("epoll_ctl: %w", err)
	}
	l := &loop{cfg: cfg, epoll: epoll, wake: wake, conv: clock.NewConverter(cfg.Clock),
		buf: make([]byte, readBuffer), ended: make(chan struct{})}
	go l.run()
	return l, nil
}

// detach takes the descriptor out of Go's own poller, which would otherwise be
// woken by every segment, too.
func detach(nc net.Conn) (int, error) {
	defer nc.Close()
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return -1, fmt.Errorf("a connection of type %T has no descriptor", nc)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return -1, err
	}
	fd := -1
	var dupErr error
	if err := raw.Control(func(s uintptr) {
		fd, dupErr = unix.FcntlInt(s, unix.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return -1, err
	}
	if dupErr != nil {
		return -1, fmt.Errorf("duplicate the descriptor: %w", dupErr)
	}
	return fd, nil
}

// add gives c a slot and watches its descriptor.
func (l *loop) add(c *rawConn) error {
	l.mu.Lock()
	if n := len(l.free); n > 0 {
		c.slot, l.free = l.free[n-1], l.free[:n-1]
	} else {
		c.slot = int32(len(l.slots))
		l.slots, l.uses = append(l.slots, nil), append(l.uses, 0)
	}
	l.uses[c.slot]++
	c.use = l.uses[c.slot]
	l.slots[c.slot] = c
	l.mu.Unlock()
	if err := l.watch(unix.EPOLL_CTL_ADD, c, unix.EPOLLIN); err != nil {
		c.Close()
		return err
	}
	return nil
}

func (l *loop) watch(op int, c *rawConn, events uint32) error {
	event := unix.EpollEvent{Events: events, Fd: c.slot, Pad: c.use}
	if err := unix.EpollCtl(l.epoll, op, c.fd, &event); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

func (l *loop) drop(c *rawConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots[c.slot] == c {
		l.slots[c.slot] = nil
		l.free = append(l.free, c.slot)
	}
}

func (l *loop) close() {
	var one [8]byte
	one[0], one[7] = 1, 1 // a number above 0 in either order of bytes
	_, _ = unix.Write(l.wake, one[:])
	<-l.ended
	unix.Close(l.wake)
	unix.Close(l.epoll)
}

func (l *loop) run() {
	defer close(l.ended)
	events := make([]unix.EpollEvent, 512)
	conns := make([]*rawConn, len(events))
	for {
		n, err := unix.EpollWait(l.epoll, events, -1)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			// The descriptor is ours and open: this can't happen, and there is
			// nobody to tell but the calls, which time out.
			return
		}
		stop := false
		l.mu.Lock()
		for i, e := range events[:n] {
			conns[i] = nil
			switch {
			case e.Fd == wakeSlot:
				stop = true
			case l.uses[e.Fd] == e.Pad:
				conns[i] = l.slots[e.Fd]
			}
		}
		l.mu.Unlock()
		for i, c := range conns[:n] {
			if c != nil {
				if c.ready(events[i].Events) {
					// Whoever waited for the end has something to send, and what lies in the
					// other connections has its stamp already.
					runtime.Gosched()
				}
				conns[i] = nil
			}
		}
		if stop {
			return
		}
	}
}
