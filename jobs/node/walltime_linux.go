package node

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"hpcbench/jobs"
)

// signalSlack is how much earlier than asked Slurm may send its signal before the
// walltime's end, and half a minute for what came in between.
const signalSlack = 90 * time.Second

// beforeTheEnd says that a signal was the one before the walltime's end, where it
// was; a job that was cancelled or preempted earlier is told nothing.
func (r *runner) beforeTheEnd() string {
	left := time.Until(r.endOfJob()).Round(time.Second)
	if left < 0 || left > time.Duration(r.spec.Job.SignalS)*time.Second+signalSlack {
		return ""
	}
	return fmt.Sprintf(" %s before the end of the walltime", left)
}

// endOfJob is when Slurm will end the job: as it says itself (newer releases do), or
// the walltime after the start of the batch shell, our parent. Zero where neither is known.
func (r *runner) endOfJob() time.Time {
	if end, err := strconv.ParseInt(os.Getenv("SLURM_JOB_END_TIME"), 10, 64); err == nil {
		return time.Unix(end, 0)
	}
	age, err := processAge(os.Getppid())
	walltime := r.spec.Job.WalltimeS
	if other, err := strconv.Atoi(os.Getenv(jobs.WalltimeVariable)); err == nil {
		walltime = other
	}
	if err != nil || os.Getenv("SLURM_JOB_ID") == "" || walltime == 0 {
		return time.Time{}
	}
	return time.Now().Add(-age).Add(time.Duration(walltime) * time.Second)
}

// processAge is how long a process has been there.
func processAge(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	p, err := readProcess(stat)
	if err != nil {
		return 0, err
	}
	up, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	var seconds float64
	if _, err := fmt.Sscan(string(up), &seconds); err != nil {
		return 0, fmt.Errorf("read /proc/uptime: %w", err)
	}
	// Ticks are hundredths of a second on every Linux that people use (USER_HZ).
	return time.Duration((seconds - float64(p.started)/100) * float64(time.Second)), nil
}
