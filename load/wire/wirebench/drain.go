//go:build linux

package wirebench

import (
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"hpcbench/load/clock"
)

// drain reads the plan's streams from one epoll loop and throws the bytes away:
// the least that receiving can cost with ordinary system calls.
func drain(p Plan, addr string, c *clock.Clock) (Result, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return Result{}, fmt.Errorf("epoll_create1: %w", err)
	}
	to, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return Result{}, err
	}
	request := []byte("POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
	for range p.Streams {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return Result{}, fmt.Errorf("socket: %w", err)
		}
		if err := unix.Connect(fd, &unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())}); err != nil {
			return Result{}, fmt.Errorf("connect: %w", err)
		}
		if _, err := unix.Write(fd, request); err != nil {
			return Result{}, fmt.Errorf("write: %w", err)
		}
		if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}); err != nil {
			return Result{}, fmt.Errorf("epoll_ctl: %w", err)
		}
		time.Sleep(200 * time.Microsecond)
	}
	events := make([]unix.EpollEvent, 512)
	buf := make([]byte, 128<<10)
	var bytes int64
	begin := c.Now() + int64(p.Warmup)
	end := begin + int64(p.Window)
	started := false
	var before time.Duration
	var from int64
	for {
		n, err := unix.EpollWait(epoll, events, 10)
		if err != nil && err != unix.EINTR {
			return Result{}, fmt.Errorf("epoll_wait: %w", err)
		}
		now := c.Now()
		if !started && now >= begin {
			started, before, from, bytes = true, cpu(), now, 0
		}
		if now >= end {
			return Result{Events: bytes / int64(chunkSize), Held: p.Streams, WallS: float64(now-from) / 1e9, CPUS: (cpu() - before).Seconds()}, nil
		}
		for _, e := range events[:max(n, 0)] {
			got, err := unix.Read(int(e.Fd), buf)
			if err != nil || got == 0 {
				return Result{}, fmt.Errorf("the server closed a stream: %v", err)
			}
			bytes += int64(got)
		}
	}
}
