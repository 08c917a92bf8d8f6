//go:build linux

package wirebench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Shapes of the server's writing.
const (
	Spread    = "spread"    // the streams' events evenly over the interval
	Burst     = "burst"     // all streams at one instant, as an engine's step does it
	Coalesced = "coalesced" // 32 events a write, as fast as the client takes them
	// Requests has short answers; the client sends at a constant rate and says
	// how late it was. Streams is the connections opened before, EventsPerS the
	// requests a second.
	Requests = "requests"
)

// Clients.
const (
	Drain = "drain" // epoll and read, nothing else
	Raw   = "raw"   // the raw wire, the parser, the decoder, the gaps
	Std   = "std"   // the same with the standard library's wire
)

// Plan is one measurement.
type Plan struct {
	Shape   string
	Client  string
	Streams int
	// EventsPerS of a stream; ignored by Coalesced.
	EventsPerS float64
	Warmup     time.Duration
	Window     time.Duration
	// ServerCore and ClientCore are the cores of the two processes, −1 for any.
	ServerCore, ClientCore int
	// Procs is the client's GOMAXPROCS.
	Procs int
	// Busy keeps the client's core full with another process at the same
	// priority.
	Busy bool
}

// Result is what a client saw in its window.
type Result struct {
	Events   int64   `json:"events"`
	Held     int     `json:"held"` // streams that brought something in the last second
	WallS    float64 `json:"wall_s"`
	CPUS     float64 `json:"cpu_s"` // user and system time of the client process
	PeakMB   float64 `json:"peak_mb"`
	Merged   int64   `json:"merged"`
	Kernel   bool    `json:"kernel"`
	ErrorP50 float64 `json:"error_p50_us"` // stamp − the server's write, of events that weren't merged
	ErrorP99 float64 `json:"error_p99_us"`
	ErrorMax float64 `json:"error_max_us"`
	Outside  int64   `json:"outside"` // merged events whose write lies outside of their interval
	// How much later than planned requests were sent.
	LagP50 float64 `json:"lag_p50_us"`
	LagP99 float64 `json:"lag_p99_us"`
	LagMax float64 `json:"lag_max_us"`
	// OpeningMs is how long sending one request on every connection took, as
	// fast as possible.
	OpeningMs float64 `json:"opening_ms"`
	Dialled   int     `json:"dialled"` // in the window, since no connection was ready
	CPUPerMil float64 `json:"cpu_s_per_million"`
	PerS      float64 `json:"events_per_s"`
}

const roleVariable = "HPCBENCH_WIREBENCH"

// role is what a child is told.
type role struct {
	Name string
	Plan Plan
	Addr string
}

// spun gives the busy role something to do.
var spun atomic.Int64

// Main plays a child's role and never returns if this process is a child of
// Run; else it returns at once.
func Main() {
	text := os.Getenv(roleVariable)
	if text == "" {
		return
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
	if err == nil {
		switch r.Name {
		case "server":
			err = pin(r.Plan.ServerCore)
			if err == nil {
				err = serve(r.Plan)
			}
		case "client":
			err = pin(r.Plan.ClientCore)
			if err == nil {
				err = runClient(r.Plan, r.Addr)
			}
		case "busy":
			if err = pin(r.Plan.ClientCore); err == nil {
				for n := int64(0); ; n++ {
					spun.Store(n)
				}
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// pin keeps every thread of the process that is yet to start on one core.
func pin(core int) error {
	if core < 0 {
		return nil
	}
	var set unix.CPUSet
	set.Set(core)
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	for _, task := range tasks {
		var id int
		if _, err := fmt.Sscan(task.Name(), &id); err != nil {
			return fmt.Errorf("thread %q: %w", task.Name(), err)
		}
		if err := unix.SchedSetaffinity(id, &set); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("pin thread %d to core %d: %w", id, core, err)
		}
	}
	return nil
}

// Run carries a measurement out.
func Run(ctx context.Context, p Plan) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server, lines, err := start(ctx, role{Name: "server", Plan: p})
	if err != nil {
		return Result{}, err
	}
	defer func() { cancel(); _ = server.Wait() }()
	if !lines.Scan() {
		return Result{}, errors.New("the server said no address")
	}
	addr := lines.Text()
	if p.Busy {
		busy, _, err := start(ctx, role{Name: "busy", Plan: p})
		if err != nil {
			return Result{}, err
		}
		defer func() { cancel(); _ = busy.Wait() }()
	}
	client, answer, err := start(ctx, role{Name: "client", Plan: p, Addr: addr})
	if err != nil {
		return Result{}, err
	}
	var r Result
	answer.Scan()
	decodeErr := json.Unmarshal(answer.Bytes(), &r)
	if err := client.Wait(); err != nil {
		return r, fmt.Errorf("the %s client: %w", p.Client, err)
	}
	if decodeErr != nil {
		return r, fmt.Errorf("read the %s client's result %q: %w", p.Client, answer.Text(), decodeErr)
	}
	return r, nil
}

func start(ctx context.Context, r role) (*exec.Cmd, *bufio.Scanner, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("find this program: %w", err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, exe)
	procs := r.Plan.Procs
	if r.Name != "client" || procs == 0 {
		procs = 2
	}
	cmd.Env = append(os.Environ(), roleVariable+"="+string(text), fmt.Sprintf("GOMAXPROCS=%d", procs))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("start the %s: %w", r.Name, err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return cmd, lines, nil
}
