package check

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hpcbench/jobs"
	"hpcbench/results"
	"hpcbench/sites"
)

// Format words of the probe's two files.
const (
	formatProbe  = "hpcbench.probe/1"
	formatProbed = "hpcbench.probed/1"
)

// ProbeRequest is what a probe is to look at, on the node.
type ProbeRequest struct {
	Format    string            `json:"format"`
	Site      results.SiteFacts `json:"site"`
	Runtime   string            `json:"runtime,omitempty"`
	GPUOption string            `json:"gpu_option,omitempty"`
	Image     string            `json:"image,omitempty"`
	GPUs      int               `json:"gpus"`
	Folders   []ProbeFolder     `json:"folders"`
	// Reach is the host and port whose answer proves a way to the internet.
	Reach string `json:"reach"`
}

// ProbeFolder is a folder that the node must see.
type ProbeFolder struct {
	Key   string `json:"key"`
	Path  string `json:"path"`
	Write bool   `json:"write"`
}

// ProbeAnswer is what was seen on the node. Empty texts of trouble mean that there was none.
type ProbeAnswer struct {
	Format  string            `json:"format"`
	Node    results.NodeFacts `json:"node"`
	Folders map[string]string `json:"folders"` // key → trouble
	// Unreachable is why the internet wasn't reached.
	Unreachable string `json:"unreachable"`
	// Container is why a container didn't start, ContainerS how long it took.
	Container  string            `json:"container"`
	ContainerS float64           `json:"container_s"`
	TmpMemory  bool              `json:"tmp_is_memory"`
	TmpFree    int64             `json:"tmp_free_bytes"`
	Env        map[string]string `json:"env"` // the variables of GPUs and scratch folders
}

// probeWalltime is what the probe's job asks for; it needs a minute, and a container's
// first start from a cold file system some more.
const probeWalltime = 5 * time.Minute

// hub is what has to be reached for downloads.
const hub = "huggingface.co:443"

// probeRequest is what a probe of a site looks at.
func probeRequest(s Subject) ProbeRequest {
	r := ProbeRequest{Format: formatProbe, GPUs: min(1, s.Site.GPU.PerNode), Reach: hub}
	if s.Site.GPU.Vendor != sites.None {
		r.Site.GPUVendor = s.Site.GPU.Vendor
	}
	if s.contained() {
		r.Runtime, r.GPUOption, r.Image = s.Site.Runtime.Command, s.Site.Runtime.GPUOption, s.Site.Image
	}
	for _, p := range places(s) {
		r.Folders = append(r.Folders, ProbeFolder{p.key, p.path, p.write})
	}
	return r
}

// Probe sends a job that looks at a compute node, and says what it saw. It is not
// sent where findings say already that no job would start.
func Probe(ctx context.Context, sched jobs.Scheduler, s Subject, found []Finding, t Task) []Finding {
	r := &report{name: "probe"}
	for _, f := range found {
		if f.Level == Error && slices.Contains([]string{"settings", "slurm", "partition", "account", "folders"}, f.Name) {
			r.warn("correct the errors first", "no job was sent: %s", f.Words)
			return r.found
		}
	}
	request := probeRequest(s)
	t.Scheduler, t.Site, t.Kind, t.What, t.GPUs, t.Walltime = sched, s.Site, "doctor", "a look at a compute node", request.GPUs, probeWalltime
	t.Args = func(dir string) []string { return []string{"probe", dir} }
	t.Fill = func(dir string) error {
		return results.WriteJSON(filepath.Join(dir, "request.json"), request, 0o600)
	}
	done, err := t.Run(ctx)
	if err != nil {
		r.fail("see "+done.Dir, "%v", err)
		return r.found
	}
	answer, err := results.ReadJSON[ProbeAnswer](filepath.Join(done.Dir, "answer.json"), formatProbed)
	if err != nil {
		r.fail("see "+done.Dir, "job %s left no answer (%s): %v: %s", done.ID, done.View.Words, err, lastLines(done.Output()))
		return r.found
	}
	if err := os.RemoveAll(done.Dir); err != nil {
		r.warn("", "remove the probe's folder: %v", err)
	}
	return append(r.found, probed(s, request, answer)...)
}

// lastLines is the end of an output, on one line.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}

// probed says what a probe's answer means for the site's profile.
func probed(s Subject, asked ProbeRequest, a ProbeAnswer) []Finding {
	r := &report{name: "probe"}
	n := a.Node
	words := fmt.Sprintf("%s: %s, kernel %s, processors %s", n.Hostname, n.CPUModel, n.Kernel, n.CPUsAllowed)
	if n.Driver != "" {
		words += ", GPU driver " + n.Driver
	}
	r.ok("%s", words)
	r.gpus(s, asked, n)
	r.network(s, a)
	if asked.Image != "" {
		switch {
		case a.Container != "":
			r.fail("see the image's and the site's documentation", "a container of %s doesn't start: %s", asked.Image, a.Container)
		default:
			r.ok("%s starts a container in %.1f s", n.Runtime, a.ContainerS).settled("setup", "image")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(a.Folders)) {
		if trouble := a.Folders[key]; trouble != "" {
			r.fail("set it to a file system that compute nodes see", "%s on %s: %s", key, n.Hostname, trouble)
		} else {
			r.ok("%s is there", key).settled(key)
		}
	}
	tmp := "a disk"
	if a.TmpMemory {
		tmp = "memory, which counts against the job's"
	}
	r.ok("/tmp has %s left and is %s", sizeWords(a.TmpFree), tmp)
	var env []string
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		env = append(env, name+"="+a.Env[name])
	}
	if len(env) > 0 {
		f := r.ok("in the job %s", strings.Join(env, ", "))
		if rocr, ok := a.Env["ROCR_VISIBLE_DEVICES"]; ok && strings.HasPrefix(rocr, "0") {
			f.settled("environment.HIP_VISIBLE_DEVICES")
		}
	}
	return r.found
}

func (r *report) gpus(s Subject, asked ProbeRequest, n results.NodeFacts) {
	if asked.Site.GPUVendor == "" {
		return
	}
	switch {
	case len(n.GPUs) == 0:
		r.warn("check that "+s.Site.GPU.Sampler+" is on PATH in the job", "the GPUs' tool didn't answer on %s: driver and free memory aren't known", n.Hostname)
	case len(n.GPUs) < asked.GPUs:
		r.fail("", "the job asked for %d GPUs and sees %d", asked.GPUs, len(n.GPUs))
	default:
		g := n.GPUs[0]
		r.ok("GPU %s, %.0f of %.0f GiB free", g.Name, g.FreeMemGiB, g.MemoryGiB)
		if want := s.Site.GPU.MemoryGiB; want > 0 && g.MemoryGiB > 0 && (g.MemoryGiB < want*0.9 || g.MemoryGiB > want*1.1) {
			r.warn("correct `gpu.memory_gib`", "a GPU has %.0f GiB, the profile says %g", g.MemoryGiB, want)
		}
	}
	if len(n.Foreign) > 0 {
		r.warn("it may be an old job that is just ending", "processes of others are on the job's GPUs: %s", some(n.Foreign))
	}
}

func (r *report) network(s Subject, a ProbeAnswer) {
	switch reached := a.Unreachable == ""; {
	case reached && s.Site.Offline:
		r.warn("write `offline: false` if that is so on all nodes", "the node reaches %s, the profile says that nodes don't", hub).settled("offline")
	case !reached && !s.Site.Offline:
		r.warn("write `offline: true`, and fetch image and weights with `hpcbench prepare`", "the node doesn't reach %s (%s), the profile says that nodes do", hub, a.Unreachable).settled("offline")
	case reached:
		r.ok("the node reaches %s, as the profile says", hub).settled("offline")
	default:
		r.ok("the node doesn't reach %s, as the profile says", hub).settled("offline")
	}
}
