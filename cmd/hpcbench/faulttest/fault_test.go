//go:build fault

package faulttest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/engine/stub"
	"hpcbench/results"
)

// fault is one test: a user, a run, and the row that it leaves.
type fault struct {
	*world.World
	row  row
	run  string
	seen []string
	kept string
	left string
	end  string
}

// put begins a test of a fault.
func put(t *testing.T, group, name, done string) *fault {
	t.Helper()
	f := &fault{World: world.New(t), row: row{group: group, fault: name, done: done}, run: strings.ToLower(strings.TrimPrefix(t.Name(), "Test"))}
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		var after []string
		for _, a := range []string{f.kept, f.left, f.end} {
			if a != "" {
				after = append(after, a)
			}
		}
		f.row.seen, f.row.after = strings.Join(f.seen, "; "), strings.Join(after, "; ")
		seen.add(f.row)
	})
	return f
}

// saw adds to what was seen. Figures that differ from run to run carry their unit.
func (f *fault) saw(format string, args ...any) {
	f.seen = append(f.seen, strings.ReplaceAll(fmt.Sprintf(format, args...), "|", "/"))
}

// truth is where the stub of a run writes what it really answered.
func (f *fault) truth() string {
	return "--truth=" + filepath.Join(f.Dir, "cache", "truth-"+f.run+"-{nonce}")
}

// submit sends a run on Karolina's partitions, and doesn't wait for it.
func (f *fault) submit(flags ...string) {
	f.T.Helper()
	f.Must(f.submitArgs(flags...)...)
}

func (f *fault) submitArgs(flags ...string) []string {
	args := []string{"submit", "--site", "karolina", "--model", "Qwen3-8B", "--gpus", "1", "--name", f.run, "--server-arg=" + f.truth()}
	return append(args, flags...)
}

// dir is the folder of an attempt.
func (f *fault) dir(repeat, attempt int) results.AttemptDir {
	return f.Run(f.run).Attempt(repeat, attempt)
}

// measuring waits until a step of an attempt has measured requests.
func (f *fault) measuring(repeat, attempt int) {
	f.T.Helper()
	f.Until(fmt.Sprintf("repeat %d, attempt %d is in a step", repeat, attempt), func() bool {
		n := 0
		_, err := results.ReadLinesFile(f.dir(repeat, attempt).Records(), func(r results.Record) {
			if r.Phase == results.PhaseWindow {
				n++
			}
		})
		return err == nil && n >= 3
	})
}

// job is the number (SLURM_JOB_ID) of an attempt's job.
func (f *fault) job(repeat, attempt int) uint64 {
	f.T.Helper()
	var a results.Attempt
	f.Until("the attempt has begun", func() (ok bool) {
		var err error
		a, err = results.ReadJSON[results.Attempt](f.dir(repeat, attempt).Attempt(), results.FormatAttempt)
		return err == nil
	})
	id, err := strconv.ParseUint(a.Slurm.JobID, 10, 64)
	if err != nil {
		f.T.Fatal(err)
	}
	return id
}

// attempt reads an attempt's file.
func (f *fault) attempt(repeat, attempt int) results.Attempt {
	f.T.Helper()
	a, err := results.ReadJSON[results.Attempt](f.dir(repeat, attempt).Attempt(), results.FormatAttempt)
	if err != nil {
		f.T.Fatal(err)
	}
	return a
}

// over waits until nothing of the run is under way and answers its state.
func (f *fault) over() world.RunStatus {
	f.T.Helper()
	var s world.RunStatus
	f.Until("the run is over", func() bool {
		s = f.Status(f.run)
		return !slices.ContainsFunc(s.Repeats, func(r world.RepeatStatus) bool {
			return r.Phase == "pending" || r.Phase == "running" || r.Phase == "unclear"
		})
	})
	return s
}

// shows checks the state of a repeat, and that its words have these in them.
func (f *fault) shows(s world.RunStatus, repeat int, phase, words string) {
	f.T.Helper()
	r := s.Repeats[repeat-1]
	if r.Phase != phase || !strings.Contains(r.Words, words) {
		f.T.Errorf("repeat %d is %s (%s), it should be %s (%s)\n%s", repeat, r.Phase, r.Words, phase, words, f.JobOutput())
	}
}

// keeps checks that every answer which the stub finished is in the records, and
// that no line is broken. Records gather for 50 ms before they are written, so an answer of
// the last 200 ms may be missing after a kill -9.
func (f *fault) keeps() {
	f.T.Helper()
	found, _ := filepath.Glob(filepath.Join(f.Dir, "cache", "truth-"+f.run+"-*"))
	finished, early := 0, 0
	for _, path := range found {
		b, err := os.ReadFile(path)
		if err != nil {
			f.T.Fatal(err)
		}
		whole := b[:bytes.LastIndexByte(b, '\n')+1] // the stub may have been killed in a line
		all, err := stub.ReadTruth(bytes.NewReader(whole))
		if err != nil {
			f.T.Fatal(err)
		}
		var last int64
		for _, t := range all {
			last = max(last, t.EndNs)
		}
		for _, t := range all {
			if t.Finish == "length" && t.OutputTokens > 1 {
				finished++
				if t.EndNs < last-200e6 {
					early++
				}
			}
		}
	}
	have, broken := 0, 0
	for _, a := range f.Attempts(f.run) {
		lines, err := results.ReadLinesFile(f.dir(a.Repeat, a.Attempt).Records(), func(r results.Record) {
			if r.Outcome == results.OutcomeCompleted {
				have++
			}
		})
		if err != nil && !os.IsNotExist(err) {
			f.T.Fatal(err)
		}
		broken += lines.Bad
	}
	if early == 0 || have < early || broken > 0 {
		f.T.Errorf("the server finished %d answers (%d of them early enough), %d are in the records, %d lines are broken\n%s", finished, early, have, broken, f.JobOutput())
	}
	f.kept = "every finished answer is in the records"
}

// clean checks that nothing of the run's jobs is left on the node.
func (f *fault) clean() {
	f.T.Helper()
	f.NothingLeft(f.run)
	jobs := map[uint64]bool{}
	for _, a := range f.Attempts(f.run) {
		if a.Slurm != nil {
			id, err := strconv.ParseUint(a.Slurm.JobID, 10, 64)
			if err != nil {
				f.T.Fatal(err)
			}
			jobs[id] = true
		}
	}
	for id := range jobs {
		f.Until(fmt.Sprintf("no process of job %d is left", id), func() bool { return len(world.Cluster.JobProcesses(id)) == 0 })
	}
	f.left = "no process left"
}

// resumes checks that resume completes the run, and that collect reads it.
func (f *fault) resumes() {
	f.T.Helper()
	f.Measure("resume", f.run, "--wait")
	f.completed()
	f.end = "resume completed the run"
}

// completed checks that every repeat is complete and is read by collect.
func (f *fault) completed() {
	f.T.Helper()
	s := f.over()
	for _, r := range s.Repeats {
		if r.Phase != "complete" {
			f.T.Errorf("repeat %d is %s: %s\n%s", r.Repeat, r.Phase, r.Words, f.JobOutput())
		}
	}
	n := len(s.Repeats)
	if out := f.Measure("collect", f.run); !strings.Contains(out, fmt.Sprintf("%d of %d repeats", n, n)) {
		f.T.Errorf("collect says\n%s", out)
	}
}

// tool runs one of Slurm's tools.
func (f *fault) tool(name string, args ...string) string {
	f.T.Helper()
	ctx, cancel := context.WithTimeout(f.T.Context(), time.Minute)
	defer cancel()
	out, err := world.Cluster.Tool(ctx, name, args...)
	if err != nil {
		f.T.Fatalf("%v\n%s", err, out)
	}
	return out
}

// find answers the processes whose command lines have all these words.
func find(words ...string) []int {
	var pids []int
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range found {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		args := strings.Split(string(b), "\x00")
		if slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(args, w) }) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// repeatProcess is the `hpcbench repeat` of the run.
func (f *fault) repeatProcess() int {
	f.T.Helper()
	pids := find("repeat", "--run", string(f.Run(f.run)))
	if len(pids) != 1 {
		f.T.Fatalf("%d processes of hpcbench repeat", len(pids))
	}
	return pids[0]
}

// stubProcess is the innermost server process of the run: the stub itself.
func (f *fault) stubProcess() int {
	f.T.Helper()
	var pids []int
	for _, pid := range find(f.Run(f.run).Binary(), "stub") {
		exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		args, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		// Neither hpcbench repeat nor the container's program, whose command lines have the same words.
		if err == nil && filepath.Base(exe) == "hpcbench" && !strings.Contains(string(args), "\x00repeat\x00") {
			pids = append(pids, pid)
		}
	}
	if len(pids) != 1 {
		f.T.Fatalf("%d stubs of the run\n%s", len(pids), f.JobOutput())
	}
	return pids[0]
}
