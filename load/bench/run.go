//go:build linux

package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hpcbench/engine"
	"hpcbench/engine/stub"
	"hpcbench/engine/vllm"
	"hpcbench/load"
	"hpcbench/load/endpoint"
	"hpcbench/load/telemetry"
	"hpcbench/results"
)

// Plan is one measurement.
type Plan struct {
	Server     stub.Config
	Load       results.Plan
	ServerCore int // -1 = any
	ClientCore int
}

// role is what a child is told.
type role struct {
	Name  string
	Plan  Plan
	URL   string
	Dir   string
	Began time.Time
}

const (
	roleVariable   = "HPCBENCH_LOADBENCH_ROLE"
	pinnedVariable = "HPCBENCH_LOADBENCH_PINNED"
)

// Main plays a child's role and never returns if this process is a child of
// Run; else it returns at once.
func Main() {
	text := os.Getenv(roleVariable)
	if text == "" {
		return
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
	core := r.Plan.ClientCore
	if r.Name == "server" {
		core = r.Plan.ServerCore
	}
	if err == nil && core >= 0 && os.Getenv(pinnedVariable) == "" {
		// Go takes the number of its threads from the cores that it finds at its start.
		if err = pin(core); err == nil {
			err = syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), pinnedVariable+"=1"))
		}
	}
	if err == nil && r.Name == "server" {
		err = serve(r)
	} else if err == nil {
		err = client(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(r role) error {
	r.Plan.Server.Model = "m"
	r.Plan.Server.TruthFile = filepath.Join(r.Dir, truthName)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte() // the parent has closed it, or ended
		cancel()
	}()
	return stub.Serve(ctx, r.Plan.Server, func(addr string) { fmt.Println(addr) })
}

func client(r role) error {
	u, err := endpoint.ParseURL(r.URL)
	if err != nil {
		return err
	}
	dir := results.AttemptDir(r.Dir)
	first := load.Standalone("bench", 1, 0, "bench", "bench")
	first.StartedAt = r.Began.UTC()
	file, err := load.NewAttemptFile(dir, 0o600, first)
	if err != nil {
		return err
	}
	_, err = load.Run(context.Background(), load.Config{
		Endpoint: endpoint.Endpoint{URL: u, Model: "m"}, Plan: r.Plan.Load, Dir: dir, Attempt: file,
		CacheDir: os.TempDir(),
		Warn:     func(w string) { fmt.Fprintln(os.Stderr, w) },
		Telemetry: telemetry.Options{Scrape: func(ctx context.Context) (results.ServerSample, error) {
			return vllm.Scrape(ctx, engine.Endpoint{BaseURL: u.String()})
		}},
	})
	// The kernel's own maximum in rusage would hold the parent's, too.
	status, readErr := os.ReadFile("/proc/self/status")
	if readErr != nil {
		return errors.Join(err, readErr)
	}
	return errors.Join(err, os.WriteFile(filepath.Join(r.Dir, peakName), status, 0o600))
}

// pin keeps the process on one core: its threads that are there and, by
// inheritance, those to come.
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

const (
	truthName = "truth.jsonl"
	peakName  = "peak.txt"
)

// Run carries a measurement out in a folder of its own.
func Run(ctx context.Context, p Plan) (Result, error) {
	dir, err := os.MkdirTemp("", "hpcbench-loadbench-")
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(dir)
	server, err := child(ctx, role{Name: "server", Plan: p, Dir: dir})
	if err != nil {
		return Result{}, err
	}
	in, err := server.StdinPipe()
	if err != nil {
		return Result{}, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return Result{}, err
	}
	if err := server.Start(); err != nil {
		return Result{}, fmt.Errorf("start the server: %w", err)
	}
	stop := func() error {
		in.Close()
		return server.Wait()
	}
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return Result{}, errors.Join(fmt.Errorf("the server gave no address: %w", err), stop())
	}
	attempt := filepath.Join(dir, "attempt")
	if err := os.Mkdir(attempt, 0o700); err != nil {
		return Result{}, errors.Join(err, stop())
	}
	began := time.Now()
	cmd, err := child(ctx, role{Name: "client", Plan: p, Dir: attempt, URL: "http://" + strings.TrimSpace(addr), Began: began})
	if err != nil {
		return Result{}, errors.Join(err, stop())
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return Result{}, errors.Join(fmt.Errorf("the load: %w: %s", err, out), stop())
	}
	if err := stop(); err != nil {
		return Result{}, fmt.Errorf("the server: %w", err)
	}
	r, err := evaluate(results.AttemptDir(attempt), filepath.Join(dir, truthName), began)
	if err != nil {
		return r, err
	}
	r.PeakMB, err = peak(filepath.Join(attempt, peakName))
	return r, err
}

// peak is VmHWM of a process's status, in MB.
func peak(path string) (float64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	var kib float64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0, fmt.Errorf("read the peak of memory: %w", err)
	}
	return kib * 1024 / 1e6, nil
}

func child(ctx context.Context, r role) (*exec.Cmd, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), roleVariable+"="+string(text))
	return cmd, nil
}
