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
	"runtime"
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
	Procs      int // GOMAXPROCS of the client, 0 = as the cores say
}

// role is what a child is told.
type role struct {
	Name  string
	Plan  Plan
	URL   string
	Dir   string
	Began time.Time
}

const roleVariable = "HPCBENCH_LOADBENCH_ROLE"

// Main plays a child's role and never returns if this process is a child of
// Run; else it returns at once.
func Main() {
	text := os.Getenv(roleVariable)
	if text == "" {
		return
	}
	var r role
	err := json.Unmarshal([]byte(text), &r)
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
	if err := pin(r.Plan.ServerCore); err != nil {
		return err
	}
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
	if err := pin(r.Plan.ClientCore); err != nil {
		return err
	}
	if r.Plan.Procs > 0 {
		runtime.GOMAXPROCS(r.Plan.Procs)
	}
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
	return err
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

const truthName = "truth.jsonl"

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
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.PeakMB = float64(usage.Maxrss) / 1000
	}
	return r, err
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
