package telemetry

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"syscall"
	"time"

	"hpcbench/load/clock"
	"hpcbench/results"
)

// client watches this process.
type client struct {
	clock    *clock.Clock
	lastAt   time.Time
	lastCPU  time.Duration
	lastWait int64
	waitSeen bool
	offset   int64 // wall clock − monotonic clock, ns
	pauses   []uint64
	metric   []metrics.Sample
}

func newClient(c *clock.Clock) *client {
	w := &client{clock: c, metric: []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}}
	w.lastAt, w.lastCPU = time.Now(), cpuTime()
	w.lastWait, w.waitSeen = runDelay()
	w.offset = wallMinus(c)
	w.gcPause()
	return w
}

// sample gives what happened since the last one.
func (w *client) sample(inFlight int) results.ClientSample {
	now, cpu := time.Now(), cpuTime()
	out := results.ClientSample{InFlight: inFlight, RSSMiB: rss() >> 20, GCPauseUs: w.gcPause()}
	if d := now.Sub(w.lastAt); d > 0 {
		out.CPUShare = float64(cpu-w.lastCPU) / float64(d)
	}
	if wait, ok := runDelay(); ok && w.waitSeen {
		// Threads that have ended take their share with them.
		out.RunDelayUs = max(0, wait-w.lastWait) / 1000
		w.lastWait = wait
	}
	offset := wallMinus(w.clock)
	if step := offset - w.offset; step > int64(time.Millisecond) || step < -int64(time.Millisecond) {
		out.ClockStepUs = step / 1000
	}
	w.offset, w.lastAt, w.lastCPU = offset, now, cpu
	return out
}

// gcPause is the longest pause for garbage collection since the last call, in
// microseconds, as the upper end of its histogram's bucket.
func (w *client) gcPause() int64 {
	metrics.Read(w.metric)
	if w.metric[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0
	}
	h := w.metric[0].Value.Float64Histogram()
	longest := 0.0
	if w.pauses == nil {
		w.pauses = make([]uint64, len(h.Counts))
	}
	for i, n := range h.Counts {
		if n > w.pauses[i] {
			if longest = h.Buckets[i+1]; math.IsInf(longest, 1) {
				longest = h.Buckets[i]
			}
		}
		w.pauses[i] = n
	}
	return int64(math.Ceil(longest * 1e6))
}

// cpuTime is the processor time of all threads of this process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// runDelay is how long the threads of this process were runnable without
// running, in nanoseconds, from schedstat of each of them.
func runDelay() (ns int64, ok bool) {
	tasks, err := filepath.Glob("/proc/self/task/*/schedstat")
	if err != nil {
		return 0, false
	}
	for _, path := range tasks {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		if wait, good := parseSchedstat(b); good {
			ns += wait
			ok = true
		}
	}
	return ns, ok
}

// parseSchedstat takes the second number: nanoseconds spent waiting for a core.
func parseSchedstat(b []byte) (int64, bool) {
	fields := bytes.Fields(b)
	if len(fields) != 3 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return n, err == nil && n >= 0
}

// rss is the resident memory of this process in bytes.
func rss() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil || pages < 0 || pages > math.MaxInt64/int64(os.Getpagesize()) {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// wallMinus is the wall clock minus the monotonic one, the tightest of a few
// samples: between two readings the process may lose its core.
func wallMinus(c *clock.Clock) int64 {
	best, offset := int64(math.MaxInt64), int64(0)
	for range 5 {
		before := c.Now()
		wall := time.Now().Round(0).UnixNano()
		after := c.Now()
		if after-before < best {
			best, offset = after-before, wall-before-(after-before)/2
		}
	}
	return offset
}
