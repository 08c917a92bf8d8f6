package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hpcbench/jobs"
	"hpcbench/results"
	"hpcbench/slurm/local"
)

// The test binary supervises local jobs, as hpcbench does.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "supervise" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := local.Supervise(ctx, os.Args[2]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// complete is a script that writes what a repeat of a run leaves behind.
const complete = `for n in $HPCBENCH_JOB_REPEATS; do
  dir=$PWD/repeat-$n/attempt-0
  mkdir -p "$dir"
  echo "$n" >> ran
  printf '{"format":"hpcbench.attempt/1","repeat":%s,"state":"complete","ended_at":"2026-03-19T20:00:00Z"}\n' "$n" > "$dir/attempt.json"
done
`

// bench is a night with doubles of everything but the scheduler and the files.
type bench struct {
	t       *testing.T
	machine Machine
	store   jobs.Store
	script  string // of every run
	gpus    int
	judge   func(Seen) (Judgement, error)

	lock  sync.Mutex
	shown []Seen // to the judge
}

// newBench is a night of the entries whose runs have three repeats in one job.
func newBench(t *testing.T, entries ...string) *bench {
	t.Helper()
	top := t.TempDir()
	b := &bench{t: t, store: jobs.Store{Dir: filepath.Join(top, "runs"), Group: -1}, script: complete, gpus: 4}
	b.judge = func(Seen) (Judgement, error) { return Judgement{State: "green", Reason: "no worse"}, nil }
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sched := local.Scheduler{State: filepath.Join(top, "jobs"), Supervise: []string{self, "supervise"}}
	b.machine = Machine{
		Dir: filepath.Join(top, "night"), Night: "2026-03-19", Entries: entries, Enough: 3, Now: time.Now,
		Open:    b.open,
		Resolve: b.resolve,
		Submitter: func(m Made) (jobs.Submitter, error) {
			return jobs.Submitter{Scheduler: sched, Dir: m.Run.Dir, Spec: m.Run.Spec, Now: time.Now, FindFor: 2 * time.Second, OrphanAge: time.Second}, nil
		},
		Status: func(ctx context.Context, all []jobs.Entry) ([]jobs.RunStatus, error) {
			return jobs.Status(ctx, sched, all), nil
		},
		Judge: func(_ context.Context, s Seen) (Judgement, error) {
			b.lock.Lock()
			defer b.lock.Unlock()
			b.shown = append(b.shown, s)
			return b.judge(s)
		},
	}
	t.Cleanup(func() { time.Sleep(50 * time.Millisecond) }) // the supervisors' last writes
	return b
}

func names(p Part) (run, base string) {
	if p.Look == 0 {
		return p.Entry, ""
	}
	return fmt.Sprintf("%s-p%d-new", p.Entry, p.Look), fmt.Sprintf("%s-p%d-base", p.Entry, p.Look)
}

func (b *bench) entry(name string) (jobs.Entry, bool, error) {
	e, err := b.store.Find(filepath.Join(b.store.Dir, name))
	if errors.Is(err, jobs.ErrNoRun) {
		return e, false, nil
	}
	return e, err == nil, err
}

func (b *bench) open(p Part) (Made, bool, error) {
	run, base := names(p)
	e, there, err := b.entry(run)
	if err != nil || !there || base == "" {
		return Made{Run: e}, there, err
	}
	frozen, there, err := b.entry(base)
	return Made{Run: e, Base: &frozen}, there, err
}

func (b *bench) resolve(_ context.Context, p Part) (Draft, error) {
	repeats := 3
	if p.Pairs > 0 {
		repeats = p.Pairs
	}
	g := results.Grouping{Mode: results.ModeRestart, FreshServer: true, Jobs: [][]int{nil}}
	for i := 1; i <= repeats; i++ {
		g.Jobs[0] = append(g.Jobs[0], i)
	}
	spec := results.Spec{Format: results.FormatSpec, Repeats: repeats, Grouping: g}
	spec.Job.WalltimeS, spec.Job.GPUs = 1800, b.gpus
	run, base := names(p)
	return Draft{Spec: spec, Publish: func() (Made, error) {
		for _, name := range []string{base, run} {
			if name == "" {
				continue
			}
			if err := b.publish(spec, name); err != nil {
				return Made{}, err
			}
		}
		made, _, err := b.open(p)
		return made, err
	}}, nil
}

func (b *bench) publish(spec results.Spec, name string) error {
	spec.Name, spec.Job.Dir = name, filepath.Join(b.store.Dir, name)
	dir, err := b.store.Stage(name)
	if err != nil {
		return err
	}
	script := b.script
	if strings.HasSuffix(name, "-new") { // one job runs both sides
		script += "cd ../" + strings.TrimSuffix(name, "-new") + "-base\n" + b.script
	}
	if err := os.WriteFile(dir.Script(), []byte("#!/bin/bash\nset -e\n"+script), 0o700); err != nil {
		return err
	}
	if err := results.WriteJSON(dir.Spec(), spec, 0o600); err != nil {
		return err
	}
	_, err = b.store.Publish(dir, name)
	return err
}

// advance is one call of the nightly.
func (b *bench) advance() State {
	b.t.Helper()
	s, err := b.machine.Advance(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// finish calls again and again until the night is over.
func (b *bench) finish() State {
	b.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if s := b.advance(); s.Over() {
			return s
		}
	}
	b.t.Fatalf("the night doesn't end: %+v", b.advance())
	return State{}
}

// ran lists the repeats of a run in the order in which they were run.
func (b *bench) ran(run string) []string {
	text, err := os.ReadFile(filepath.Join(b.store.Dir, run, "ran"))
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	return strings.Fields(string(text))
}

func (b *bench) wantRan(run string, want ...string) {
	b.t.Helper()
	if got := b.ran(run); !slices.Equal(got, want) {
		b.t.Errorf("%s ran repeats %v, want %v", run, got, want)
	}
}

// events counts what happened.
func (b *bench) events(what string) int {
	b.t.Helper()
	all, err := readEvents(b.machine.Dir)
	if err != nil {
		b.t.Fatal(err)
	}
	n := 0
	for _, e := range all {
		if e.What == what {
			n++
		}
	}
	return n
}
