package check

import (
	"fmt"
	"slices"
	"time"

	"hpcbench/results"
	"hpcbench/slurm"
)

// effective are the limits of one user's jobs on the partition, each with who states it.
type effective struct {
	submit, running stated[int]
	wall            stated[time.Duration]
	perJob, perUser []stated[slurm.TRES]
	atLeast         []stated[slurm.TRES]
}

type stated[T any] struct {
	is    T
	by    string
	known bool
}

// take keeps the first statement: Slurm's order is the partition's QOS, the job's own
// QOS, then the association.
func (s *stated[T]) take(is T, by string, says bool) {
	if says && !s.known {
		*s = stated[T]{is, by, true}
	}
}

// limitsOf works out what limits the user's jobs.
func limitsOf(s Subject, f Facts, p slurm.Partition) effective {
	var e effective
	own := s.Site.QOS
	associations := f.of(s.Site.Account)
	if own == "" {
		for _, a := range associations {
			if own = a.DefaultQOS; own == "" && len(a.QOS) == 1 {
				own = a.QOS[0]
			}
		}
	}
	if own == "" {
		own = "normal" // Slurm's own
	}
	for _, name := range []string{p.QOS, own} {
		i := slices.IndexFunc(f.qos.is, func(q slurm.QOS) bool { return q.Name == name })
		if i < 0 || name == "" {
			continue
		}
		q := f.qos.is[i]
		by := "QOS " + name
		e.submit.take(q.MaxSubmitUser, by, q.MaxSubmitUser >= 0)
		e.running.take(q.MaxJobsUser, by, q.MaxJobsUser >= 0)
		e.wall.take(q.MaxWall, by, q.MaxWall > 0)
		for _, t := range []struct {
			to   *[]stated[slurm.TRES]
			tres slurm.TRES
		}{{&e.perJob, q.MaxTRESJob}, {&e.perUser, q.MaxTRESUser}, {&e.atLeast, q.MinTRESJob}} {
			if len(t.tres) > 0 {
				*t.to = append(*t.to, stated[slurm.TRES]{t.tres, by, true})
			}
		}
	}
	for _, a := range associations {
		if a.Partition != "" && a.Partition != p.Name {
			continue
		}
		by := "account " + a.Account
		e.submit.take(a.MaxSubmit, by, a.MaxSubmit >= 0)
		e.running.take(a.MaxJobs, by, a.MaxJobs >= 0)
		e.wall.take(a.MaxWall, by, a.MaxWall > 0)
	}
	return e
}

// limits compares the limits of QOS and association with the profile and with the run.
func limits(s Subject, f Facts) []Finding {
	r := &report{name: "limits"}
	p, listed := f.partition(s.Site.Partition)
	if !listed {
		return nil // partition says it
	}
	if f.qos.err != nil {
		r.warn("try again later; Slurm holds to them whether they are known or not", "the limits on your jobs could not be asked: %v", f.qos.err)
		return r.found
	}
	e := limitsOf(s, f, p)
	r.counts(s, e)
	r.resources(s, e)
	if s.Part.MaxWalltime > 0 && e.wall.known && e.wall.is < s.Part.MaxWalltime {
		r.warn(s.write("max_walltime", e.wall.is), "%s allows a job %s, the profile says %s", e.wall.by, limitWords(e.wall.is), limitWords(s.Part.MaxWalltime))
	}
	if s.Spec != nil && e.wall.known && s.walltime() > e.wall.is {
		r.fail("take fewer --repeats or a shorter plan", "a job asks for %s, and %s allows %s: it would never start", limitWords(s.walltime()), e.wall.by, limitWords(e.wall.is))
	}
	if len(r.found) == 0 {
		r.ok("%s in the queue, %s running", countWords(e.submit), countWords(e.running))
	}
	r.found[len(r.found)-1].settled(s.key("max_jobs"), s.key("max_running"))
	return r.found
}

func (r *report) counts(s Subject, e effective) {
	for _, l := range []struct {
		leaf, what string
		is         stated[int]
		profile    int
	}{{"max_jobs", "in the queue", e.submit, s.Part.MaxJobs}, {"max_running", "running", e.running, s.Part.MaxRunning}} {
		switch {
		case l.is.known && l.is.is != l.profile:
			profile := "nothing"
			if l.profile > 0 {
				profile = fmt.Sprint(l.profile)
			}
			r.warn(s.write(l.leaf, l.is.is), "%s allows you %d jobs %s, the profile says %s; the controller's counts", l.is.by, l.is.is, l.what, profile)
		case !l.is.known && l.profile > 0:
			r.warn("", "the profile allows %d jobs %s, and Slurm states no such limit", l.profile, l.what)
		}
	}
	if s.Spec == nil || !e.submit.known {
		return
	}
	if n := jobsOf(*s.Spec); n > e.submit.is {
		r.fail("take --repeat-mode restart, fewer --repeats, or another --partition", "the run has %d jobs (an array element is one), and %s allows %d in the queue", n, e.submit.by, e.submit.is)
	}
}

func (r *report) resources(s Subject, e effective) {
	if s.Spec == nil {
		return
	}
	job := s.Spec.Job
	asked := map[string]int64{"gres/gpu": int64(job.GPUs), "node": int64(job.Nodes)}
	if job.CPUsPerTask > 0 {
		asked["cpu"] = int64(job.CPUsPerTask * job.Nodes)
	}
	if g := s.Site.GPU.Gres; g != "" {
		asked["gres/gpu:"+g] = int64(job.GPUs)
	}
	for _, name := range []string{"cpu", "gres/gpu", "gres/gpu:" + s.Site.GPU.Gres, "node"} {
		for _, l := range append(append([]stated[slurm.TRES]{}, e.perJob...), e.perUser...) {
			if most, says := l.is[name]; says && asked[name] > l.is.Count(name) {
				r.fail("ask for less, or take another QOS", "a job asks for %d of %s, and %s allows %s", asked[name], name, l.by, most)
			}
		}
		for _, l := range e.atLeast {
			if least, says := l.is[name]; says && asked[name] > 0 && asked[name] < l.is.Count(name) {
				r.fail("ask for more, or take another QOS", "a job asks for %d of %s, and %s demands at least %s", asked[name], name, l.by, least)
			}
		}
	}
}

// jobsOf counts a run's jobs as Slurm does.
func jobsOf(spec results.Spec) int {
	if spec.Grouping.Mode == results.ModeArray {
		return spec.Repeats
	}
	return len(spec.Grouping.Jobs)
}

func countWords(s stated[int]) string {
	if !s.known {
		return "any number of jobs"
	}
	return fmt.Sprintf("%d jobs (%s)", s.is, s.by)
}
