package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"hpcbench/load/clock"
	"hpcbench/results"
)

// std reads its connections with the standard library's HTTP and TLS, one
// goroutine for each call.
type std struct{ cfg Config }

// NewStd makes the standard library's wire, which works for every endpoint.
func NewStd(cfg Config) (Wire, error) {
	if err := cfg.Endpoint.check(); err != nil {
		return nil, err
	}
	return newStd(cfg), nil
}

func newStd(cfg Config) *std { return &std{cfg: cfg} }

// Name is "std".
func (w *std) Name() string { return "std" }

// Close does nothing: there is nothing shared.
func (w *std) Close() {}

// Open dials, through the proxy if there is one, and shakes hands.
func (w *std) Open(ctx context.Context) (Conn, error) {
	if w.cfg.Timeouts.Connect > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.cfg.Timeouts.Connect)
		defer cancel()
	}
	begin := time.Now()
	nc, _, err := dial(ctx, &w.cfg)
	if err != nil {
		return nil, err
	}
	c, err := w.secure(ctx, nc)
	if err != nil {
		nc.Close()
		return nil, err
	}
	c.connect = time.Since(begin)
	return c, nil
}

func (w *std) secure(ctx context.Context, nc net.Conn) (*stdConn, error) {
	e := &w.cfg.Endpoint
	c := &stdConn{cfg: &w.cfg, socket: nc}
	if e.Proxy != nil && e.Proxy.Scheme == "https" {
		secured, err := handshake(ctx, nc, e.TLS, e.Proxy.Hostname())
		if err != nil {
			return nil, err
		}
		nc = secured
	}
	if e.URL.Scheme == "https" && e.Proxy != nil {
		if err := tunnel(ctx, nc, e); err != nil {
			return nil, err
		}
	}
	c.stamped = newStampConn(nc, &w.cfg, e.URL.Scheme == "https")
	c.nc = c.stamped
	if e.URL.Scheme == "https" {
		secured, err := handshake(ctx, c.stamped, e.TLS, e.URL.Hostname())
		if err != nil {
			return nil, err
		}
		c.nc = secured
	}
	c.br = bufio.NewReaderSize(c.nc, stdBuffer)
	return c, nil
}

func handshake(ctx context.Context, nc net.Conn, settings *tls.Config, host string) (net.Conn, error) {
	if settings == nil {
		settings = &tls.Config{}
	}
	settings = settings.Clone()
	// A stamp belongs to a connection, so only HTTP/1.1 will do, where a
	// connection has one answer at a time.
	settings.NextProtos = []string{"http/1.1"}
	if settings.ServerName == "" {
		settings.ServerName = host
	}
	c := tls.Client(nc, settings)
	if err := c.HandshakeContext(ctx); err != nil {
		failed := wrap("agree on TLS with "+host, err)
		var own *Error
		if errors.As(failed, &own) && own.Class == results.ErrorProtocol {
			own.Class = results.ErrorTLS // the peer speaks TLS, but not as it should
		}
		return nil, failed
	}
	return c, nil
}

const (
	stdBuffer = 16 << 10
	// inlineWrite is up to where the request is written before the answer is
	// read; a longer one might fill the buffers of a server that answers first.
	inlineWrite = 32 << 10
	// writeGrace is how long the end of the write may come after that of the
	// answer.
	writeGrace = 50 * time.Millisecond
	// maxInformational bounds the 1xx answers before the real one.
	maxInformational = 8
)

var errHeadTooLarge = fail(results.ErrorTooLarge, "read the answer", "its headers have more than %d bytes", MaxHead)

// stdConn is a connection of the standard library's wire.
type stdConn struct {
	cfg     *Config
	connect time.Duration
	socket  net.Conn   // what was dialled
	stamped *stampConn // on it, or on a tunnel through it
	nc      net.Conn   // what HTTP is spoken on
	br      *bufio.Reader

	mu      sync.Mutex
	call    *Call
	aborted error // why the call was ended from outside
	calls   int
	spoiled bool
}

// Connect is how long dialling took, with TLS.
func (c *stdConn) Connect() time.Duration { return c.connect }

// Usable says that another request may be sent. An idle server has nothing to
// say, so anything that can be read is its good-bye.
func (c *stdConn) Usable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.call != nil || c.spoiled {
		return false
	}
	if c.calls == 0 && c.nc != c.stamped {
		return true // the tickets of TLS 1.3 come unasked before the first answer
	}
	if c.br.Buffered() > 0 || len(c.stamped.unread) > 0 || hasInput(c.socket) {
		c.shut()
		return false
	}
	return true
}

// hasInput says that a read would not wait.
func hasInput(nc net.Conn) bool {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return true
	}
	input := true
	if err := raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK)
		input = err != syscall.EAGAIN
	}); err != nil {
		return true
	}
	return input
}

// Close closes the connection.
func (c *stdConn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.call != nil && c.aborted == nil {
		c.aborted = fail(results.ErrorCancelled, "read the answer", "the connection was closed")
	}
	c.shut()
}

func (c *stdConn) shut() {
	c.spoiled = true
	c.socket.Close() // without TLS's good-bye, which might wait
}

// Start hands the request to a goroutine.
func (c *stdConn) Start(req *Request, data Data) *Call {
	call := newCall(c.cfg, req.Want, data)
	call.abort = func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.call == call && c.aborted == nil {
			c.aborted = err
			c.shut()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.call != nil || c.spoiled {
		call.sending(0)
		err := fail(results.ErrorClosed, "send the request", "the connection had been closed by the server")
		err.Stale = true
		call.finish(err, call.resp.TSend)
		return call
	}
	c.call, c.aborted = call, nil
	c.calls++
	go c.serve(call, req)
	return call
}

// serve sends the request and reads the answer.
func (c *stdConn) serve(call *Call, req *Request) {
	reusable, err := c.exchange(call, req)
	at := c.cfg.Clock.Now()
	if err == nil && reusable {
		at = c.stamped.last.Ns
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.aborted != nil {
		err = c.aborted
	}
	if own, ok := err.(*Error); ok && c.aborted == nil && c.calls > 1 && call.resp.BytesIn == 0 &&
		(own.Class == results.ErrorReset || own.Class == results.ErrorClosed) {
		own.Stale = true
	}
	if err != nil || !reusable {
		c.shut()
	}
	c.call = nil
	call.finish(err, at)
}

func (c *stdConn) exchange(call *Call, req *Request) (reusable bool, err error) {
	c.stamped.onRead = func(n int, st clock.Stamp) {
		call.received(n, st.Kind)
		call.lastNs.Store(max(st.Ns, 1))
	}
	call.sending(len(req.bytes))
	c.stamped.begin(call.resp.TSend)
	written := make(chan error, 1)
	write := func() {
		_, err := c.nc.Write(req.bytes)
		written <- err
	}
	if len(req.bytes) <= inlineWrite {
		write()
	} else {
		go write()
	}
	// A failed write isn't the end: what the server said before it closed is
	// worth more.
	resp, err := c.readHead(call)
	if err != nil {
		return false, err
	}
	st := c.stamped.take()
	call.head(resp, st)
	call.headNs.Store(max(st.Ns, 1))
	if err := c.readBody(call, resp); err != nil {
		return false, err
	}
	select {
	case err := <-written:
		return err == nil && !resp.Close && c.br.Buffered() == 0, nil
	case <-time.After(writeGrace): // answered before it had taken the whole request
		return false, nil
	}
}

// readHead reads the final headers; informational answers are passed over.
func (c *stdConn) readHead(call *Call) (*http.Response, error) {
	c.stamped.allowed = MaxHead + stdBuffer
	defer func() { c.stamped.allowed = -1 }()
	for range maxInformational {
		resp, err := http.ReadResponse(c.br, nil)
		if err != nil {
			return nil, c.headError(err, call.resp.BytesIn)
		}
		if err := checkStatus(resp); err != nil {
			return nil, err
		}
		if resp.StatusCode >= 200 {
			return resp, nil
		}
	}
	return nil, fail(results.ErrorProtocol, "read the answer", "more than %d informational ones came first", maxInformational)
}

// headError says what a failure to read the headers after so many bytes means.
func (c *stdConn) headError(err error, bytes int64) error {
	switch {
	case errors.Is(err, errHeadTooLarge):
		return errHeadTooLarge
	case c.stamped.ended && bytes == 0:
		return fail(results.ErrorClosed, "read the answer", "the server closed the connection without one")
	case c.stamped.ended:
		return fail(results.ErrorClosed, "read the answer", "the server closed the connection within the headers")
	}
	return wrap("read the answer", err)
}

// readBody gives the body to the call, read by read.
func (c *stdConn) readBody(call *Call, resp *http.Response) error {
	buf := make([]byte, stdBuffer)
	for {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			st := c.stamped.take()
			// Bytes that wait behind the line end of the chunk may have come later,
			// and so may the last chunk, which the reader took together with these.
			st.More = st.More || c.br.Buffered() > len("\r\n") || err == io.EOF && len(resp.TransferEncoding) > 0
			if err := call.body(buf[:n], st); err != nil {
				return err
			}
			if call.stopped && call.stopNs.Load() == 0 {
				call.stopNs.Store(max(st.Ns, 1))
				call.nudge <- struct{}{}
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fail(results.ErrorClosed, "read the body", "the server closed the connection within it")
		case err != nil:
			return wrap("read the body", err)
		}
	}
}
