package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hpcbench/slurm"
)

// KillWait is what a job has between TERM and KILL at its end, Slurm's own default.
const KillWait = 30 * time.Second

// Supervise runs the job of a folder to its end. ctx ends with the first TERM,
// which Cancel sends: the script gets it and then has KillWait.
func Supervise(ctx context.Context, dir string) error {
	j, err := readJob(dir)
	if err != nil {
		return err
	}
	j.Supervisor = self()
	if err := j.write(dir); err != nil {
		return err
	}
	j.awaitOther(ctx, filepath.Dir(dir))
	for i := range j.Elements {
		e := &j.Elements[i]
		if cancelled(ctx, dir) {
			e.State = slurm.StateCancelled
		} else {
			e.State, e.StartAt = slurm.StateRunning, time.Now().UTC()
			if err := j.write(dir); err != nil {
				return err
			}
			e.State, e.Exit = j.run(ctx, *e)
		}
		e.EndAt = time.Now().UTC()
		if err := j.write(dir); err != nil {
			return err
		}
	}
	return nil
}

func cancelled(ctx context.Context, dir string) bool {
	_, err := os.Stat(cancelFile(dir))
	return err == nil || ctx.Err() != nil
}

// awaitOther waits for the job that this one depends on; one that nobody knows is over.
func (j job) awaitOther(ctx context.Context, state string) {
	for j.After != 0 && ctx.Err() == nil {
		other, err := readJob(jobDir(state, j.After))
		if err != nil {
			return
		}
		over := true
		for _, e := range other.settled().Elements {
			over = over && e.State.Class().Over()
		}
		if over {
			return
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// run starts the script for one element and waits for its end.
func (j job) run(ctx context.Context, e element) (slurm.State, slurm.Exit) {
	log, err := os.OpenFile(j.logPath(e), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return slurm.StateFailed, slurm.Exit{Code: 1}
	}
	defer log.Close()
	cmd := exec.Command("bash", append([]string{j.Script}, j.Args...)...)
	cmd.Dir, cmd.Env = j.Dir, j.environ(e)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(log, "start the script:", err)
		return slurm.StateFailed, slurm.Exit{Code: 1}
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var limit <-chan time.Time
	if j.Limit > 0 {
		limit = time.After(j.Limit)
	}
	var state slurm.State
	select {
	case err = <-done:
	case <-limit:
		state = slurm.StateTimeout
		err = terminate(cmd, done)
	case <-ctx.Done():
		state = slurm.StateCancelled
		err = terminate(cmd, done)
	}
	killSession(cmd.Process.Pid, 30*time.Second) // nothing is left of a job, as under Slurm's cgroup
	exit := exitOf(err)
	if state == "" {
		state = slurm.StateCompleted
		if exit != (slurm.Exit{}) {
			state = slurm.StateFailed
		}
	}
	return state, exit
}

// terminate sends TERM to the batch shell alone, as a site with proctrack/cgroup
// does, and KILL to everything after KillWait.
func terminate(cmd *exec.Cmd, done <-chan error) error {
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-done:
		return err
	case <-time.After(KillWait):
		killSession(cmd.Process.Pid, 30*time.Second)
		return <-done
	}
}

func exitOf(err error) slurm.Exit {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return slurm.Exit{Code: 1}
		}
		return slurm.Exit{}
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return slurm.Exit{Signal: int(status.Signal())}
	}
	return slurm.Exit{Code: exit.ExitCode()}
}

// logPath is the run's log folder where there is one, else Slurm's default name.
func (j job) logPath(e element) string {
	name := strconv.FormatUint(j.ID, 10)
	if j.Array {
		name += "_" + strconv.FormatUint(e.Task, 10)
	}
	logs := filepath.Join(j.Dir, "logs")
	if info, err := os.Stat(logs); err == nil && info.IsDir() {
		return filepath.Join(logs, name+".log")
	}
	return filepath.Join(j.Dir, "slurm-"+name+".out")
}

// environ is what Slurm would set for the batch script.
func (j job) environ(e element) []string {
	host := hostname()
	id := strconv.FormatUint(j.ID, 10)
	env := append(slurm.Scrub(os.Environ()), j.Environ...)
	env = append(env,
		"SLURM_JOB_ID="+id, "SLURM_JOBID="+id, "SLURM_JOB_NAME="+j.Name, "SLURM_SUBMIT_DIR="+j.Dir,
		"SLURM_JOB_NODELIST="+host, "SLURM_NODELIST="+host, "SLURM_JOB_NUM_NODES=1", "SLURM_NNODES=1", "SLURM_NODEID=0", "SLURM_PROCID=0",
		"SLURM_JOB_PARTITION="+j.Part, "SLURMD_NODENAME="+host,
	)
	if j.Account != "" {
		env = append(env, "SLURM_JOB_ACCOUNT="+j.Account)
	}
	if j.Array {
		env = append(env, "SLURM_ARRAY_JOB_ID="+id, "SLURM_ARRAY_TASK_ID="+strconv.FormatUint(e.Task, 10))
		// Slurm gives each element a number of its own.
		for i, kv := range env {
			if strings.HasPrefix(kv, "SLURM_JOB_ID=") || strings.HasPrefix(kv, "SLURM_JOBID=") {
				name, _, _ := strings.Cut(kv, "=")
				env[i] = name + "=" + id + strconv.FormatUint(e.Task, 10)
			}
		}
	}
	return env
}
