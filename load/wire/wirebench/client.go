//go:build linux

package wirebench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"hpcbench/load/chunk"
	"hpcbench/load/clock"
	"hpcbench/load/sse"
	"hpcbench/load/wire"
	"hpcbench/results"
)

// window is the time in which is counted, and the process's time at both ends.
type window struct {
	from, to atomic.Int64 // ns since the epoch; 0 is not yet
}

func (w *window) has(ns int64) bool {
	from, to := w.from.Load(), w.to.Load()
	return from != 0 && ns >= from && (to == 0 || ns < to)
}

// runClient receives for the plan's window and prints the result.
func runClient(p Plan, addr string) error {
	c := clock.New(time.Now())
	var r Result
	var err error
	switch {
	case p.Shape == Requests:
		r, err = send(p, addr, c)
	case p.Client == Drain:
		r, err = drain(p, addr, c)
	default:
		r, err = receive(p, addr, c)
	}
	if err != nil {
		return err
	}
	r.PeakMB, err = peak()
	if err != nil {
		return err
	}
	r.CPUPerMil = r.CPUS / float64(r.Events) * 1e6
	r.PerS = float64(r.Events) / r.WallS
	return json.NewEncoder(os.Stdout).Encode(r)
}

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails for a wrong argument only
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak is the largest resident memory so far, in MB (2²⁰ bytes).
func peak() (float64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("read the peak of memory: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kb / 1024, err
		}
	}
	return 0, fmt.Errorf("the peak of memory isn't in /proc/self/status")
}

// stream does with an event what the load generator does, and compares its
// stamp with the server's.
type stream struct {
	w       *window
	flood   bool
	epoch   int64
	parser  sse.Parser
	decoder chunk.Decoder
	facts   chunk.Facts
	gaps    []byte
	prev    int64
	tokens  int

	events, merged, outside int64
	errors                  []int32 // ns
}

func (s *stream) data(b []byte, st clock.Stamp) error { return s.parser.Feed(b, st, s.event) }

func (s *stream) event(e *sse.Event) error {
	if err := s.decoder.Decode(e.Data, &s.facts); err != nil {
		return err
	}
	if s.facts.Text() {
		s.tokens++
	}
	s.gaps = results.AppendGap(s.gaps, results.Gap{Us: (e.Stamp.Ns - s.prev) / 1000, Merged: e.Merged})
	s.prev = e.Stamp.Ns
	if len(s.gaps) > 4096 { // as if a request had ended
		s.gaps = s.gaps[:0]
	}
	if !s.w.has(e.Stamp.Ns) {
		return nil
	}
	s.events++
	written, err := strconv.ParseInt(string(e.Data[len(eventHead)-len("data: "):][:digits]), 10, 64)
	if err != nil {
		return fmt.Errorf("read the instant of a write: %w", err)
	}
	written -= s.epoch
	if e.Merged {
		s.merged++
		if s.flood {
			return nil // written again and again with one instant
		}
		// The write begins a little before the bytes arrive.
		if written < e.Stamp.PrevNs-50_000 || written > e.Stamp.Ns {
			s.outside++
		}
		return nil
	}
	s.errors = append(s.errors, int32(min(max(e.Stamp.Ns-written, -1<<31), 1<<31-1)))
	return nil
}

// receive runs the plan's streams over a wire.
func receive(p Plan, addr string, c *clock.Clock) (Result, error) {
	proof := clock.Prove(c)
	defer proof.Close()
	u, err := url.Parse("http://" + addr)
	if err != nil {
		return Result{}, err
	}
	cfg := wire.Config{Endpoint: wire.Endpoint{URL: u}, Clock: c, Kernel: proof.Kind == clock.Kernel}
	w, err := wire.New(cfg)
	if p.Client == Std {
		w, err = wire.NewStd(cfg)
	}
	if err != nil {
		return Result{}, err
	}
	pool := wire.NewPool(w)
	if _, err := pool.Open(context.Background(), p.Streams, 5000); err != nil {
		return Result{}, err
	}
	req, err := wire.NewRequest(cfg.Endpoint, "POST", "/v1/completions", nil, []byte(`{"stream":true}`))
	if err != nil {
		return Result{}, err
	}
	var win window
	streams := make([]*stream, p.Streams)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	perStream := 64
	if p.Shape != Coalesced {
		perStream = int(p.EventsPerS*p.Window.Seconds()) + 64
	}
	for i := range streams {
		s := &stream{w: &win, flood: p.Shape == Coalesced, epoch: c.MonotonicEpoch(), errors: make([]int32, 0, perStream)}
		streams[i] = s
		wg.Go(func() { _, _, _, _ = pool.Do(ctx, req, s.data) })
	}
	time.Sleep(p.Warmup)
	before, from := cpu(), c.Now()
	win.from.Store(from)
	time.Sleep(p.Window)
	to := c.Now()
	after := cpu()
	win.to.Store(to)
	cancel()
	wg.Wait()
	r := Result{WallS: float64(to-from) / 1e9, CPUS: (after - before).Seconds(), Kernel: cfg.Kernel}
	var errors []int32
	for _, s := range streams {
		r.Events += s.events
		r.Merged += s.merged
		r.Outside += s.outside
		if s.prev > to-int64(time.Second) {
			r.Held++
		}
		errors = append(errors, s.errors...)
	}
	if n := len(errors); n > 0 && p.Shape != Coalesced {
		slices.Sort(errors)
		r.ErrorP50, r.ErrorP99, r.ErrorMax = float64(errors[n/2])/1e3, float64(errors[n*99/100])/1e3, float64(errors[n-1])/1e3
	}
	return r, nil
}
