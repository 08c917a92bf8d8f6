package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// How often lines reach the kernel and the disk, and how many bytes may wait
// for a disk that is full.
const (
	FlushEvery      = 50 * time.Millisecond
	SyncEvery       = 5 * time.Second
	RetryEvery      = time.Second
	MaxWaitingBytes = 64 << 20
	// maxWaitingLines bounds what gathers while one write hangs, as on a file system that lost a server.
	maxWaitingLines = 100_000
)

// file is what a Log needs of an *os.File; a test puts one in its place that is full.
type file interface {
	io.WriterAt
	Sync() error
	Close() error
}

// Log is one append-only file of T, one JSON line each. Append may be called
// from any goroutine.
type Log[T any] struct {
	path   string
	file   file
	report func(error) // called from the background, on the first of a row of failures and on its end (nil)

	mu      sync.Mutex
	waiting []T
	spare   []T
	closed  bool
	lost    int
	fault   error

	wake  chan struct{}
	drain chan chan struct{}
	stop  chan struct{}
	done  chan struct{}

	// Only the background goroutine touches what follows.
	encoded bytes.Buffer // the bytes of the file from base on
	base    int64        // everything before it is known to be on the disk
	written int64        // everything before it is in the kernel
	limit   int
}

// Open makes a new file that must not exist yet: two attempts never share one.
// report is told when writing begins to fail and, with nil, when it works
// again; it may be nil.
func Open[T any](path string, mode os.FileMode, report func(error)) (*Log[T], error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, fmt.Errorf("open %s for writing: %w", path, err)
	}
	return start[T](path, f, MaxWaitingBytes, report), nil
}

func start[T any](path string, f file, limit int, report func(error)) *Log[T] {
	if report == nil {
		report = func(error) {}
	}
	l := &Log[T]{path: path, file: f, limit: limit, report: report,
		wake: make(chan struct{}, 1), drain: make(chan chan struct{}), stop: make(chan struct{}), done: make(chan struct{})}
	go l.run()
	return l
}

// Append adds one line. It never blocks on the disk and never fails: what
// couldn't be kept is counted by Lost.
func (l *Log[T]) Append(v T) {
	l.mu.Lock()
	if l.closed || len(l.waiting) >= maxWaitingLines {
		l.lost++
		l.mu.Unlock()
		return
	}
	first := len(l.waiting) == 0
	l.waiting = append(l.waiting, v)
	l.mu.Unlock()
	if first {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// Lost is how many lines were given up because the disk stayed full for longer
// than memory lasts, or because they came after Close.
func (l *Log[T]) Lost() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Fault is why lines are waiting for the disk now, nil when they aren't.
func (l *Log[T]) Fault() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fault
}

// Flush waits until all lines appended before are in the kernel, so that the
// file can be read. The error is why they aren't.
func (l *Log[T]) Flush() error {
	answer := make(chan struct{})
	select {
	case l.drain <- answer:
		<-answer
	case <-l.done:
	}
	return l.Fault()
}

// Close writes and syncs what is left. The error says how much could not be
// brought to the disk.
func (l *Log[T]) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		<-l.done
		return nil
	}
	l.closed = true
	l.mu.Unlock()
	close(l.stop)
	<-l.done
	var errs []error
	if fault := l.Fault(); fault != nil {
		errs = append(errs, fmt.Errorf("%d bytes of %s are not on the disk: %w", int64(l.encoded.Len())-(l.written-l.base), l.path, fault))
	}
	if err := l.file.Close(); err != nil {
		errs = append(errs, fmt.Errorf("close %s: %w", l.path, err))
	}
	if lost := l.Lost(); lost > 0 {
		errs = append(errs, fmt.Errorf("%d lines of %s were given up while the disk was full", lost, l.path))
	}
	return errors.Join(errs...)
}

// run is the background: it waits for lines, lets FlushEvery worth of them
// gather, and writes them. The sync runs beside it, since on a parallel file
// system it may take seconds.
func (l *Log[T]) run() {
	defer close(l.done)
	tick := time.NewTicker(SyncEvery)
	defer tick.Stop()
	pause := time.NewTimer(time.Hour)
	defer pause.Stop()
	armed := false
	arm := func(d time.Duration) {
		if !armed {
			pause.Reset(d)
			armed = true
		}
	}
	synced := make(chan error, 1)
	syncing, target := false, int64(0)
	begin := func() {
		if !syncing && l.written > l.base {
			syncing, target = true, l.written
			go func() { synced <- l.file.Sync() }()
		}
	}
	for {
		select {
		case <-l.wake:
			arm(FlushEvery)
		case <-pause.C:
			armed = false
			if !l.flush() {
				arm(RetryEvery)
			}
		case answer := <-l.drain:
			l.flush()
			close(answer)
		case <-tick.C:
			begin()
		case err := <-synced:
			syncing = false
			if !l.settle(target, err) {
				arm(RetryEvery)
			}
		case <-l.stop:
			if syncing {
				l.settle(target, <-synced)
			}
			if l.flush() {
				l.settle(l.written, l.file.Sync())
			}
			return
		}
	}
}

// flush brings what waits into the kernel and says whether all of it went.
func (l *Log[T]) flush() bool {
	l.mu.Lock()
	batch := l.waiting
	l.waiting, l.spare = l.spare[:0], nil
	l.mu.Unlock()
	lost := l.encode(batch)
	clear(batch)
	l.mu.Lock()
	l.spare = batch[:0]
	l.lost += lost
	l.mu.Unlock()

	tail := l.encoded.Bytes()[l.written-l.base:]
	if len(tail) == 0 {
		return true
	}
	n, err := l.file.WriteAt(tail, l.written)
	l.written += int64(n)
	if err != nil {
		l.setFault(fmt.Errorf("write %s: %w", l.path, err))
		return false
	}
	l.setFault(nil)
	return true
}

// encode appends a batch to the bytes of the file and counts the lines for
// which there was no room.
func (l *Log[T]) encode(batch []T) (lost int) {
	enc := json.NewEncoder(&l.encoded)
	enc.SetEscapeHTML(false)
	for i := range batch {
		before := l.encoded.Len()
		if before > l.limit {
			return lost + len(batch) - i
		}
		if err := enc.Encode(&batch[i]); err != nil {
			l.encoded.Truncate(before)
			lost++
		}
	}
	return lost
}

// settle takes the answer of a sync up to target. Where it failed, the bytes
// since the last good one are written again: the kernel may have dropped them.
func (l *Log[T]) settle(target int64, err error) bool {
	if err != nil {
		l.written = l.base
		l.setFault(fmt.Errorf("sync %s: %w", l.path, err))
		return false
	}
	l.encoded.Next(int(target - l.base))
	l.base = target
	return true
}

func (l *Log[T]) setFault(err error) {
	l.mu.Lock()
	changed := (l.fault == nil) != (err == nil)
	l.fault = err
	l.mu.Unlock()
	if changed {
		l.report(err)
	}
}
