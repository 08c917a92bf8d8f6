package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"time"

	"github.com/google/renameio/v2"

	"hpcbench/slurm"
)

// format is the kind and version of job.json.
const format = "hpcbench.local-job/2"

// job is job.json.
type job struct {
	Format    string        `json:"format"`
	ID        uint64        `json:"id"`
	Name      string        `json:"name"`
	User      string        `json:"user"`
	UID       int           `json:"uid"`
	Account   string        `json:"account,omitempty"`
	Partition string        `json:"partition,omitempty"`
	QOS       string        `json:"qos,omitempty"`
	Script    string        `json:"script"` // as submitted; the copy is what runs
	Args      []string      `json:"args,omitempty"`
	SubmitDir string        `json:"submit_dir"`
	WorkDir   string        `json:"work_dir"`
	Output    string        `json:"output"`
	Error     string        `json:"error,omitempty"`
	Append    bool          `json:"append"`
	Export    string        `json:"export,omitempty"`
	TimeLimit time.Duration `json:"time_limit_ns"` // 0: none
	KillWait  time.Duration `json:"kill_wait_ns"`
	Warn      warning       `json:"warn"`
	Submit    time.Time     `json:"submit"`
	Host      string        `json:"host"`
	Array     bool          `json:"array"`
	Elements  []element     `json:"elements"` // exactly one where Array is false
}

// warning is --signal: a signal some time before the limit.
type warning struct {
	Signal int           `json:"signal,omitempty"`
	Before time.Duration `json:"before_ns,omitempty"`
}

// element is an array's element, or the job itself.
type element struct {
	Task uint64 `json:"task"`
	Raw  uint64 `json:"raw"` // the id that is its SLURM_JOB_ID
}

func (j job) id(e element) slurm.JobID {
	if !j.Array {
		return slurm.JobID{Job: j.ID}
	}
	return slurm.JobID{Job: j.ID, Array: true, Task: e.Task}
}

// state is state.json.
type state struct {
	State       slurm.State `json:"state"`
	Reason      string      `json:"reason,omitempty"`
	Start       time.Time   `json:"start"`
	End         time.Time   `json:"end"`
	Exit        slurm.Exit  `json:"exit"`
	BatchExit   slurm.Exit  `json:"batch_exit"`
	CancelledBy string      `json:"cancelled_by,omitempty"`
	Shell       process     `json:"shell"`
	MaxRSSBytes int64       `json:"max_rss_bytes,omitempty"`
	StdOut      string      `json:"std_out,omitempty"`
}

func (c Scheduler) jobDir(id uint64) string {
	return filepath.Join(c.State, strconv.FormatUint(id, 10))
}

// claim makes the directory of the next free id. Mkdir is the claim: two
// submitters can't get one id.
func (c Scheduler) claim() (uint64, error) {
	if err := os.MkdirAll(c.State, 0o700); err != nil {
		return 0, fmt.Errorf("make the local queue's directory: %w", err)
	}
	ids, err := c.ids()
	if err != nil {
		return 0, err
	}
	id := uint64(1)
	if len(ids) > 0 {
		id = ids[len(ids)-1] + 1
	}
	for ; ; id++ {
		switch err := os.Mkdir(c.jobDir(id), 0o700); {
		case err == nil:
			return id, nil
		case !errors.Is(err, fs.ErrExist):
			return 0, fmt.Errorf("take a job id: %w", err)
		}
	}
}

// ids lists every id that was ever taken, in rising order.
func (c Scheduler) ids() ([]uint64, error) {
	entries, err := os.ReadDir(c.State)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the local queue: %w", err)
	}
	var out []uint64
	for _, e := range entries {
		if n, err := strconv.ParseUint(e.Name(), 10, 64); err == nil && n > 0 {
			out = append(out, n)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out, nil
}

// readJob returns fs.ErrNotExist for an id that is no job's: an element's, or
// one whose submit did not finish.
func (c Scheduler) readJob(id uint64) (job, error) {
	var j job
	err := readJSON(filepath.Join(c.jobDir(id), "job.json"), &j)
	switch {
	case err == nil && j.Format != format:
		err = fmt.Errorf("job %d is written in format %q, this program reads %q", id, j.Format, format)
	case err == nil && (j.ID != id || len(j.Elements) == 0):
		err = fmt.Errorf("job %d: its file is of another job or has no elements", id)
	}
	return j, err
}

func (c Scheduler) readState(e element) (state, error) {
	var s state
	return s, readJSON(filepath.Join(c.jobDir(e.Raw), "state.json"), &s)
}

func (c Scheduler) writeState(e element, s state) error {
	return writeJSON(filepath.Join(c.jobDir(e.Raw), "state.json"), s)
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// writeJSON writes a whole file or none.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := renameio.WriteFile(path, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
