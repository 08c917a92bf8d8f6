package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hpcbench/results"
	"hpcbench/sites"
	"hpcbench/sites/conf"
	"hpcbench/slurm"
)

// Subject is what is checked.
type Subject struct {
	// Site has its templates filled in as far as that is possible.
	Site    sites.Profile
	Part    sites.Partition // the profile's, of Site.Partition
	Origins *conf.Origins
	Who     sites.Who
	Now     time.Time
	// Spec is the run as it would be submitted; nil where no model was named, or where it can't be resolved.
	Spec *results.Spec
	// Model is the one that was named, Named whether one was.
	Model    sites.Model
	Revision string
	Named    bool
	// Run calls a tool of the system, such as lfs or the container runtime.
	Run slurm.Runner
	// Look finds a program on PATH, as exec.LookPath does.
	Look func(string) (string, error)
}

// answer is what a question brought, or why it didn't.
type answer[T any] struct {
	is  T
	err error
}

// Facts is what Slurm says, each question asked once.
type Facts struct {
	version      answer[string]
	config       answer[slurm.Config]
	partitions   answer[[]slurm.Partition]
	associations answer[[]slurm.Association]
	qos          answer[[]slurm.QOS]
	reservations answer[[]slurm.Reservation]
	nodes        answer[[]slurm.NodeKind]
}

// Ask puts all questions: three to scontrol, two to sacctmgr, one to sinfo.
func Ask(ctx context.Context, c *slurm.Client, s Subject) Facts {
	var f Facts
	f.version.is, f.version.err = c.Version(ctx)
	if f.version.err != nil {
		f.config.err, f.partitions.err, f.associations.err = f.version.err, f.version.err, f.version.err
		f.qos.err, f.reservations.err, f.nodes.err = f.version.err, f.version.err, f.version.err
		return f
	}
	f.config.is, f.config.err = c.Config(ctx)
	f.partitions.is, f.partitions.err = c.Partitions(ctx)
	f.associations.is, f.associations.err = c.Associations(ctx, s.Who.User)
	f.qos.is, f.qos.err = c.QOS(ctx)
	f.reservations.is, f.reservations.err = c.Reservations(ctx)
	f.nodes.is, f.nodes.err = c.NodeKinds(ctx, s.Site.Partition)
	return f
}

// partition is the controller's word on the partition that is asked for.
func (f Facts) partition(name string) (slurm.Partition, bool) {
	i := slices.IndexFunc(f.partitions.is, func(p slurm.Partition) bool { return p.Name == name })
	if i < 0 {
		return slurm.Partition{}, false
	}
	return f.partitions.is[i], true
}

// of finds the associations of an account on this cluster.
func (f Facts) of(account string) []slurm.Association {
	var mine []slurm.Association
	for _, a := range f.associations.is {
		here := f.config.is.Cluster == "" || a.Cluster == "" || strings.EqualFold(a.Cluster, f.config.is.Cluster)
		if here && strings.EqualFold(a.Account, account) {
			mine = append(mine, a)
		}
	}
	return mine
}

// walltime is what a job asks for; an hour where it isn't known.
func (s Subject) walltime() time.Duration {
	if s.Spec != nil {
		return time.Duration(s.Spec.Job.WalltimeS) * time.Second
	}
	return time.Hour
}

// key is a key of the partition in the profile.
func (s Subject) key(leaf string) string {
	return fmt.Sprintf("partitions.%s.%s", s.Site.Partition, leaf)
}

// write says how a key of the profile is changed.
func (s Subject) write(leaf string, value any) string {
	return fmt.Sprintf("write `%s: %v` below partitions.%s in sites/%s.yaml", leaf, value, s.Site.Partition, s.Site.Name)
}
