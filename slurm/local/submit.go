package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hpcbench/slurm"
)

// submitLimit is how long a supervisor may take to report.
const submitLimit = 20 * time.Second

// Submit takes a script into the queue and starts its supervisor. What the
// request says beats the script's #SBATCH lines, as with sbatch. When it
// returns an id, the job goes on whatever happens to this process. A failed
// Submit leaves no job behind.
func (c Scheduler) Submit(ctx context.Context, r slurm.SubmitRequest) (slurm.JobID, error) {
	if err := ctx.Err(); err != nil {
		return slurm.JobID{}, err
	}
	if len(c.Supervise) == 0 {
		return slurm.JobID{}, errors.New("submit locally: no supervisor is configured")
	}
	c, err := c.at()
	if err != nil {
		return slurm.JobID{}, err
	}
	if r.JobName != "" {
		if err := slurm.JobName(r.JobName); err != nil {
			return slurm.JobID{}, err
		}
	}
	script, err := os.ReadFile(r.Script)
	if err != nil {
		return slurm.JobID{}, fmt.Errorf("submit locally: %w", err)
	}
	j, tasks, err := c.prepare(r, string(script))
	if err != nil {
		return slurm.JobID{}, fmt.Errorf("submit %s locally: %w", r.Script, err)
	}
	if err := c.enqueue(&j, tasks, script, append(slurm.Scrub(os.Environ()), r.Environ...)); err != nil {
		return slurm.JobID{}, fmt.Errorf("submit %s locally: %w", r.Script, err)
	}
	return slurm.JobID{Job: j.ID}, nil
}

// prepare merges script and request into a job without ids.
func (c Scheduler) prepare(r slurm.SubmitRequest, script string) (job, []uint64, error) {
	opts, err := scriptOptions(script)
	if err != nil {
		return job{}, nil, err
	}
	opts.read(r.ExtraArgs)
	for name, value := range map[string]string{"job-name": r.JobName, "account": r.Account, "partition": r.Partition, "qos": r.QOS,
		"array": r.Array, "chdir": r.Chdir, "export": r.Export, "dependency": r.Dependency} {
		if value != "" {
			opts[name] = value
		}
	}
	cwd, err := os.Getwd()
	if err != nil {
		return job{}, nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return job{}, nil, err
	}
	j := job{
		Format: format, Name: opts["job-name"], User: userName(), UID: os.Getuid(), Account: opts["account"],
		Partition: opts["partition"], QOS: opts["qos"], Script: r.Script, Args: r.Args, SubmitDir: cwd, WorkDir: opts["chdir"],
		Output: opts["output"], Error: opts["error"], Append: opts["open-mode"] == "append", Export: opts["export"],
		TimeLimit: r.Time, KillWait: c.KillWait, Submit: time.Now().UTC().Truncate(time.Second), Host: host, Array: opts["array"] != "",
	}
	if j.Name == "" {
		j.Name = filepath.Base(r.Script)
	}
	if j.WorkDir == "" {
		j.WorkDir = cwd
	}
	if j.Output == "" {
		j.Output = defaultOutput(j)
	}
	if j.TimeLimit == 0 {
		if j.TimeLimit, err = slurm.ParseTimeLimit(opts["time"]); err != nil {
			return job{}, nil, err
		}
	}
	if j.TimeLimit == slurm.Unlimited {
		j.TimeLimit = 0
	}
	if s := opts["signal"]; s != "" {
		if j.Warn, err = parseSignal(s); err != nil {
			return job{}, nil, err
		}
	}
	if err := c.checkDependency(opts["dependency"]); err != nil {
		return job{}, nil, err
	}
	tasks := []uint64{0}
	if j.Array {
		if tasks, err = slurm.ArrayTasks(opts["array"]); err != nil {
			return job{}, nil, err
		}
	}
	return j, tasks, nil
}

// checkDependency accepts afterany on earlier jobs, which the order of the queue
// fulfils by itself.
func (c Scheduler) checkDependency(s string) error {
	if s == "" {
		return nil
	}
	kind, rest, _ := strings.Cut(s, ":")
	if kind != "afterany" || strings.ContainsAny(rest, ",?") {
		return fmt.Errorf("dependency %q: without Slurm only afterany:ID is possible", s)
	}
	for _, text := range strings.Split(rest, ":") {
		id, err := slurm.ParseJobID(text)
		if err != nil {
			return fmt.Errorf("dependency %q: %w", s, err)
		}
		if _, err := c.readJob(id.Job); err != nil {
			return fmt.Errorf("dependency %q: there is no job %s", s, id)
		}
	}
	return nil
}

// enqueue gives the job its ids and its supervisor, or takes everything back.
func (c Scheduler) enqueue(j *job, tasks []uint64, script []byte, environ []string) (err error) {
	var taken []uint64
	defer func() {
		if err != nil {
			for _, id := range taken {
				os.RemoveAll(c.jobDir(id))
			}
		}
	}()
	for _, task := range tasks {
		id, err := c.claim()
		if err != nil {
			return err
		}
		taken = append(taken, id)
		j.Elements = append(j.Elements, element{Task: task, Raw: id})
	}
	j.ID = taken[0]
	dir := c.jobDir(j.ID)
	if err := os.WriteFile(filepath.Join(dir, "script"), script, 0o700); err != nil {
		return fmt.Errorf("keep the script: %w", err)
	}
	for _, e := range j.Elements {
		if err := c.writeState(e, state{State: slurm.StatePending, Reason: "None"}); err != nil {
			return err
		}
	}
	if err := writeJSON(filepath.Join(dir, "job.json"), j); err != nil {
		return err
	}
	return c.launch(dir, environ)
}

// launch starts the supervisor in a session of its own and waits until it has
// reported.
func (c Scheduler) launch(dir string, environ []string) error {
	logPath := filepath.Join(dir, "supervisor.log")
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("start the supervisor: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(c.Supervise[0], append(c.Supervise[1:len(c.Supervise):len(c.Supervise)], dir)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = environ, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the supervisor: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(submitLimit)
	for {
		if _, err := os.Stat(filepath.Join(dir, "supervisor.json")); err == nil {
			return nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("start the supervisor: %w", err)
		}
		select {
		case err := <-ended:
			if _, statErr := os.Stat(filepath.Join(dir, "supervisor.json")); statErr == nil {
				return nil // it was quick
			}
			said, _ := os.ReadFile(logPath)
			return fmt.Errorf("the supervisor %s ended at once (%v): %.500s", c.Supervise[0], err, said)
		case <-limit:
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
			return fmt.Errorf("the supervisor %s has not reported after %v", c.Supervise[0], submitLimit)
		case <-tick.C:
		}
	}
}

// defaultOutput is a log in the folder logs where the job's directory has one,
// as a run's has, else Slurm's own default.
func defaultOutput(j job) string {
	name := map[bool]string{false: "%j", true: "%A_%a"}[j.Array]
	if info, err := os.Stat(filepath.Join(j.WorkDir, "logs")); err == nil && info.IsDir() {
		return filepath.Join("logs", name+".log")
	}
	return "slurm-" + name + ".out"
}

// userName is for display. It does not ask the system: a static binary can't
// look up users from a directory service.
func userName() string {
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return strconv.Itoa(os.Getuid())
}
