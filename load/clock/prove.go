package clock

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// Proof is what was found about the kernel's receive stamps on this machine.
type Proof struct {
	Kind   Kind
	Reason string // why the process clock is used; empty with Kernel
	// keep holds a stamped socket open: switching stamping on for the first
	// socket of a machine patches the running kernel and takes effect late.
	keep []io.Closer
}

// Close lets go of the sockets the proof was made with.
func (p *Proof) Close() {
	for _, c := range p.keep {
		c.Close()
	}
	p.keep = nil
}

const (
	proofWait = 10 * time.Millisecond
	// proofSlack is how far a true stamp may lie outside of its write. It is
	// well below the wait, so that neither the time of reading nor the stamp
	// of the segment before can pass.
	proofSlack = proofWait * 2 / 5
)

// Prove tests over the loopback interface whether the kernel's stamps tell
// when bytes arrived: for a read that comes late, for a read that takes a part
// of what is there (old kernels answered the segment before), and for one that
// takes two segments together. It takes 20 ms. A failure isn't an error: it is
// the reason to use the process's own clock, and Proof.Reason says it.
func Prove(c *Clock) *Proof {
	proof := &Proof{}
	if err := proof.run(c); err != nil {
		proof.Close()
		return &Proof{Kind: Process, Reason: err.Error()}
	}
	proof.Kind = Kernel
	return proof
}

func (p *Proof) run(c *Clock) error {
	pairs := make([]*proofPair, 3)
	for i := range pairs {
		pair, err := newProofPair(c)
		if err != nil {
			return fmt.Errorf("stamp self-test: %w", err)
		}
		p.keep = append(p.keep, pair.server, pair.client)
		pairs[i] = pair
	}
	late, part, merged := pairs[0], pairs[1], pairs[2]
	if err := late.awaitStamps(); err != nil {
		return err
	}
	var writes [5]span
	for i, pair := range []*proofPair{late, part, merged} {
		if err := pair.write(&writes[i]); err != nil {
			return err
		}
	}
	time.Sleep(proofWait)
	if err := part.expect("a read of the first part of a segment", 40, 40, writes[1]); err != nil {
		return err
	}
	if err := part.expect("a read of the rest of a segment", 4096, proofBytes-40, writes[1]); err != nil {
		return err
	}
	if err := part.write(&writes[3]); err != nil {
		return err
	}
	if err := merged.write(&writes[4]); err != nil {
		return err
	}
	time.Sleep(proofWait)
	if err := late.expect("a late read", 4096, proofBytes, writes[0]); err != nil {
		return err
	}
	if err := part.expect("a read of the first part of a second segment", 40, 40, writes[3]); err != nil {
		return err
	}
	return merged.expect("a read of two segments", 4096, 2*proofBytes, writes[4])
}

const proofBytes = 100

// span is the time during which a write ran: the segment arrived inside it.
type span struct{ from, to int64 }

type proofPair struct {
	clock          *Clock
	server, client *net.TCPConn
	raw            syscall.RawConn
	conv           *Converter
	recv           Receiver
}

func newProofPair(c *Clock) (*proofPair, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		if ln, err = net.Listen("tcp", "[::1]:0"); err != nil {
			return nil, err
		}
	}
	defer ln.Close()
	client, err := net.DialTimeout("tcp", ln.Addr().String(), time.Second)
	if err != nil {
		return nil, err
	}
	server, err := ln.Accept()
	if err != nil {
		client.Close()
		return nil, err
	}
	p := &proofPair{clock: c, server: server.(*net.TCPConn), client: client.(*net.TCPConn), conv: NewConverter(c)}
	if p.raw, err = p.client.SyscallConn(); err == nil {
		var enabled error
		err = p.raw.Control(func(fd uintptr) { enabled = Enable(int(fd)) })
		if err == nil {
			err = enabled
		}
	}
	if err != nil {
		server.Close()
		client.Close()
		return nil, err
	}
	return p, nil
}

func (p *proofPair) write(during *span) error {
	during.from = p.clock.Now()
	_, err := p.server.Write(make([]byte, proofBytes))
	during.to = p.clock.Now()
	if err != nil {
		return fmt.Errorf("stamp self-test: %w", err)
	}
	return nil
}

// awaitStamps waits until stamping is on: where no other socket of the machine
// asked for it, the kernel switches it on in the background.
func (p *proofPair) awaitStamps() error {
	for deadline := p.clock.Now() + int64(200*time.Millisecond); p.clock.Now() < deadline; time.Sleep(time.Millisecond) {
		var s span
		if err := p.write(&s); err != nil {
			return err
		}
		_, wall, err := p.read(make([]byte, proofBytes))
		if err != nil {
			return fmt.Errorf("stamp self-test: %w", err)
		}
		if wall != 0 {
			return nil
		}
	}
	return errors.New("stamp self-test: the kernel gives no stamps")
}

// read waits at most a second for bytes.
func (p *proofPair) read(buf []byte) (n int, wall int64, err error) {
	if err := p.client.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		return 0, 0, err
	}
	var errno syscall.Errno
	err = p.raw.Read(func(fd uintptr) bool {
		n, wall, errno = p.recv.Recv(int(fd), buf)
		return errno != syscall.EAGAIN
	})
	if err == nil && errno != 0 {
		err = errno
	}
	return n, wall, err
}

// expect reads at most room bytes, and wants n of them with a stamp inside the
// time of the write.
func (p *proofPair) expect(what string, room, n int, want span) error {
	got, wall, err := p.read(make([]byte, room))
	switch {
	case err != nil:
		return fmt.Errorf("stamp self-test: %s: %w", what, err)
	case got != n:
		return fmt.Errorf("stamp self-test: %s gave %d bytes, not %d", what, got, n)
	case wall == 0:
		return fmt.Errorf("stamp self-test: %s came without a stamp", what)
	}
	now := p.clock.Now()
	ns, ok := p.conv.Convert(wall, want.from-int64(time.Second), now)
	if !ok || ns < want.from-int64(proofSlack) || ns > want.to+int64(proofSlack) {
		return fmt.Errorf("stamp self-test: %s was stamped %.3f ms after the write and read %.3f ms after it", what,
			float64(ns-want.to)/1e6, float64(now-want.to)/1e6)
	}
	return nil
}
