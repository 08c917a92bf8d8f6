package slurm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// SubmitRequest is one call of sbatch. What is empty is not passed, so the
// script's own #SBATCH line or the cluster's default holds. What is passed
// beats the script's line and, since the environment is scrubbed, everything
// else.
type SubmitRequest struct {
	Script      string   // path of the batch script
	Args        []string // the script's own arguments
	JobName     string   // unique if the job is to be found again after a lost answer
	Account     string
	Partition   string
	QOS         string
	Time        time.Duration // time limit; 0 is not passed
	Array       string        // "1-5%2"
	Dependency  string        // "afterany:123"
	Exclude     string        // node list
	Reservation string
	Chdir       string
	Export      string // "NONE", "ALL" or as sbatch takes it
	// Environ is added to sbatch's environment, and so to the job's where
	// Export allows it.
	Environ   []string
	ExtraArgs []string // options as sbatch takes them, after ours
}

// args is the request as sbatch's arguments.
func (r SubmitRequest) args(first ...string) ([]string, error) {
	if r.Script == "" {
		return nil, errors.New("submit: no script")
	}
	if r.JobName != "" {
		if err := JobName(r.JobName); err != nil {
			return nil, err
		}
	}
	args := first
	for _, o := range []struct{ name, value string }{
		{"job-name", r.JobName},
		{"account", r.Account},
		{"partition", r.Partition},
		{"qos", r.QOS},
		{"array", r.Array},
		{"dependency", r.Dependency},
		{"exclude", r.Exclude},
		{"reservation", r.Reservation},
		{"chdir", r.Chdir},
		{"export", r.Export},
	} {
		if o.value == "" {
			continue
		}
		if strings.ContainsAny(o.value, "\n\r\x00") {
			return nil, fmt.Errorf("submit: --%s=%q has a line break", o.name, o.value)
		}
		args = append(args, "--"+o.name+"="+o.value)
	}
	if r.Time != 0 {
		args = append(args, "--time="+FormatTimeLimit(r.Time))
	}
	args = append(args, r.ExtraArgs...)
	args = append(args, r.Script)
	return append(args, r.Args...), nil
}

// Submit calls sbatch once and returns the job's id: for an array the id of the
// whole. It never calls sbatch a second time, and once started it is not cut
// short by ctx (only by the client's time limit), because a submit that is torn in
// half is what makes two jobs.
//
// The error is ErrUnreachable where nothing was sent, ErrLost where the job may
// exist although no id came back, ErrNotInstalled without Slurm, and otherwise
// a *CommandError with sbatch's reason for refusing.
func (c *Client) Submit(ctx context.Context, r SubmitRequest) (JobID, error) {
	args, err := r.args("--parsable")
	if err != nil {
		return JobID{}, err
	}
	if err := ctx.Err(); err != nil {
		return JobID{}, err
	}
	res, err := c.call(context.WithoutCancel(ctx), Command{Name: "sbatch", Args: args, Environ: append(c.submit[:len(c.submit):len(c.submit)], r.Environ...)})
	var failed *CommandError
	switch {
	case err == nil:
		id, err := parseParsable(res.Stdout)
		if err != nil {
			return JobID{}, fmt.Errorf("%w: %w", ErrLost, err)
		}
		return id, nil
	case errors.Is(err, ErrUnreachable), errors.Is(err, ErrNotInstalled):
		return JobID{}, err
	case errors.As(err, &failed) && failed.Cause == nil, errors.Is(err, ErrNoJob), errors.Is(err, ErrNoAccounting):
		return JobID{}, err // the controller, or sbatch itself, said no
	}
	return JobID{}, fmt.Errorf("%w: %w", ErrLost, err)
}

// parseParsable reads what sbatch --parsable prints: the id, and after a
// semicolon the cluster. Lines that a site's wrapper prints before it are
// skipped.
func parseParsable(stdout string) (JobID, error) {
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	last, _, _ := strings.Cut(strings.TrimSpace(lines[len(lines)-1]), ";")
	n, err := parseDigits(last)
	if err != nil || n == 0 {
		return JobID{}, fmt.Errorf("sbatch succeeded but printed %q where a job id should be", stdout)
	}
	return JobID{Job: n}, nil
}
