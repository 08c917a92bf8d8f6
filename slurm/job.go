package slurm

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Job is what the controller holds of one job or array element: what was
// really granted, whatever was asked.
type Job struct {
	ID        JobID
	RawID     uint64
	Name      string
	User      string // name(uid), as scontrol writes it
	Account   string
	Partition string
	QOS       string
	State     State
	Reason    string
	TimeLimit time.Duration
	Requeue   bool // Slurm may run it again
	Restarts  int
	Exit      Exit
	Submit    time.Time
	Start     time.Time
	End       time.Time
	NodeList  string
	BatchHost string
	ExcNodes  string
	TRES      TRES
	WorkDir   string
	Command   string
	StdOut    string
	// Fields has everything that scontrol said, by its names.
	Fields map[string]string
}

// Job asks for one job in all detail: one row for a job or an array element, one for
// each element (and one for those still packed together) for an array's id.
// ErrNoJob says that the controller doesn't know it (any more); a job
// stays known for MinJobAge, often five minutes, after its end.
func (c *Client) Job(ctx context.Context, id JobID) ([]Job, error) {
	if id.Job == 0 {
		return nil, errors.New("show job: no job id")
	}
	res, err := c.ask(ctx, "scontrol", "show", "job", "--oneliner", id.Parent().String())
	if err != nil {
		return nil, fmt.Errorf("show job %s: %w", id, err)
	}
	jobs, err := parseJobs(res.Stdout)
	if err != nil {
		return jobs, fmt.Errorf("show job %s: %w", id, err)
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("show job %s: %w", id, ErrNoJob)
	}
	return jobs, nil
}

func parseJobs(stdout string) ([]Job, error) {
	var out []Job
	var errs []error
	for _, line := range strings.Split(stdout, "\n") {
		kv := keyValues(line)
		if kv["JobId"] == "" {
			continue
		}
		j, err := parseJob(kv)
		if err != nil {
			errs = append(errs, fmt.Errorf("%w in line %.200q", err, line))
			continue
		}
		out = append(out, j)
	}
	return out, errors.Join(errs...)
}

func parseJob(kv map[string]string) (Job, error) {
	j := Job{
		Name: kv["JobName"], User: kv["UserId"], Account: kv["Account"], Partition: kv["Partition"], QOS: kv["QOS"],
		Reason: kv["Reason"], NodeList: kv["NodeList"], BatchHost: kv["BatchHost"], ExcNodes: kv["ExcNodeList"],
		WorkDir: kv["WorkDir"], Command: kv["Command"], StdOut: kv["StdOut"], Requeue: kv["Requeue"] == "1", Fields: kv,
	}
	var errs [8]error
	j.RawID, errs[0] = parseDigits(kv["JobId"])
	j.ID = JobID{Job: j.RawID}
	if array := kv["ArrayJobId"]; array != "" {
		text := array + "_" + kv["ArrayTaskId"]
		if strings.ContainsAny(kv["ArrayTaskId"], "-,:%") {
			text = array + "_[" + kv["ArrayTaskId"] + "]"
		}
		j.ID, errs[1] = ParseJobID(text)
	}
	j.State, _ = ParseState(kv["JobState"])
	j.TimeLimit, errs[2] = ParseTimeLimit(kv["TimeLimit"])
	j.Exit, errs[3] = ParseExit(kv["ExitCode"])
	j.Submit, errs[4] = parseInstant(kv["SubmitTime"])
	j.Start, errs[5] = parseInstant(kv["StartTime"])
	j.End, errs[6] = parseInstant(kv["EndTime"])
	tres := kv["AllocTRES"] // newer releases
	if tres == "" {
		tres = kv["TRES"]
	}
	if tres == "" {
		tres = kv["ReqTRES"]
	}
	j.TRES, errs[7] = ParseTRES(tres)
	if n, err := strconv.Atoi(kv["Restarts"]); err == nil {
		j.Restarts = n
	}
	return j, errors.Join(errs[:]...)
}
