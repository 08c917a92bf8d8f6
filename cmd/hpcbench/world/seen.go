//go:build cluster || fault || engine

package world

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hpcbench/results"
)

// Attempts reads every attempt.json of a run, in the order of repeats and attempts.
func (w *World) Attempts(name string) []results.Attempt {
	w.T.Helper()
	spec, err := results.ReadJSON[results.Spec](w.Run(name).Spec(), results.FormatSpec)
	if err != nil {
		w.T.Fatal(err)
	}
	var all []results.Attempt
	for index := 1; index <= spec.Repeats; index++ {
		numbers, err := w.Run(name).Attempts(index)
		if err != nil {
			w.T.Fatal(err)
		}
		for _, n := range numbers {
			a, err := results.ReadJSON[results.Attempt](w.Run(name).Attempt(index, n).Attempt(), results.FormatAttempt)
			if os.IsNotExist(err) {
				continue // the folder was just made
			}
			if err != nil {
				w.T.Fatal(err)
			}
			all = append(all, a)
		}
	}
	return all
}

// RunStatus is what tests need of `status --json`.
type RunStatus struct {
	Repeats []RepeatStatus `json:"repeats"`
}

// RepeatStatus is one repeat of it.
type RepeatStatus struct {
	Repeat   int    `json:"repeat"`
	Phase    string `json:"phase"`
	Words    string `json:"words"`
	JobID    string `json:"job_id"`
	State    string `json:"slurm_state"`
	Invalid  string `json:"invalid"`
	Attempts int    `json:"attempts"`
}

// Phases are the phases of all repeats, in order.
func (s RunStatus) Phases() []string {
	var all []string
	for _, r := range s.Repeats {
		all = append(all, r.Phase)
	}
	return all
}

// Status is `status --json` of one run.
func (w *World) Status(name string) RunStatus {
	w.T.Helper()
	var runs []RunStatus
	text := w.Must("status", name, "--json")
	if err := json.Unmarshal([]byte(text), &runs); err != nil || len(runs) != 1 {
		w.T.Fatalf("status: %v\n%s", err, text)
	}
	return runs[0]
}

// Records counts the lines of a records file that can be read, and the bad ones.
func (w *World) Records(dir results.AttemptDir) (good, bad int) {
	w.T.Helper()
	lines, err := results.ReadLinesFile(dir.Records(), func(results.Record) { good++ })
	if err != nil && !os.IsNotExist(err) {
		w.T.Fatal(err)
	}
	return good, lines.Bad
}

// Until asks again until the condition holds.
func (w *World) Until(what string, holds func() bool) {
	w.T.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if holds() {
			return
		}
	}
	w.T.Fatalf("it never came to this: %s\n%s", what, w.JobOutput())
}

// Marked are the processes that carry the mark of a run's servers.
func (w *World) Marked(name string) []int {
	mark := "HPCBENCH_JOB_SERVER=" + string(w.Run(name)) + "/"
	var pids []int
	found, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range found {
		env, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(env), mark) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// NothingLeft checks that no process of a run's servers is left.
func (w *World) NothingLeft(name string) {
	w.T.Helper()
	w.Until("no process of "+name+" is left", func() bool { return len(w.Marked(name)) == 0 })
}
