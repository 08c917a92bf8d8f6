package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hpcbench/load/clock"
	"hpcbench/load/endpoint"
	"hpcbench/load/wire"
	"hpcbench/results"
)

// dialsPerS is the pace at which connections are opened before a window.
const dialsPerS = 1000

// connectLimit bounds dialling; a request's own timeout bounds it, too.
const connectLimit = 20 * time.Second

// way is one way to a server: its wire, its idle connections and how requests
// to it are built. A gateway plan has two, all others one.
type way struct {
	endpoint endpoint.Endpoint
	wire     wire.Wire
	pool     *wire.Pool
	builder  *builder
}

func newWay(e endpoint.Endpoint, p results.Plan, c *clock.Clock, kernel bool) (*way, error) {
	to := wire.Endpoint{URL: e.URL.Base(), Socket: e.Socket}
	if e.Socket == "" && !e.URL.Local() {
		proxy, err := wire.ProxyFor(to.URL)
		if err != nil {
			return nil, err
		}
		to.Proxy = proxy
	}
	total := time.Duration(p.Request.TimeoutS * float64(time.Second))
	w, err := wire.New(wire.Config{
		Endpoint: to,
		Clock:    c,
		Kernel:   kernel && e.Socket == "",
		Timeouts: wire.Timeouts{Connect: min(connectLimit, total), Total: total},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the way to %s: %w", e.URL, err)
	}
	b, err := newBuilder(e, to, p)
	if err != nil {
		w.Close()
		return nil, err
	}
	return &way{endpoint: e, wire: w, pool: wire.NewPool(w), builder: b}, nil
}

func (w *way) close() {
	w.pool.Close()
	w.wire.Close()
}

// sent is what became of one request.
type sent struct {
	resp      *wire.Response
	err       error
	reused    bool
	connectUs int64
}

// await waits for the end of a request that was started on an idle connection,
// or opens a connection and starts it where call is nil. A connection that the
// server had closed between two requests is replaced once: nothing was lost
// with it.
func (w *way) await(ctx context.Context, c wire.Conn, call *wire.Call, req *wire.Request, a *answer) sent {
	s := sent{reused: call != nil}
	for {
		if call == nil {
			var err error
			if c, err = w.wire.Open(ctx); err != nil {
				return sent{resp: &wire.Response{}, err: err}
			}
			s.connectUs, s.reused = max(1, c.Connect().Microseconds()), false
			call = c.Start(req, a.data)
		}
		s.resp, s.err = call.Wait(ctx)
		w.pool.Put(c)
		var own *wire.Error
		if s.reused && errors.As(s.err, &own) && own.Stale && ctx.Err() == nil {
			call = nil
			continue
		}
		return s
	}
}
