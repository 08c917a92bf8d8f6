package resolve

import (
	"fmt"
	"path/filepath"
	"strings"

	"hpcbench/jobs"
	"hpcbench/results"
	"hpcbench/sites"
)

// place finds the site and its partition. It answers false where there is no site at all.
func (d *draft) place() bool {
	site, origins, err := sites.LoadSite(d.req.Site, d.req.Options)
	if err != nil {
		d.fail(err)
		return false
	}
	d.site = site
	d.fail(sites.Require(site, origins))
	part, err := site.FindPartition(site.Partition)
	if err != nil && site.Partition != "" {
		d.fail(err)
	}
	d.part = part
	for _, key := range []string{"account", "partition", "image", "runs_dir", "cache_dir", "qos", "reservation"} {
		if at := origins.Of(key); at.Source != "" {
			d.spec.Origins[key] = at.String()
		}
	}
	if d.errs.ErrorOrNil() == nil {
		full, err := site.Expand(d.req.Options.Who())
		d.fail(err)
		if err == nil {
			d.site = full
		}
	}
	d.spec.Site = results.SiteFacts{
		Name: site.Name, Scheduler: site.Scheduler, PollS: site.PollInterval.Seconds(),
		GPUKind: site.GPU.Kind, GPUMemoryGiB: site.GPU.MemoryGiB, GPUsPerNode: site.GPU.PerNode,
		GPUSampler: sampler(site.GPU.Sampler),
	}
	if site.GPU.Vendor != sites.None {
		d.spec.Site.GPUVendor = site.GPU.Vendor
	}
	if site.GroupReadable {
		d.spec.Site.ProjectGroup = site.Group
		if site.Group == "" {
			d.fail(fmt.Errorf("group_readable is set but no group: name the project's Unix group as `group`"))
		}
	}
	if !part.Production && site.Scheduler == sites.Slurm && part.Use != "" {
		d.warn("partition %s: %s", site.Partition, part.Use)
	}
	return true
}

// sampler names the tool that samples the GPUs.
func sampler(tool string) []string {
	if tool == sites.None || tool == "" {
		return nil
	}
	return []string{tool}
}

// name gives the run its name and folder.
func (d *draft) name() {
	name := d.req.Name
	if name == "" {
		short := d.spec.Model.Name
		if i := strings.LastIndexByte(strings.TrimRight(short, "/"), '/'); i >= 0 {
			short = short[i+1:]
		}
		name = d.site.Name + "-" + plain(short)
		if d.spec.Job.GPUs > 0 {
			name += fmt.Sprintf("-g%d", d.spec.Job.GPUs)
		}
	}
	d.fail(jobs.CheckName(name))
	d.spec.Name = name
	d.spec.Job.Dir = d.req.Dir
	if d.req.Dir == "" {
		d.spec.Job.Dir = filepath.Join(d.site.RunsDir, name)
	}
	if d.site.Scheduler == sites.Slurm && underTmp(d.spec.Job.Dir) && d.req.Here && !d.req.Force {
		d.fail(fmt.Errorf("run folder %s: /tmp of a login node is not seen by compute nodes; set runs_dir to a shared file system (--force if /tmp is shared here)", d.spec.Job.Dir))
	}
}

func underTmp(dir string) bool {
	for _, top := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		if dir == top || strings.HasPrefix(dir, top+"/") {
			return true
		}
	}
	return false
}

// plain makes a word of a model's name that can be a folder and a job's name.
func plain(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	out := strings.Trim(b.String(), "-._")
	if len(out) > 60 {
		out = out[:60]
	}
	if out == "" {
		return "model"
	}
	return out
}
