package results

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
)

// HistoryFile lies in the folder of all runs: the headline figures of each.
const HistoryFile = "history.jsonl"

// BaselinesDir lies in the folder of all runs: the runs that were promoted to baselines.
const BaselinesDir = "baselines"

// NightlyDir lies there too: a folder for each suite with its nights.
const NightlyDir = "nightly"

// RunDir is the folder of one run. Its methods are the only place that spells
// the names of files.
type RunDir string

func (d RunDir) Spec() string   { return filepath.Join(string(d), "run.json") }
func (d RunDir) Script() string { return filepath.Join(string(d), "script.sh") }
func (d RunDir) Pairs() string  { return filepath.Join(string(d), "pairs.sh") }
func (d RunDir) Binary() string { return filepath.Join(string(d), "bin", "hpcbench") }
func (d RunDir) Ledger() string { return filepath.Join(string(d), "jobs.jsonl") }
func (d RunDir) Steps() string  { return filepath.Join(string(d), "steps.json") }
func (d RunDir) Logs() string   { return filepath.Join(string(d), "logs") }

// Repeat is the folder of repeat index (1-based).
func (d RunDir) Repeat(index int) string {
	return filepath.Join(string(d), fmt.Sprintf("repeat-%d", index))
}

// Attempt is the folder of one try at a repeat; attempts count from 0.
func (d RunDir) Attempt(index, attempt int) AttemptDir {
	return AttemptDir(filepath.Join(d.Repeat(index), fmt.Sprintf("attempt-%d", attempt)))
}

// AttemptDir is the folder of one attempt.
type AttemptDir string

func (d AttemptDir) Attempt() string   { return filepath.Join(string(d), "attempt.json") }
func (d AttemptDir) Progress() string  { return filepath.Join(string(d), "progress.json") }
func (d AttemptDir) ServerLog() string { return filepath.Join(string(d), "server.log") }
func (d AttemptDir) Records() string   { return filepath.Join(string(d), "records.jsonl") }
func (d AttemptDir) Telemetry() string { return filepath.Join(string(d), "telemetry.jsonl") }
func (d AttemptDir) Summary() string   { return filepath.Join(string(d), "summary.json") }

var attemptName = regexp.MustCompile(`^attempt-(\d+)$`)

// Attempts lists the attempts of a repeat that have a folder, in rising order.
// A repeat that hasn't started has none, which is no error.
func (d RunDir) Attempts(index int) ([]int, error) {
	entries, err := os.ReadDir(d.Repeat(index))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the attempts of repeat %d: %w", index, err)
	}
	var found []int
	for _, e := range entries {
		m := attemptName.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue // more digits than an attempt can have: not one of ours
		}
		found = append(found, n)
	}
	sort.Ints(found)
	return found, nil
}
