package slurm

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"
)

// AcctRow is one record of the accounting database: a job, an array element or
// a step, once for each time that it ran.
type AcctRow struct {
	ID          JobID  // with its step for steps: 123_4.batch
	RawID       uint64 // the job's own id, without array and step
	Name        string
	User        string
	Account     string
	Partition   string
	QOS         string
	State       State
	CancelledBy string // uid of who cancelled it
	Exit        Exit
	DerivedExit Exit // the highest exit status of its srun steps
	Submit      time.Time
	Start       time.Time // zero: never started
	End         time.Time // zero: not ended, as far as the database knows
	Elapsed     time.Duration
	TimeLimit   time.Duration // steps have none
	NodeList    string
	AllocTRES   TRES
	ReqTRES     TRES
	MaxRSSBytes int64 // steps only
	Reason      string
	// Restarts counts the earlier records of the same job: a requeued job has
	// one for each time it ran. Like SLURM_RESTART_COUNT it begins with 0.
	Restarts int
	// Latest marks the last of these records.
	Latest bool
}

var acctFields = []string{
	"JobID", "JobIDRaw", "JobName", "User", "Account", "Partition", "QOS", "State", "ExitCode", "DerivedExitCode",
	"Submit", "Start", "End", "ElapsedRaw", "TimelimitRaw", "NodeList", "AllocTRES", "ReqTRES", "MaxRSS", "Reason",
}

// Accounting asks the database for all these jobs in one call: the jobs, their
// array elements and their steps, with the earlier runs of requeued ones, in the
// order of submission. A job that it doesn't know (yet) has no row; that is no error.
// ErrNoAccounting says that the cluster keeps no records.
func (c *Client) Accounting(ctx context.Context, ids ...JobID) ([]AcctRow, error) {
	list := idList(ids)
	if list == "" {
		return nil, nil
	}
	got, err := c.sacct(ctx, "--jobs="+list)
	if err != nil {
		return got, fmt.Errorf("ask the accounting database for %d jobs: %w", len(ids), err)
	}
	return got, nil
}

func (c *Client) sacct(ctx context.Context, filter ...string) ([]AcctRow, error) {
	args := append([]string{"--noheader", "--parsable2", "--delimiter=" + fieldSep, "--duplicates", "--format=" + strings.Join(acctFields, ",")}, filter...)
	res, err := c.ask(ctx, "sacct", args...)
	if err != nil {
		return nil, err
	}
	return parseAccounting(res.Stdout)
}

func parseAccounting(stdout string) ([]AcctRow, error) {
	var out []AcctRow
	err := rows("sacct", stdout, len(acctFields), func(f []string) error {
		var r AcctRow
		var errs [13]error
		r.ID, errs[0] = ParseJobID(f[0])
		raw, rawErr := ParseJobID(f[1])
		r.RawID, errs[1] = raw.Job, rawErr
		r.Name, r.User, r.Account, r.Partition, r.QOS = f[2], f[3], f[4], f[5], f[6]
		r.State, r.CancelledBy = ParseState(f[7])
		r.Exit, errs[2] = ParseExit(f[8])
		r.DerivedExit, errs[3] = ParseExit(f[9])
		r.Submit, errs[4] = parseInstant(f[10])
		r.Start, errs[5] = parseInstant(f[11])
		r.End, errs[6] = parseInstant(f[12])
		r.Elapsed, errs[7] = seconds(f[13])
		r.TimeLimit, errs[8] = ParseTimeLimit(f[14])
		r.NodeList = strings.TrimPrefix(f[15], "None assigned")
		r.AllocTRES, errs[9] = ParseTRES(f[16])
		r.ReqTRES, errs[10] = ParseTRES(f[17])
		if f[18] != "" && f[18] != "0" {
			r.MaxRSSBytes, errs[11] = ParseMemory(f[18])
		}
		r.Reason = null(f[19])
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		out = append(out, r)
		return nil
	})
	sort.SliceStable(out, func(i, j int) bool { return out[i].Submit.Before(out[j].Submit) })
	countRestarts(out)
	return out, err
}

// countRestarts numbers the records of each id; rows are in the order of
// submission, and Slurm renews a job's submit time when it requeues it.
func countRestarts(rows []AcctRow) {
	last := map[JobID]int{}
	for i := range rows {
		if j, again := last[rows[i].ID]; again {
			rows[i].Restarts = rows[j].Restarts + 1
			rows[j].Latest = false
		}
		rows[i].Latest = true
		last[rows[i].ID] = i
	}
}

func seconds(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	n, err := parseDigits(s)
	if err != nil || n > maxDays*86400 {
		return 0, fmt.Errorf("elapsed seconds %q", s)
	}
	return time.Duration(n) * time.Second, nil
}
