package resolve

import (
	"fmt"
	"strings"

	"hpcbench/jobs/fit"
	"hpcbench/results"
	"hpcbench/sites"
)

// times puts the repeats into jobs and says how long each takes.
func (d *draft) times() {
	d.spec.Job.SignalS = 120
	t, limits := TimesOf(d.spec), LimitsOf(d.site)
	var grouping results.Grouping
	var seconds int
	var sum []string
	if g := d.req.Grouping; g != nil {
		longest := 0
		for _, job := range g.Jobs {
			longest = max(longest, len(job))
		}
		grouping = *g
		seconds, sum = fit.Walltime(t, longest, g.FreshServer)
	} else {
		var err error
		grouping, seconds, sum, err = fit.Group(d.spec.Repeats, t, limits, d.req.Mode)
		if err != nil {
			d.fail(fmt.Errorf("%w; take fewer --repeats, a shorter plan or another --partition", err))
			return
		}
	}
	if asked := int(d.req.Walltime.Seconds()); asked > 0 {
		if asked < seconds {
			short := fmt.Errorf("--time %s is shorter than what a job may take, %s [%s]; --force takes it all the same", fit.Clock(asked), fit.Clock(seconds), strings.Join(sum, " "))
			if d.req.Force {
				d.warn("%v", short)
			} else {
				d.fail(short)
			}
		}
		sum = append(sum, fmt.Sprintf("asked for with --time: %s", fit.Clock(asked)))
		seconds = asked
	}
	d.spec.Grouping = grouping
	d.spec.Job.WalltimeS, d.spec.Job.Arithmetic = seconds, sum
}

// cost is the site's price of one job, expected and at worst.
func (d *draft) cost() {
	c := &d.spec.Site.Cost
	c.Unit, c.Formula = d.site.Cost.Unit, d.site.CostFormula()
	if c.Unit == "" {
		return
	}
	job := d.spec.Job
	r := sites.Resources{
		Nodes: job.Nodes, GPUs: job.GPUs, Cores: job.CPUsPerTask * job.Nodes,
		MemoryGiB: float64(job.MemoryMiB) / 1024 * float64(job.Nodes), WholeNode: d.part.WholeNode || job.Exclusive,
	}
	c.PerHour = d.site.CostOf(r, 1)
	load := results.EstimatePlan(d.spec.Plan)
	one := d.spec.Server.ExpectedStartS + load.Seconds + d.spec.Server.GraceS
	c.ExpectedHours = float64(d.spec.Repeats) * one / 3600
	if d.spec.Grouping.Mode == results.ModeReuse {
		c.ExpectedHours = (d.spec.Server.ExpectedStartS + float64(d.spec.Repeats)*load.Seconds) / 3600
	}
	c.WorstHours = float64(len(d.spec.Grouping.Jobs)) * float64(job.WalltimeS) / 3600
}
