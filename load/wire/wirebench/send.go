//go:build linux

package wirebench

import (
	"context"
	"net/url"
	"slices"
	"sync"
	"time"

	"hpcbench/load/clock"
	"hpcbench/load/pace"
	"hpcbench/load/wire"
)

// send sends requests at the plan's rate and measures how late they were.
func send(p Plan, addr string, c *clock.Clock) (Result, error) {
	proof := clock.Prove(c)
	defer proof.Close()
	u, err := url.Parse("http://" + addr)
	if err != nil {
		return Result{}, err
	}
	cfg := wire.Config{Endpoint: wire.Endpoint{URL: u}, Clock: c, Kernel: proof.Kind == clock.Kernel}
	w, err := wire.New(cfg)
	if err != nil {
		return Result{}, err
	}
	defer w.Close()
	pool := wire.NewPool(w)
	defer pool.Close()
	if _, err := pool.Open(context.Background(), p.Streams, 5000); err != nil {
		return Result{}, err
	}
	req, err := wire.NewRequest(cfg.Endpoint, "POST", "/v1/completions", nil, make([]byte, 2000))
	if err != nil {
		return Result{}, err
	}
	r := Result{Kernel: cfg.Kernel}
	win := &window{}
	var wg sync.WaitGroup
	var mu sync.Mutex
	one := func(conn wire.Conn) *wire.Call {
		s := &stream{w: win}
		call := conn.Start(req, s.data)
		wg.Go(func() {
			_, err := call.Wait(context.Background())
			pool.Put(conn)
			if err == nil {
				mu.Lock()
				r.Events++
				mu.Unlock()
			}
		})
		return call
	}
	waiter := pace.NewWaiter(c)
	defer waiter.Close()

	begin := c.Now()
	for range p.Streams {
		if conn := pool.TryGet(); conn != nil {
			one(conn)
		}
	}
	r.OpeningMs = float64(c.Now()-begin) / 1e6
	wg.Wait()

	arrivals, err := pace.Draw(pace.Constant{PerS: p.EventsPerS}, p.Window)
	if err != nil {
		return Result{}, err
	}
	lags := make([]int64, 0, len(arrivals))
	r.Events = 0
	before := cpu()
	begin = c.Now() + int64(10*time.Millisecond)
	for _, at := range arrivals {
		due := begin + int64(at)
		if err := waiter.Until(context.Background(), due); err != nil {
			return Result{}, err
		}
		conn, fresh, err := pool.Get(context.Background())
		if err != nil {
			return Result{}, err
		}
		if fresh {
			r.Dialled++
		}
		lags = append(lags, one(conn).Sent()-due)
	}
	wg.Wait()
	r.WallS, r.CPUS = float64(c.Now()-begin)/1e9, (cpu() - before).Seconds()
	slices.Sort(lags)
	n := len(lags)
	r.LagP50, r.LagP99, r.LagMax = float64(lags[n/2])/1e3, float64(lags[n*99/100])/1e3, float64(lags[n-1])/1e3
	r.Held = p.Streams
	return r, nil
}
