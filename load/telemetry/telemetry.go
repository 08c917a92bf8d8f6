package telemetry

import (
	"context"
	"sync"
	"time"

	"hpcbench/load/clock"
	"hpcbench/results"
)

// Every is the time between two samples of one thing.
const Every = time.Second

// Options say what is sampled beside host and client.
type Options struct {
	// Scrape asks the engine for its metrics; nil = it has none.
	Scrape func(context.Context) (results.ServerSample, error)
	// GPU is the argv of a sampler, or the bare name of nvidia-smi, rocm-smi or amd-smi; empty = no GPU.
	GPU []string
	// GPUs are the indices that are ours, as the tool names them; nil = all.
	GPUs []string
	// Warn is told once when something can't be sampled; may be nil.
	Warn func(string)
}

// Sampler runs until Stop.
type Sampler struct {
	clock    *clock.Clock
	emit     func(results.Sample)
	inFlight func() int
	options  Options
	cancel   context.CancelFunc
	wg       sync.WaitGroup
}

// Start begins to sample. emit is called from several goroutines.
func Start(c *clock.Clock, o Options, inFlight func() int, emit func(results.Sample)) *Sampler {
	ctx, cancel := context.WithCancel(context.Background())
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	s := &Sampler{clock: c, emit: emit, inFlight: inFlight, options: o, cancel: cancel}
	if o.Scrape != nil {
		s.wg.Go(func() { s.server(ctx) })
	}
	if len(o.GPU) > 0 {
		s.wg.Go(func() { s.gpu(ctx) })
	}
	s.wg.Go(func() { s.self(ctx) })
	return s
}

// Stop ends the sampling; nothing is emitted after it.
func (s *Sampler) Stop() {
	s.cancel()
	s.wg.Wait()
}

// at is now as samples state it.
func (s *Sampler) at() int64 { return max(1, s.clock.Now()/1000) }

// server asks the engine, at even distances whatever an answer takes; one that
// takes longer than that leaves a sample out.
func (s *Sampler) server(ctx context.Context) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	for {
		s.ask(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// ask takes one reading. Its instant is when the answer came: the engine made
// it just before.
func (s *Sampler) ask(ctx context.Context) {
	asking, cancel := context.WithTimeout(ctx, 10*Every)
	defer cancel()
	start := s.clock.Now()
	sample, err := s.options.Scrape(asking)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		sample = results.ServerSample{Failed: err.Error()}
	}
	end := s.clock.Now()
	sample.ScrapeMs = float64(end-start) / 1e6
	s.emit(results.Sample{At: max(1, end/1000), Kind: results.SampleServer, Server: &sample})
}

// self samples host and client.
func (s *Sampler) self(ctx context.Context) {
	host, client := newHost(), newClient(s.clock)
	tick := time.NewTicker(Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		at := s.at()
		if h, ok := host.sample(); ok {
			s.emit(results.Sample{At: at, Kind: results.SampleHost, Host: &h})
		}
		c := client.sample(s.inFlight())
		s.emit(results.Sample{At: at, Kind: results.SampleClient, Client: &c})
	}
}
