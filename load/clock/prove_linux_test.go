//go:build linux

package clock

import (
	"encoding/binary"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestProveFindsTheKernelClock(t *testing.T) {
	start := time.Now()
	p := Prove(New(start))
	defer p.Close()
	if p.Kind != Kernel {
		t.Fatalf("the process clock would be used: %s", p.Reason)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("the self-test took %v", took)
	}
	if p.Kind.String() != "kernel" || Process.String() != "process" {
		t.Error("words of the clocks")
	}
}

// A pair whose socket was never asked for stamps, one whose clock is wrong, and
// one that was read before anything was written: each must be refused.
func TestExpectRefuses(t *testing.T) {
	c := New(time.Now())
	on := Prove(c)
	defer on.Close()
	pair := func() (*proofPair, span) {
		p, err := newProofPair(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.server.Close(); p.client.Close() })
		var s span
		if err := p.write(&s); err != nil {
			t.Fatal(err)
		}
		return p, s
	}
	unstamped, s := pair()
	err := unstamped.raw.Control(func(fd uintptr) {
		if err := unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPING, 0); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := unstamped.expect("x", 4096, proofBytes, s); err == nil || !strings.Contains(err.Error(), "without a stamp") {
		t.Errorf("no stamp: %v", err)
	}
	wrong, s := pair()
	s.from, s.to = s.from-1e8, s.to-1e8
	if err := wrong.expect("x", 4096, proofBytes, s); err == nil || !strings.Contains(err.Error(), "was stamped") {
		t.Errorf("a stamp 100 ms off: %v", err)
	}
	short, s := pair()
	if err := short.expect("x", 40, proofBytes, s); err == nil || !strings.Contains(err.Error(), "gave 40 bytes") {
		t.Errorf("a short read: %v", err)
	}
}

func TestRecvIsEmptyHandedAndAllocatesNothing(t *testing.T) {
	c := New(time.Now())
	p, err := newProofPair(c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.client.Close()
	buf := make([]byte, 64)
	err = p.raw.Control(func(fd uintptr) {
		if _, _, errno := p.recv.Recv(int(fd), buf); errno != syscall.EAGAIN {
			t.Errorf("an empty socket answers %v", errno)
		}
		if n := testing.AllocsPerRun(100, func() { p.recv.Recv(int(fd), buf) }); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
		p.server.Close()
		n, _, errno := p.recv.Recv(int(fd), buf)
		for deadline := time.Now().Add(time.Second); errno == syscall.EAGAIN && time.Now().Before(deadline); {
			n, _, errno = p.recv.Recv(int(fd), buf)
		}
		if n != 0 || errno != 0 {
			t.Errorf("the end of the stream answers %d bytes, %v", n, errno)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzSoftwareStamp(f *testing.F) {
	good := make([]byte, 64)
	binary.NativeEndian.PutUint64(good, 64)
	binary.NativeEndian.PutUint32(good[8:], unix.SOL_SOCKET)
	binary.NativeEndian.PutUint32(good[12:], unix.SCM_TIMESTAMPING)
	binary.NativeEndian.PutUint64(good[16:], 7)
	binary.NativeEndian.PutUint64(good[24:], 9)
	other := append(make([]byte, 0, 88), 20, 0, 0, 0, 0, 0, 0, 0)
	other = append(other, make([]byte, 16)...)
	f.Add(good)
	f.Add(append(other, good...))
	f.Add(good[:40])
	f.Fuzz(func(t *testing.T, oob []byte) { softwareStamp(oob) })
	if got := softwareStamp(good); got != 7_000_000_009 {
		f.Errorf("got %d", got)
	}
	if got := softwareStamp(append(other, good...)); got != 7_000_000_009 {
		f.Errorf("behind another message: got %d", got)
	}
}
