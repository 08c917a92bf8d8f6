package stub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// ErrEngineDied is what Serve returns when the engine behind the server died
// (Faults.DieAfterRequests). vLLM's own exit code is 0 there.
var ErrEngineDied = errors.New("the stub's engine died, as it was told to")

// Server is a running stub.
type Server struct {
	cfg      Config
	engine   *engine
	listener net.Listener
	started  float64 // Unix seconds
	served   sync.WaitGroup
	result   chan error
	stopFunc context.CancelFunc // of Start

	mu       sync.Mutex
	conns    map[*conn]struct{}
	active   int // requests that aren't answered yet
	stopping bool
	idle     chan struct{} // closed when stopping and nothing is active
}

// Serve runs a stub until ctx ends, which is what a SIGTERM should do to it, or
// its engine dies. ready is called once with the address that clients can use
// ("127.0.0.1:8000" or the socket's path). The error wraps ErrEngineDied, or
// says why it couldn't start; a stop by ctx is none.
func Serve(ctx context.Context, cfg Config, ready func(addr string)) error {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return err
	}
	if d := cfg.Faults.StartDelay; d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil
		}
	}
	if cfg.Faults.IgnoreTerm {
		ctx = context.WithoutCancel(ctx)
	}
	s, err := listen(cfg)
	if err != nil {
		return err
	}
	if ready != nil {
		ready(s.listener.Addr().String())
	}
	return s.run(ctx)
}

// Start runs a stub in the background, for tests and for programs that carry
// one. Close ends it.
func Start(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := listen(cfg)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stopFunc = cancel
	go func() { s.result <- s.run(ctx) }()
	return s, nil
}

func listen(cfg Config) (*Server, error) {
	network, address := "tcp", net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port))
	if cfg.Socket != "" {
		network, address = "unix", cfg.Socket
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, fmt.Errorf("stub: listen: %w", err)
	}
	e, err := newEngine(cfg)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("stub: %w", err), l.Close())
	}
	return &Server{cfg: cfg, engine: e, listener: l, started: float64(time.Now().UnixMilli()) / 1000,
		conns: map[*conn]struct{}{}, idle: make(chan struct{}), result: make(chan error, 1)}, nil
}

// Addr is the host and port, or the socket's path.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// URL is the base address of a server on TCP, without /v1.
func (s *Server) URL() string { return "http://" + s.Addr() }

// Close ends a server made by Start as a SIGTERM would and returns how it ended.
func (s *Server) Close() error {
	s.stopFunc()
	err := <-s.result
	s.result <- err
	return err
}

// run accepts until the end and takes everything down.
func (s *Server) run(ctx context.Context) error {
	s.served.Go(s.accept)
	var died error
	select {
	case <-ctx.Done():
		s.drain()
	case <-s.engine.died:
		died = ErrEngineDied
		// The server notices after a moment, as vLLM's watchdog does; /health says 503 meanwhile.
		time.Sleep(50 * time.Millisecond)
	}
	err := s.listener.Close()
	s.engine.stop(finishAbort)
	s.settle(time.Second)
	s.mu.Lock()
	for c := range s.conns {
		_ = c.net.Close() // what isn't read by now won't be
	}
	s.mu.Unlock()
	s.served.Wait()
	return errors.Join(died, err, s.engine.close())
}

// drain lets open streams end by themselves for as long as the configuration says.
func (s *Server) drain() {
	if s.cfg.ShutdownTimeout == 0 {
		return
	}
	s.engine.refuse()
	end := time.Now().Add(s.cfg.ShutdownTimeout)
	for time.Now().Before(end) && s.engine.inFlight() > 0 {
		time.Sleep(5 * time.Millisecond)
	}
}

// settle waits until every answer was handed to the kernel, but no longer than limit.
func (s *Server) settle(limit time.Duration) {
	s.mu.Lock()
	s.stopping = true
	if s.active == 0 {
		close(s.idle)
	}
	s.mu.Unlock()
	select {
	case <-s.idle:
	case <-time.After(limit):
	}
}

func (s *Server) accept() {
	for {
		nc, err := s.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(5 * time.Millisecond) // out of descriptors: some come back
			continue
		}
		c := &conn{srv: s, net: nc, in: bufio.NewReader(nc), out: newSink(nc)}
		s.mu.Lock()
		s.conns[c] = struct{}{}
		s.mu.Unlock()
		s.served.Go(func() {
			c.serve()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		})
	}
}

// begin and end bracket a request; begin says no once the server stops.
func (s *Server) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.active++
	return true
}

func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	if s.stopping && s.active == 0 {
		close(s.idle)
	}
}
