package slurm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// QueueRow is one job or one array element, as the controller knows it.
type QueueRow struct {
	ID          JobID // an element of an array has its own row: 123_4
	RawID       uint64
	Name        string
	User        string
	Account     string
	Partition   string
	QOS         string
	State       State
	TimeLimit   time.Duration
	Elapsed     time.Duration
	Submit      time.Time // UTC, as all instants
	Start       time.Time // for a pending job when it is expected to start; zero if not known
	End         time.Time // expected or real; zero if not known
	Nodes       int
	NodeList    string
	Dependency  string
	Reservation string
	Reason      string // Slurm's own text, see Reason
}

// queueFormat are squeue's one-letter fields (squeue(1), --format); letters
// without a width are not cut short. The reason comes last: it is free text.
var queueFormat = strings.Join([]string{
	"%i", "%A", "%j", "%u", "%a", "%P", "%q", "%T", "%l", "%M", "%V", "%S", "%e", "%D", "%N", "%E", "%v", "%r",
}, fieldSep)

// Queue asks the controller for all these jobs in one call, whatever their
// state, each array element as a row of its own. A job that the controller
// doesn't know (any more) has no row; that is no error.
func (c *Client) Queue(ctx context.Context, ids ...JobID) ([]QueueRow, error) {
	list := idList(ids)
	if list == "" {
		return nil, nil
	}
	got, err := c.squeue(ctx, "--jobs="+list)
	if err != nil {
		return got, fmt.Errorf("ask for the state of %d jobs: %w", len(ids), err)
	}
	return got, nil
}

func (c *Client) squeue(ctx context.Context, filter string) ([]QueueRow, error) {
	res, err := c.ask(ctx, "squeue", "--noheader", "--array", "--states=all", "--format="+queueFormat, filter)
	if err != nil && !errors.Is(err, ErrNoJob) {
		return nil, err
	}
	// With one id, squeue fails where the job is unknown; with several it
	// leaves it out. Both mean the same, and what it printed still counts.
	return parseQueue(res.Stdout)
}

func parseQueue(stdout string) ([]QueueRow, error) {
	var out []QueueRow
	err := rows("squeue", stdout, strings.Count(queueFormat, fieldSep)+1, func(f []string) error {
		var r QueueRow
		var errs [9]error
		r.ID, errs[0] = ParseJobID(f[0])
		r.RawID, errs[1] = parseDigits(f[1])
		r.Name, r.User, r.Account, r.Partition, r.QOS = f[2], f[3], f[4], f[5], f[6]
		r.State, _ = ParseState(f[7])
		r.TimeLimit, errs[2] = ParseTimeLimit(f[8])
		r.Elapsed, errs[3] = ParseTimeLimit(f[9])
		r.Submit, errs[4] = parseInstant(f[10])
		r.Start, errs[5] = parseInstant(f[11])
		r.End, errs[6] = parseInstant(f[12])
		r.Nodes, errs[7] = strconv.Atoi(f[13])
		r.NodeList, r.Dependency, r.Reservation, r.Reason = f[14], null(f[15]), null(f[16]), null(f[17])
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		out = append(out, r)
		return nil
	})
	return out, err
}

// null is s, or nothing where the tool wrote that there is nothing.
func null(s string) string {
	switch s {
	case "(null)", "N/A", "None", "none":
		return ""
	}
	return s
}
