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

	"github.com/sethvargo/go-retry"

	"hpcbench/results"
	"hpcbench/slurm"
)

// RepeatsVariable tells a script that isn't an array's which repeats are its own.
const RepeatsVariable = "HPCBENCH_REPEATS"

// batch is one call of sbatch.
type batch struct {
	group   int // index into Grouping.Jobs, −1 = an array over all
	repeats []int
	array   string
	chained bool
}

// batches says which calls of sbatch bring the wanted repeats about.
func batches(g results.Grouping, wanted []int) []batch {
	if g.Mode == results.ModeArray {
		array := ranges(wanted)
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

// ranges writes rising numbers as Slurm does: 1-3,5.
func ranges(numbers []int) string {
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
	// FindFor is how long a job whose answer was lost is looked for; 0 = 30 s.
	FindFor time.Duration
}

// Submit sends the jobs that make the wanted repeats, and answers their ids. Each
// is in the ledger before the next is sent. Where sbatch's answer is lost the job
// is looked for by its unique name; if it can't be found nor excluded the
// error wraps slurm.ErrLost and nothing more is sent.
func (s Submitter) Submit(ctx context.Context, wanted []int) ([]slurm.JobID, error) {
	ledger := OpenLedger(s.Dir)
	if err := s.settleOpen(ctx, ledger); err != nil {
		return nil, err
	}
	var ids []slurm.JobID
	for _, b := range batches(s.Spec.Grouping, wanted) {
		id, err := s.send(ctx, ledger, b, ids)
		if err != nil {
			if len(ids) > 0 {
				err = fmt.Errorf("%w (already submitted: %s; `hpcbench resume %s` sends the rest)", err, join(ids), s.Spec.Name)
			}
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// settleOpen looks for submits whose answer was never written down.
func (s Submitter) settleOpen(ctx context.Context, ledger Ledger) error {
	entries, err := ledger.Read()
	if err != nil {
		return err
	}
	for _, sub := range Submissions(entries) {
		if !sub.Open {
			continue
		}
		if _, err := s.find(ctx, ledger, sub.LedgerEntry); err != nil && !errors.Is(err, errNotFound) {
			return err
		}
	}
	return nil
}

var errNotFound = errors.New("no job of that name")

// find settles one submit by its job's name.
func (s Submitter) find(ctx context.Context, ledger Ledger, e results.LedgerEntry) (slurm.JobID, error) {
	ids, err := s.Scheduler.FindByName(ctx, e.JobName, e.At)
	if err != nil {
		return slurm.JobID{}, fmt.Errorf("look for job %s, whose submit got no answer: %w", e.JobName, err)
	}
	entry := e
	entry.At = s.Now().UTC()
	if len(ids) == 0 {
		entry.Event, entry.Words = results.LedgerRefused, "the answer was lost and no job of that name exists"
		if err := ledger.Add(entry); err != nil {
			return slurm.JobID{}, err
		}
		return slurm.JobID{}, errNotFound
	}
	entry.Event, entry.JobID = results.LedgerFound, ids[0].String()
	return ids[0], ledger.Add(entry)
}

func (s Submitter) send(ctx context.Context, ledger Ledger, b batch, before []slurm.JobID) (slurm.JobID, error) {
	name, err := uniqueName(s.Spec.Name)
	if err != nil {
		return slurm.JobID{}, err
	}
	entry := results.LedgerEntry{At: s.Now().UTC(), Event: results.LedgerIntent, JobName: name, Group: b.group, Repeats: b.repeats, Array: b.array}
	if err := ledger.Add(entry); err != nil {
		return slurm.JobID{}, err
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

// recover looks for a job whose answer was lost, for a while: the controller may
// still be at work on it.
func (s Submitter) recover(ctx context.Context, ledger Ledger, entry results.LedgerEntry, lost error) (slurm.JobID, error) {
	limit := s.FindFor
	if limit == 0 {
		limit = 30 * time.Second
	}
	var ids []slurm.JobID
	backoff := retry.WithMaxDuration(limit, retry.WithJitterPercent(20, retry.WithCappedDuration(5*time.Second, retry.NewExponential(time.Second))))
	err := retry.Do(ctx, backoff, func(ctx context.Context) error {
		found, err := s.Scheduler.FindByName(ctx, entry.JobName, entry.At)
		if err != nil {
			return retry.RetryableError(err)
		}
		if len(found) == 0 {
			return retry.RetryableError(errNotFound)
		}
		ids = found
		return nil
	})
	if err != nil {
		// The intent stays open: the next submit or resume looks again before it sends anything.
		return slurm.JobID{}, fmt.Errorf("submit %s: %w; no job named %s was found in %s (%w). Nothing more was sent: `hpcbench resume %s` looks again first", s.Spec.Name, lost, entry.JobName, limit, err, s.Spec.Name)
	}
	entry.At, entry.Event, entry.JobID = s.Now().UTC(), results.LedgerFound, ids[0].String()
	return ids[0], ledger.Add(entry)
}

// request says account, partition and time again on the command line: SBATCH_*
// variables would beat the script's own lines.
func (s Submitter) request(b batch, name string, before []slurm.JobID) slurm.SubmitRequest {
	job := s.Spec.Job
	r := slurm.SubmitRequest{
		Script: s.Dir.Script(), JobName: name, Account: job.Account, Partition: job.Partition,
		QOS: job.QOS, Reservation: job.Reservation, Time: time.Duration(job.WalltimeS) * time.Second,
		Array: b.array, Chdir: string(s.Dir),
	}
	if b.array == "" {
		var words []string
		for _, n := range b.repeats {
			words = append(words, strconv.Itoa(n))
		}
		r.Environ = []string{RepeatsVariable + "=" + strings.Join(words, " ")}
	}
	if b.chained && len(before) > 0 {
		r.Dependency = "afterany:" + before[len(before)-1].String()
	}
	return r
}

// uniqueName is what a job is found by when sbatch's answer was lost.
func uniqueName(run string) (string, error) {
	b := make([]byte, 4)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("name the job: %w", err)
	}
	return "hpcbench-" + run + "-" + hex.EncodeToString(b), nil
}

func join(ids []slurm.JobID) string {
	var s []string
	for _, id := range ids {
		s = append(s, id.String())
	}
	return strings.Join(s, ", ")
}
