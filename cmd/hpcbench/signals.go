package main

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals are INT and TERM: the first one asks a verb to end, a second one ends
// it at once. A verb that holds something (a server, open requests) takes the
// second one as a word, too, by calling hold; a third ends any.
type signals struct {
	held  atomic.Bool
	abort chan struct{}
}

func (s *signals) hold() <-chan struct{} {
	s.held.Store(true)
	return s.abort
}

// catch begins to listen.
func catch() (context.Context, *signals) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &signals{abort: make(chan struct{})}
	in := make(chan os.Signal, 3)
	signal.Notify(in, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-in
		cancel()
		<-in
		if s.held.Load() {
			close(s.abort)
			<-in
		}
		os.Exit(codeInterrupted)
	}()
	return ctx, s
}
