package jobs

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// RepeatsVariable tells a script that isn't an array's which repeats are its own.
const RepeatsVariable = "HPCBENCH_JOB_REPEATS"

// WalltimeVariable tells a job its walltime in seconds where it isn't the spec's.
const WalltimeVariable = "HPCBENCH_JOB_WALLTIME_S"

// batch is one call of sbatch.
type batch struct {
	group   int // index into Grouping.Jobs, −1 = an array over all
	repeats []int
	array   string
	chained bool
	// dependency is given to sbatch as it stands.
	dependency string
}

// batches says which calls of sbatch bring the wanted repeats about.
func batches(g results.Grouping, wanted []int) []batch {
	if g.Mode == results.ModeArray {
		array := Ranges(wanted)
		if g.MaxAtOnce > 0 && g.MaxAtOnce < len(wanted) {
			array += "%" + strconv.Itoa(g.MaxAtOnce)
		}
		return []batch{{group: -1, repeats: wanted, array: array}}
	}
	var all []batch
	for i, job := range g.Jobs {
		var mine []int
		for _, r := range job {
			if slices.Contains(wanted, r) {
				mine = append(mine, r)
			}
		}
		if len(mine) > 0 {
			all = append(all, batch{group: i, repeats: mine, chained: g.Chained && len(all) > 0})
		}
	}
	return all
}

// Ranges writes rising numbers as Slurm does: 1-3,5.
func Ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i == j {
			parts = append(parts, strconv.Itoa(numbers[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// Submitter sends a run's jobs.
type Submitter struct {
	Scheduler Scheduler
	Dir       results.RunDir
	Spec      results.Spec
	Now       func() time.Time
	// Walltime is asked for instead of the spec's; 0 = the spec's.
	Walltime time.Duration
	Exclude  string // nodes that the jobs must not run on, as Slurm writes a list
	// FindFor is how long a job whose answer was lost is looked for; 0 = 30 s.
	FindFor time.Duration
	// OrphanAge is when a submit without an answer has certainly made no job; 0 = 2 min.
	OrphanAge time.Duration
	Say       func(string) // told what is waited for; may be nil
	// Script is sent instead of the run's own; "" = the run's own.
	Script string
	// Word stands in the job's names instead of the run's name.
	Word string

	once bool // a repeat that was ever sent is not sent again
}

// Submit sends the jobs that make the wanted repeats, and answers their ids. Each
// is in the ledger before the next is sent. Where sbatch's answer is lost the job
// is looked for by its unique name; if it can't be found nor excluded the
// error wraps slurm.ErrLost and nothing more is sent. Repeats of an earlier submit that
// got no answer are settled first, and not sent where their job is found.
func (s Submitter) Submit(ctx context.Context, wanted []int) ([]slurm.JobID, error) {
	ledger := OpenLedger(s.Dir)
	wanted, err := s.unsent(ctx, ledger, wanted)
	if err != nil {
		return nil, err
	}
	var ids []slurm.JobID
	for _, b := range batches(s.Spec.Grouping, wanted) {
		id, err := s.send(ctx, ledger, b, ids)
		if err != nil {
			if id.Job != 0 { // it was sent, and only writing that down failed
				ids = append(ids, id)
			}
			if len(ids) > 0 {
				err = fmt.Errorf("%w (already submitted: %s; `hpcbench resume %s` sends the rest)", err, join(ids), s.Spec.Name)
			}
			return ids, err
		}
		ids = append(ids, id)
		s.checkGranted(ctx, id)
	}
	return ids, nil
}

// unsent leaves out the repeats of a submit that turns out to have made its job.
func (s Submitter) unsent(ctx context.Context, ledger Ledger, wanted []int) ([]int, error) {
	before, err := ledger.Read()
	if err != nil {
		return nil, err
	}
	open := map[string]bool{}
	for _, sub := range Submissions(before) {
		open[sub.JobName] = sub.Open
	}
	if err := s.Settle(ctx); err != nil {
		return nil, err
	}
	after, err := ledger.Read()
	if err != nil {
		return nil, err
	}
	sent := map[int]bool{}
	for _, sub := range Submissions(after) {
		for _, r := range sub.Repeats {
			sent[r] = sent[r] || open[sub.JobName] && sub.JobID != ""
		}
	}
	return slices.DeleteFunc(slices.Clone(wanted), func(r int) bool { return sent[r] }), nil
}

func (s Submitter) send(ctx context.Context, ledger Ledger, b batch, before []slurm.JobID) (slurm.JobID, error) {
	word := s.Word
	if word == "" {
		word = s.Spec.Name
	}
	name, err := UniqueName(word)
	if err != nil {
		return slurm.JobID{}, err
	}
	entry := results.LedgerEntry{At: s.Now().UTC(), Event: results.LedgerIntent, JobName: name, Group: b.group, Repeats: b.repeats, Array: b.array}
	if err := ledger.Add(entry); err != nil {
		return slurm.JobID{}, err
	}
	if err := first(ledger, entry, s.once); err != nil {
		entry.Event, entry.Words = results.LedgerRefused, err.Error()
		return slurm.JobID{}, errors.Join(fmt.Errorf("submit %s: %w", s.Spec.Name, err), ledger.Add(entry))
	}
	id, err := s.Scheduler.Submit(ctx, s.request(b, name, before))
	if errors.Is(err, slurm.ErrLost) {
		id, err = s.recover(ctx, ledger, entry, err)
		return id, err
	}
	entry.At = s.Now().UTC()
	if err != nil {
		entry.Event, entry.Words = results.LedgerRefused, err.Error()
		return slurm.JobID{}, errors.Join(fmt.Errorf("submit %s: %w", s.Spec.Name, err), ledger.Add(entry))
	}
	entry.Event, entry.JobID = results.LedgerSubmitted, id.String()
	return id, ledger.Add(entry)
}

// request says account, partition and time again on the command line: SBATCH_*
// variables would beat the script's own lines.
func (s Submitter) request(b batch, name string, before []slurm.JobID) slurm.SubmitRequest {
	job := s.Spec.Job
	r := slurm.SubmitRequest{
		Script: s.Dir.Script(), JobName: name, Account: job.Account, Partition: job.Partition,
		QOS: job.QOS, Reservation: job.Reservation, Time: time.Duration(job.WalltimeS) * time.Second,
		Array: b.array, Chdir: string(s.Dir), Exclude: s.Exclude,
	}
	if s.Script != "" {
		r.Script = s.Script
	}
	if b.array == "" {
		var words []string
		for _, n := range b.repeats {
			words = append(words, strconv.Itoa(n))
		}
		r.Environ = []string{RepeatsVariable + "=" + strings.Join(words, " ")}
	}
	if s.Walltime > 0 {
		r.Time = s.Walltime
		r.Environ = append(r.Environ, fmt.Sprintf("%s=%d", WalltimeVariable, int(s.Walltime.Seconds())))
	}
	r.Dependency = b.dependency
	if b.chained && len(before) > 0 {
		r.Dependency = "afterany:" + before[len(before)-1].String()
	}
	return r
}

// First is the call of sbatch that would bring about the first of the wanted repeats, for
// asking whether it would be taken and when it would start.
func (s Submitter) First(wanted []int) slurm.SubmitRequest {
	calls := batches(s.Spec.Grouping, wanted)
	if len(calls) == 0 {
		return slurm.SubmitRequest{Script: s.Dir.Script()}
	}
	return s.request(calls[0], jobPrefix+s.Spec.Name, nil)
}

// jobPrefix begins the names of all our jobs.
const jobPrefix = "hpcbench-"

// UniqueName is what a job is found by when sbatch's answer was lost.
func UniqueName(run string) (string, error) {
	b := make([]byte, 4)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("name the job: %w", err)
	}
	return jobPrefix + run + "-" + hex.EncodeToString(b), nil
}

func join(ids []slurm.JobID) string {
	var s []string
	for _, id := range ids {
		s = append(s, id.String())
	}
	return strings.Join(s, ", ")
}
