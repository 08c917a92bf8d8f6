package wire

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Pool keeps connections that are open and ready, so that no request of a
// window has to wait for one.
type Pool struct {
	wire Wire

	mu     sync.Mutex
	idle   []Conn // the one used last is taken first
	closed bool
}

// NewPool makes an empty pool.
func NewPool(w Wire) *Pool { return &Pool{wire: w} }

// Open opens connections until n are idle, at most perS of them a second: a
// burst of thousands overflows a server's accept queue, and those that are lost
// there come back after 1, 3 and 7 seconds. It answers how long each took. The
// first failure ends it.
func (p *Pool) Open(ctx context.Context, n int, perS float64) (took []time.Duration, err error) {
	// Dialling is mostly waiting, and one after the other a remote server's
	// round trips would add up.
	const dialling = 16
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		gate = make(chan struct{}, dialling)
	)
	begin := time.Now()
	for i := range n - p.Idle() {
		due := begin.Add(time.Duration(float64(i) / perS * float64(time.Second)))
		if !pause(ctx, time.Until(due)) {
			break
		}
		select {
		case gate <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-gate }()
			c, err := p.wire.Open(ctx)
			if err != nil {
				cancel(fmt.Errorf("open connection %d of %d: %w", i+1, n, err))
				return
			}
			p.Put(c)
			mu.Lock()
			took = append(took, c.Connect())
			mu.Unlock()
		})
	}
	wg.Wait()
	return took, context.Cause(ctx)
}

// pause waits for d and says whether ctx lasted.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Idle is the number of connections that wait.
func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// TryGet takes an idle connection that still is usable, without waiting; nil
// when there is none.
func (p *Pool) TryGet() Conn {
	for {
		p.mu.Lock()
		last := len(p.idle) - 1
		if last < 0 {
			p.mu.Unlock()
			return nil
		}
		c := p.idle[last]
		p.idle[last] = nil
		p.idle = p.idle[:last]
		p.mu.Unlock()
		if c.Usable() {
			return c
		}
		c.Close()
	}
}

// Get takes an idle connection, or dials one where there is none; fresh says
// that it did.
func (p *Pool) Get(ctx context.Context) (c Conn, fresh bool, err error) {
	if c := p.TryGet(); c != nil {
		return c, false, nil
	}
	c, err = p.wire.Open(ctx)
	return c, true, err
}

// Put gives a connection back after its call has ended. One that can't be used
// again is closed.
func (p *Pool) Put(c Conn) {
	usable := c.Usable()
	p.mu.Lock()
	keep := usable && !p.closed
	if keep {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	if !keep {
		c.Close()
	}
}

// Do sends a request on a connection of the pool and waits for the answer.
// fresh says that a connection had to be dialled for it, which took connect.
func (p *Pool) Do(ctx context.Context, req *Request, data Data) (resp *Response, fresh bool, connect time.Duration, err error) {
	c, fresh, err := p.Get(ctx)
	if err != nil {
		return &Response{}, fresh, 0, err
	}
	defer p.Put(c)
	if fresh {
		connect = c.Connect()
	}
	resp, err = c.Start(req, data).Wait(ctx)
	return resp, fresh, connect, err
}

// Close closes the idle connections, and later those that are given back.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}
