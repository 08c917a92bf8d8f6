package slurm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Association is a user's right to charge jobs to an account.
type Association struct {
	Cluster    string
	Account    string
	User       string
	Partition  string // empty: all
	QOS        []string
	DefaultQOS string
	MaxJobs    int // running at a time; -1: no limit
	MaxSubmit  int // running and waiting; -1: no limit
	MaxWall    time.Duration
}

var associationFields = []string{"Cluster", "Account", "User", "Partition", "QOS", "DefaultQOS", "MaxJobs", "MaxSubmit", "MaxWall"}

// Associations asks the accounting database which accounts a user may charge.
func (c *Client) Associations(ctx context.Context, user string) ([]Association, error) {
	if user == "" || strings.ContainsAny(user, ", \n=") {
		return nil, fmt.Errorf("associations of user %q: not a user's name", user)
	}
	var out []Association
	err := c.sacctmgr(ctx, associationFields, []string{"show", "associations", "user=" + user}, func(f []string) error {
		a := Association{Cluster: f[0], Account: f[1], User: f[2], Partition: f[3], QOS: list(f[4]), DefaultQOS: f[5]}
		var errs [3]error
		a.MaxJobs, errs[0] = limit(f[6])
		a.MaxSubmit, errs[1] = limit(f[7])
		a.MaxWall, errs[2] = wall(f[8])
		out = append(out, a)
		return errors.Join(errs[:]...)
	})
	return out, err
}

// QOS is a quality of service: a named set of limits.
type QOS struct {
	Name          string
	MaxWall       time.Duration // 0: no limit
	MaxJobsUser   int           // running, for one user; -1: no limit
	MaxSubmitUser int           // running and waiting, for one user; -1: no limit
	GrpJobs       int           // running, for everybody; -1: no limit
	MaxTRESUser   TRES
	MaxTRESJob    TRES
	MinTRESJob    TRES
	Flags         []string
}

var qosFields = []string{"Name", "MaxWall", "MaxJobsPU", "MaxSubmitPU", "GrpJobs", "MaxTRESPU", "MaxTRES", "MinTRES", "Flags"}

// QOS asks the accounting database for all qualities of service.
func (c *Client) QOS(ctx context.Context) ([]QOS, error) {
	var out []QOS
	err := c.sacctmgr(ctx, qosFields, []string{"show", "qos"}, func(f []string) error {
		q := QOS{Name: f[0], Flags: list(f[8])}
		var errs [7]error
		q.MaxWall, errs[0] = wall(f[1])
		q.MaxJobsUser, errs[1] = limit(f[2])
		q.MaxSubmitUser, errs[2] = limit(f[3])
		q.GrpJobs, errs[3] = limit(f[4])
		q.MaxTRESUser, errs[4] = ParseTRES(f[5])
		q.MaxTRESJob, errs[5] = ParseTRES(f[6])
		q.MinTRESJob, errs[6] = ParseTRES(f[7])
		out = append(out, q)
		return errors.Join(errs[:]...)
	})
	return out, err
}

// sacctmgr has no option for the separator, but none of these fields can hold a bar.
func (c *Client) sacctmgr(ctx context.Context, fields, question []string, read func([]string) error) error {
	args := append([]string{"--noheader", "--parsable2", "--readonly"}, question...)
	res, err := c.ask(ctx, "sacctmgr", append(args, "format="+strings.Join(fields, ","))...)
	if err != nil {
		return fmt.Errorf("sacctmgr %s: %w", strings.Join(question, " "), err)
	}
	return rows("sacctmgr", strings.ReplaceAll(res.Stdout, "|", fieldSep), len(fields), read)
}

// limit reads a count that may not be limited.
func limit(s string) (int, error) {
	if s == "" || s == "-1" {
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return -1, fmt.Errorf("limit %q is not a number", s)
	}
	return n, nil
}

// wall reads a time limit, 0 where there is none.
func wall(s string) (time.Duration, error) {
	d, err := ParseTimeLimit(s)
	if d == Unlimited {
		d = 0
	}
	return d, err
}
