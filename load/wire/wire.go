package wire

import (
	"context"
	"time"

	"hpcbench/load/clock"
)

// Wire opens connections to one endpoint.
type Wire interface {
	// Open dials one connection, with TLS where the endpoint has it. The error
	// is an *Error.
	Open(ctx context.Context) (Conn, error)
	// Name is "raw" or "std".
	Name() string
	// Close ends everything. Connections must have been closed before.
	Close()
}

// Data takes the bytes of a body as one read brought them, without the framing
// of HTTP. The bytes are valid until it returns. It must not call methods of
// the connection or the call. An error ends the call and is answered by it as
// it is; with ErrStop the call ends well.
type Data func(p []byte, st clock.Stamp) error

// Conn is one connection, for one call at a time.
type Conn interface {
	// Start sends a request and returns at once, whatever its size. Data is
	// then called from another goroutine, never two calls at a time, and for
	// the last time before Wait returns. Every call must be waited for.
	Start(req *Request, data Data) *Call
	// Usable says that another request may be sent: the last call ended well,
	// and the server has not closed the connection as far as is known.
	Usable() bool
	// Connect is how long dialling took, with TLS.
	Connect() time.Duration
	// Close closes the connection; a call on it fails.
	Close()
}

// Timeouts bound what a server may take. 0 is no bound.
type Timeouts struct {
	Connect time.Duration // dialling, with TLS
	Headers time.Duration // from the send to the end of the headers
	Idle    time.Duration // without a byte, after the headers
	Total   time.Duration // from the send to the end
}

// Bounds of what is kept of an answer.
const (
	// MaxHead bounds the status line and headers, and the trailers, in bytes.
	MaxHead = 64 << 10
	// MaxErrorBody is how much of the body of an answer that isn't good is kept.
	MaxErrorBody = 4 << 10
)

// Config says what a wire needs to know.
type Config struct {
	Endpoint Endpoint
	Clock    *clock.Clock
	// Kernel asks for the kernel's receive stamps; set it where clock.Prove
	// found them to be right.
	Kernel   bool
	Timeouts Timeouts
}

// New makes the wire that fits the endpoint: the raw one for plain HTTP on
// Linux, the standard library's for TLS, proxies and other systems.
func New(cfg Config) (Wire, error) {
	if rawAvailable && cfg.Endpoint.URL != nil && cfg.Endpoint.URL.Scheme == "http" && cfg.Endpoint.Proxy == nil {
		return newRaw(cfg)
	}
	return NewStd(cfg)
}
