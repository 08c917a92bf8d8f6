package wire

import (
	"context"
	"net"
	"time"

	"hpcbench/load/clock"
)

// dial connects to the endpoint, or to its proxy, without TLS. The connection
// carries receive stamps where these are asked for and the kernel takes the
// option; its error is an *Error.
func dial(ctx context.Context, cfg *Config) (nc net.Conn, took time.Duration, err error) {
	network, addr := "tcp", ""
	switch e := cfg.Endpoint; {
	case e.Socket != "":
		network, addr = "unix", e.Socket
	case e.Proxy != nil:
		addr = address(e.Proxy)
	default:
		addr = address(e.URL)
	}
	// Probes of an idle connection aren't wanted beside measured ones; Idle
	// notices a peer that is gone.
	d := net.Dialer{Timeout: cfg.Timeouts.Connect, KeepAlive: -1}
	begin := time.Now()
	nc, err = d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, time.Since(begin), wrap("connect", err)
	}
	if cfg.Kernel {
		// Where it fails, the reads come without stamps and say so.
		if tcp, ok := nc.(*net.TCPConn); ok {
			if raw, err := tcp.SyscallConn(); err == nil {
				_ = raw.Control(func(fd uintptr) { _ = clock.Enable(int(fd)) })
			}
		}
	}
	return nc, time.Since(begin), nil
}
