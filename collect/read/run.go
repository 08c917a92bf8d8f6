package read

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"sync"

	"hpcbench/results"
)

// ErrNoRun says that a folder is no run: it has neither run.json nor a repeat.
var ErrNoRun = errors.New("not a run folder")

// States of a repeat beyond those of its attempt (results.State…).
const (
	StateMissing    = "missing"    // no attempt has data
	StateUnreadable = "unreadable" // there are files, but none that gives numbers
)

// Run is one run folder as read.
type Run struct {
	Dir  results.RunDir
	Spec results.Spec
	// SpecRead is false where run.json can't be read: numbers can be shown, but not compared.
	SpecRead bool
	// Digest is that of Spec, "" where it can't be read.
	Digest  string
	Repeats []Repeat // one for each asked repeat, by rising index; more where there are folders of more
	// Problems of the run as a whole; each repeat has its own.
	Problems []Problem
	// records lets one repeat at a time hold its records: they are decoded over
	// all processors anyway, and five at once would take half a gigabyte.
	records sync.Mutex
}

// Repeat is one repeat and the attempt that it is made of.
type Repeat struct {
	Index int
	State string // results.State… of the chosen attempt, StateMissing or StateUnreadable
	// Why says in words what keeps the repeat from being complete, beyond its state; "" where nothing is known.
	Why string
	// Chosen is the attempt's number, -1 where there is none.
	Chosen  int
	Others  []int // attempts that were not chosen
	Dir     results.AttemptDir
	Attempt *results.Attempt // nil where attempt.json can't be read
	Summary *results.Summary // nil where there is none and none can be made
	// Recomputed says why the summary was made from the records; "" where it was read.
	Recomputed string
	Job        *Job // what the command line knows of its job; nil = nothing
	Values     *Values
	Problems   []Problem
}

// Good says whether the repeat is complete and has numbers.
func (r *Repeat) Good() bool { return r.State == results.StateComplete && r.Summary != nil }

// Problem is something wrong with one file.
type Problem struct {
	File  string `json:"file"`
	Words string `json:"words"`
}

func (p Problem) String() string {
	if p.File == "" {
		return p.Words
	}
	return p.File + ": " + p.Words
}

// Job is what the scheduler's accounting says of one job, handed in by the
// command line; this package knows no scheduler.
type Job struct {
	ID       string  `json:"job_id"`
	State    string  `json:"state"` // in the scheduler's word, such as TIMEOUT
	Ended    bool    `json:"ended"`
	ElapsedS float64 `json:"elapsed_s"`
	Line     string  `json:"line,omitempty"` // as it came back
}

// Options say how a run is read. The zero value is the usual way.
type Options struct {
	// Recompute makes every summary again from the records.
	Recompute bool
	// Values reads the records also where the summary is good: pooled percentiles and distributions need them.
	Values bool
	// Timelines reads the telemetry of each chosen attempt into Values.
	Timelines bool
	// Jobs is what is known of the run's jobs, by job id.
	Jobs map[string]Job
}

// Open reads a run folder. The error is for a folder that can't be listed or
// holds no run (ErrNoRun); everything else is a Problem of the Run.
func Open(dir string, o Options) (*Run, error) {
	run := &Run{Dir: results.RunDir(dir)}
	folders, err := repeatFolders(dir)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", dir, err)
	}
	spec, err := results.ReadJSON[results.Spec](run.Dir.Spec(), results.FormatSpec)
	switch {
	case err == nil:
		run.Spec, run.SpecRead = spec, true
		if run.Digest, err = spec.Digest(); err != nil {
			run.problem(run.Dir.Spec(), err)
		}
	case errors.Is(err, os.ErrNotExist) && len(folders) == 0:
		return nil, fmt.Errorf("read run %s: %w: it has no run.json and no repeat-1", dir, ErrNoRun)
	default:
		run.problem(run.Dir.Spec(), err)
		run.Spec.Name = filepath.Base(dir)
		run.Spec.Repeats = len(folders)
	}
	for _, index := range indices(run.Spec.Repeats, folders) {
		run.Repeats = append(run.Repeats, Repeat{Index: index, Chosen: -1, State: StateMissing})
	}
	if n := len(folders); n > 0 && run.SpecRead && folders[n-1] > run.Spec.Repeats {
		run.Problems = append(run.Problems, Problem{File: run.Dir.Repeat(folders[n-1]),
			Words: fmt.Sprintf("run.json asks for %d repeats, but there is a folder of repeat %d; it is shown and counted", run.Spec.Repeats, folders[n-1])})
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4) // several repeats at once
	for i := range run.Repeats {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			run.Repeats[i].read(run, o)
		})
	}
	wg.Wait()
	run.markDuplicates()
	return run, nil
}

func (r *Run) problem(file string, err error) {
	r.Problems = append(r.Problems, problem(file, err))
}

// problem takes the file's name out of the error's words, since it stands beside them.
func problem(file string, err error) Problem {
	var path *os.PathError
	if errors.As(err, &path) {
		return Problem{File: file, Words: path.Op + ": " + path.Err.Error()}
	}
	words := err.Error()
	if len(words) > len(file)+2 && words[:len(file)] == file {
		words = words[len(file)+2:]
	}
	return Problem{File: file, Words: words}
}

var repeatName = regexp.MustCompile(`^repeat-([1-9]\d{0,5})$`)

func repeatFolders(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []int
	for _, e := range entries {
		if m := repeatName.FindStringSubmatch(e.Name()); m != nil && e.IsDir() {
			n, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, err
			}
			found = append(found, n)
		}
	}
	sort.Ints(found)
	return found, nil
}

// indices are 1…asked and those of folders beyond.
func indices(asked int, folders []int) []int {
	var out []int
	for k := 1; k <= asked; k++ {
		out = append(out, k)
	}
	for _, k := range folders {
		if k > asked {
			out = append(out, k)
		}
	}
	return out
}

// AllProblems are those of the run and of its repeats, in this order.
func (r *Run) AllProblems() []Problem {
	out := append([]Problem(nil), r.Problems...)
	for i := range r.Repeats {
		out = append(out, r.Repeats[i].Problems...)
	}
	return out
}

// Good is how many repeats are complete and have numbers.
func (r *Run) Good() int {
	n := 0
	for i := range r.Repeats {
		if r.Repeats[i].Good() {
			n++
		}
	}
	return n
}

// markDuplicates takes out a repeat that is a copy of an earlier one: the same
// salt or the same instants can't come twice, and counting it would make the
// spread look smaller than it is.
func (r *Run) markDuplicates() {
	seen := map[string]int{}
	for i := range r.Repeats {
		rep := &r.Repeats[i]
		if rep.Attempt == nil || rep.Summary == nil {
			continue
		}
		key := rep.Attempt.Salt + " " + rep.Attempt.EpochAt.String()
		if first, twice := seen[key]; twice {
			rep.Why = fmt.Sprintf("a copy of repeat %d: the same salt and the same start", first)
			rep.State = StateUnreadable
			rep.Summary, rep.Values = nil, nil
			rep.Problems = append(rep.Problems, Problem{File: string(rep.Dir), Words: rep.Why + "; it is left out"})
			continue
		}
		seen[key] = rep.Index
	}
}
