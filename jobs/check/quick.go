package check

import (
	"context"

	"hpcbench/jobs"
	"hpcbench/slurm"
)

// Quick is the part of the doctor's checks that `submit` makes: one question to the
// controller, about partitions. The findings are those that matter for a run, without
// the good ones; an error is what the run could never start for.
func Quick(ctx context.Context, c *slurm.Client, s Subject) []Finding {
	var f Facts
	f.partitions.is, f.partitions.err = c.Partitions(ctx)
	found := partition(s, f)
	if p, listed := f.partition(s.Site.Partition); listed && !p.Allows(s.Site.Account) {
		r := &report{name: "account"}
		r.fail("take an account that it allows, or another --partition", "partition %s doesn't take jobs of account %s; it takes %s", p.Name, s.Site.Account, some(p.AllowAccounts))
		found = append(found, r.found...)
	}
	var bad []Finding
	for _, v := range found {
		if v.Level != OK {
			bad = append(bad, v)
		}
	}
	return bad
}

// Forecast asks when the first job of a run would start. A refusal may be of this moment
// only, such as in a maintenance, where sbatch itself takes the job and lets it wait.
func Forecast(ctx context.Context, c *slurm.Client, s jobs.Submitter, wanted []int) (slurm.Forecast, error) {
	return c.TestOnly(ctx, s.First(wanted))
}
