package wire

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
)

const rawAvailable = true

// maxLoops bounds the reading threads: one reads above a million events a
// second.
const maxLoops = 4

// raw reads its connections from a few event loops, see the package comment.
type raw struct {
	cfg   Config
	loops []*loop
	next  atomic.Uint32
}

func newRaw(cfg Config) (Wire, error) {
	if err := cfg.Endpoint.check(); err != nil {
		return nil, err
	}
	w := &raw{cfg: cfg}
	for range min(max(runtime.GOMAXPROCS(0)/2, 1), maxLoops) {
		l, err := newLoop(&w.cfg)
		if err != nil {
			w.Close()
			return nil, fmt.Errorf("start the raw wire: %w", err)
		}
		w.loops = append(w.loops, l)
	}
	return w, nil
}

// Name is "raw".
func (w *raw) Name() string { return "raw" }

// Close stops the loops.
func (w *raw) Close() {
	for _, l := range w.loops {
		l.close()
	}
}

// Open dials a connection and hands it to a loop.
func (w *raw) Open(ctx context.Context) (Conn, error) {
	nc, took, err := dial(ctx, &w.cfg)
	if err != nil {
		return nil, err
	}
	fd, err := detach(nc)
	if err != nil {
		return nil, wrap("connect", err)
	}
	l := w.loops[int(w.next.Add(1))%len(w.loops)]
	c := &rawConn{loop: l, fd: fd, connect: took}
	if err := l.add(c); err != nil {
		return nil, wrap("connect", err)
	}
	return c, nil
}
