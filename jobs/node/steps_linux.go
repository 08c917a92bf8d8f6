package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// masterPort is the variable with the port at which the ranks of a server on several
// nodes meet, beside MASTER_ADDR, which the script sets; a server of the user's own
// reads both.
const masterPort = "MASTER_PORT"

// endSteps cancels the job steps that are left of a server on several nodes: an
// srun that was killed leaves its tasks on the other nodes behind, and the next one
// would wait for their GPUs.
func (r *runner) endSteps(ctx context.Context) error {
	job := os.Getenv("SLURM_JOB_ID")
	if job == "" || r.spec.Job.Nodes < 2 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 45*time.Second)
	defer cancel()
	for {
		out, err := exec.CommandContext(ctx, "squeue", "--noheader", "--steps", "--jobs="+job, "--format=%i").Output()
		if err != nil {
			return fmt.Errorf("ask for the job steps that a server left: %w", err)
		}
		left := serverSteps(string(out))
		if len(left) == 0 {
			return nil
		}
		r.say("ending the job steps that a server left: %s", strings.Join(left, ", "))
		if err := exec.CommandContext(ctx, "scancel", left...).Run(); err != nil && ctx.Err() == nil {
			r.say("scancel %s: %v", strings.Join(left, " "), err) // it may just have ended
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return fmt.Errorf("end the job steps that a server left: %s still there", strings.Join(left, ", "))
		}
	}
}

// serverSteps are the numbered steps of a job, as srun makes them; batch and extern are Slurm's.
func serverSteps(squeue string) []string {
	var steps []string
	for _, id := range strings.Fields(squeue) {
		head, step, ok := strings.Cut(id, ".")
		if !ok || strings.Trim(step, "0123456789") != "" || step == "" {
			continue
		}
		// The elements of an array are listed as 12_3.0; asked for by their own number, there are no others.
		steps = append(steps, head+"."+step)
	}
	return steps
}
