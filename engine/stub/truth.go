package stub

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Truth is one line of the truth file: when the server really read a request
// and wrote each event of its answer. Times are nanoseconds of CLOCK_MONOTONIC,
// which all processes of a machine share; RealOffsetNs added to one gives
// CLOCK_REALTIME, as it stood when the request was read.
type Truth struct {
	ID           string  `json:"id"` // the answer's id
	PromptTokens int     `json:"prompt_tokens"`
	OutputTokens int     `json:"output_tokens"`
	Finish       string  `json:"finish"` // finish_reason, or "dropped", "cancelled", "error"
	RealOffsetNs int64   `json:"real_offset_ns"`
	ReadNs       int64   `json:"read_mono_ns"`     // the request's last byte was read
	AdmittedNs   int64   `json:"admitted_mono_ns"` // it got a slot; by the schedule
	FirstDueNs   int64   `json:"first_due_mono_ns"`
	WriteNs      []int64 `json:"write_mono_ns"` // just before the write of each event that carries tokens or a role
	Tokens       []int   `json:"tokens"`        // in each of them
	EndNs        int64   `json:"end_mono_ns"`   // just before the write that ends the answer
}

// ReadTruth reads a truth file.
func ReadTruth(r io.Reader) ([]Truth, error) {
	var all []Truth
	dec := json.NewDecoder(bufio.NewReader(r))
	for {
		var t Truth
		switch err := dec.Decode(&t); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return all, fmt.Errorf("read truth, line %d: %w", len(all)+1, err)
		}
		all = append(all, t)
	}
}

// truthLog writes the lines from a goroutine of its own, so that a slow disk
// doesn't delay a token.
type truthLog struct {
	lines chan Truth
	done  sync.WaitGroup
	err   error // valid after close
}

func openTruth(path string) (*truthLog, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the truth file: %w", err)
	}
	t := &truthLog{lines: make(chan Truth, 4096)}
	t.done.Go(func() {
		w := bufio.NewWriter(f)
		enc := json.NewEncoder(w)
		for line := range t.lines {
			if err := enc.Encode(line); err != nil && t.err == nil {
				t.err = fmt.Errorf("write the truth file: %w", err)
			}
			if len(t.lines) == 0 {
				t.err = errors.Join(t.err, w.Flush())
			}
		}
		t.err = errors.Join(t.err, w.Flush(), f.Close())
	})
	return t, nil
}

func (t *truthLog) close() error {
	close(t.lines)
	t.done.Wait()
	return t.err
}

// clock turns Go's time into nanoseconds of CLOCK_MONOTONIC without a system call.
type clock struct {
	start time.Time
	base  int64 // CLOCK_MONOTONIC at start
}

func newClock() clock {
	return clock{start: time.Now(), base: monotonicNs()}
}

func (c clock) now() int64 { return c.base + int64(time.Since(c.start)) }

// realOffset is CLOCK_REALTIME - CLOCK_MONOTONIC now.
func (c clock) realOffset() int64 {
	t := time.Now()
	return t.UnixNano() - (c.base + int64(t.Sub(c.start)))
}
