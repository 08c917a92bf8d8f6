package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

const format = "hpcbench.local-job/1"

// job is job.json. Only the supervisor writes it, after submit has.
type job struct {
	Format   string        `json:"format"`
	ID       uint64        `json:"id"`
	Name     string        `json:"name"`
	Script   string        `json:"script"`
	Args     []string      `json:"args,omitempty"`
	Dir      string        `json:"dir"`
	Environ  []string      `json:"environ,omitempty"` // beyond the submitter's
	Limit    time.Duration `json:"time_limit_ns,omitempty"`
	Array    bool          `json:"array,omitempty"`
	After    uint64        `json:"after,omitempty"` // afterany
	Account  string        `json:"account,omitempty"`
	Part     string        `json:"partition,omitempty"`
	SubmitAt time.Time     `json:"submit_at"`
	// Supervisor is who runs it, with the start of that process, since a number is used again.
	Supervisor process   `json:"supervisor"`
	Elements   []element `json:"elements"`
}

// element is one array element, or the job itself.
type element struct {
	Task    uint64      `json:"task"`
	State   slurm.State `json:"state"`
	StartAt time.Time   `json:"start_at,omitzero"`
	EndAt   time.Time   `json:"end_at,omitzero"`
	Exit    slurm.Exit  `json:"exit"`
}

func jobDir(state string, id uint64) string {
	return filepath.Join(state, strconv.FormatUint(id, 10))
}

func jobFile(dir string) string    { return filepath.Join(dir, "job.json") }
func cancelFile(dir string) string { return filepath.Join(dir, "cancel") }

func readJob(dir string) (job, error) {
	j, err := results.ReadJSON[job](jobFile(dir), format)
	if err != nil {
		return job{}, fmt.Errorf("read the local job: %w", err)
	}
	return j, nil
}

func (j job) write(dir string) error {
	j.Format = format
	if err := results.WriteJSON(jobFile(dir), j, 0o600); err != nil {
		return fmt.Errorf("write the local job: %w", err)
	}
	return nil
}

// ids lists the jobs of the state folder, rising.
func ids(state string) ([]uint64, error) {
	entries, err := os.ReadDir(state)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the local jobs: %w", err)
	}
	var all []uint64
	for _, e := range entries {
		if id, err := strconv.ParseUint(e.Name(), 10, 64); err == nil && id > 0 {
			all = append(all, id)
		}
	}
	sort.Slice(all, func(i, k int) bool { return all[i] < all[k] })
	return all, nil
}

// elementID is the Slurm name of an element.
func (j job) elementID(e element) slurm.JobID {
	id := slurm.JobID{Job: j.ID}
	if j.Array {
		return id.Element(e.Task)
	}
	return id
}

// settled is the job as it stands now: what a supervisor that was killed left
// unfinished will never finish, which Slurm would call a lost node.
func (j job) settled() job {
	if j.Supervisor.PID != 0 && j.Supervisor.alive() {
		return j
	}
	if j.Supervisor.PID == 0 && time.Since(j.SubmitAt) < 10*time.Second {
		return j // submit is just starting it
	}
	j.Elements = append([]element{}, j.Elements...)
	for i := range j.Elements {
		e := &j.Elements[i]
		if !e.State.Class().Over() {
			e.State = slurm.StateNodeFail
			if e.StartAt.IsZero() {
				e.State = slurm.StateCancelled
			}
		}
	}
	return j
}
