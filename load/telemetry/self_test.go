package telemetry

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"hpcbench/load/clock"
	"hpcbench/results"
)

func TestClientSeesItsOwnWork(t *testing.T) {
	c := newClient(clock.New(time.Now()))
	end := time.Now().Add(150 * time.Millisecond)
	x := 0.0
	for time.Now().Before(end) {
		x += math.Sqrt(x + 1)
	}
	s := c.sample(7)
	if s.CPUShare < 0.1 || s.CPUShare > 64 || s.InFlight != 7 || s.RSSMiB < 1 || s.RunDelayUs < 0 || s.ClockStepUs != 0 {
		t.Errorf("%+v (%v)", s, x)
	}
}

func TestClockStepIsSeen(t *testing.T) {
	c := newClient(clock.New(time.Now()))
	c.offset -= int64(50 * time.Millisecond) // as if the wall clock had jumped ahead since
	if s := c.sample(0); s.ClockStepUs < 49_000 || s.ClockStepUs > 51_000 {
		t.Errorf("step of %d µs", s.ClockStepUs)
	}
	if s := c.sample(0); s.ClockStepUs != 0 {
		t.Errorf("the step is told twice: %d µs", s.ClockStepUs)
	}
}

func TestParseSchedstat(t *testing.T) {
	if n, ok := parseSchedstat([]byte("123 456 7\n")); !ok || n != 456 {
		t.Error(n, ok)
	}
	for _, bad := range []string{"", "1 2", "1 x 3", "1 -5 3"} {
		if _, ok := parseSchedstat([]byte(bad)); ok {
			t.Errorf("%q is taken", bad)
		}
	}
}

// node writes a small /proc and /sys.
func node(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestHostCountsItsOwnCoresOnly(t *testing.T) {
	root := node(t, map[string]string{
		"proc/self/status": "Name:\tx\nCpus_allowed_list:\t1-2,5\n",
		"proc/self/cgroup": "0::/slurm/job_7/step_0\n",
		"proc/stat":        "cpu  9 9 9 9 9 9 9 9\ncpu0 100 0 0 0 0 0 0 0\ncpu1 10 0 0 90 0 0 0 0\ncpu2 10 0 0 90 0 0 0 0\n",
		"proc/loadavg":     "1.50 1.0 0.9 1/2 3\n",
		"proc/meminfo":     "MemTotal: 2048 kB\nMemAvailable:    1048576 kB\n",
		"sys/fs/cgroup/slurm/job_7/memory.events":        "low 0\noom 1\noom_kill 2\n",
		"sys/fs/cgroup/slurm/job_7/step_0/memory.events": "oom_kill 0\n",
	})
	h := newHostAt(root)
	if err := os.WriteFile(filepath.Join(root, "proc/stat"), []byte("cpu0 900 0 0 0 0 0 0 0\ncpu1 60 0 0 140 0 0 0 0\ncpu2 10 0 0 190 0 0 0 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, ok := h.sample()
	if !ok || math.Abs(s.CPUShare-0.25) > 1e-9 || s.LoadOne != 1.5 || s.MemAvailMiB != 1024 || s.OOMKills != 2 {
		t.Errorf("%+v", s)
	}
	v1 := newHostAt(node(t, map[string]string{
		"proc/stat": "cpu0 1 0 0 1 0 0 0 0\n", "proc/self/cgroup": "5:cpu,memory:/job\n0::/\n",
		"sys/fs/cgroup/memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
	}))
	if s, ok := v1.sample(); !ok || s.OOMKills != 3 {
		t.Errorf("%+v", s)
	}
	if _, ok := newHostAt(t.TempDir()).sample(); ok {
		t.Error("a node without /proc gives a sample")
	}
}

func FuzzHostFiles(f *testing.F) {
	f.Add([]byte("cpu0 1 2 3 4 5 6 7 8\n"), []byte("Cpus_allowed_list: 0-3,7\n"))
	f.Fuzz(func(t *testing.T, stat, status []byte) {
		busy, total := coreTimes(stat, allowedCores(status))
		_ = busy + total
		parseSchedstat(stat)
		field(stat, "cpu0")
	})
}

func TestEngineIsAskedEverySecondAndFailuresAreSamples(t *testing.T) {
	var asked, good, bad atomic.Int64
	s := Start(clock.New(time.Now()), Options{Scrape: func(context.Context) (results.ServerSample, error) {
		if asked.Add(1)%2 == 1 {
			return results.ServerSample{}, errors.New("the engine is busy")
		}
		v := 3.0
		return results.ServerSample{Running: &v}, nil
	}}, func() int { return 0 }, func(s results.Sample) {
		switch {
		case s.Server != nil && s.Server.Failed != "":
			bad.Add(1)
		case s.Server != nil && *s.Server.Running == 3:
			good.Add(1)
		}
	})
	time.Sleep(1200 * time.Millisecond)
	s.Stop()
	if good.Load() != 1 || bad.Load() != 1 {
		t.Errorf("%d good and %d failed samples in 1.2 s", good.Load(), bad.Load())
	}
}
