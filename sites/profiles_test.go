package sites

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// embeddedSite loads a site of ours as a user without any configuration gets it.
func embeddedSite(t *testing.T, name string, environ ...string) Profile {
	t.Helper()
	p, _, err := LoadSite(name, newBench(t, environ...).Options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEmbeddedSites(t *testing.T) {
	if diff := cmp.Diff([]string{"karolina", "local", "lumi"}, embeddedNames()); diff != "" {
		t.Error(diff)
	}
	for _, name := range embeddedNames() {
		p := embeddedSite(t, name)
		if p.Description == "" || p.Repeats != 5 {
			t.Errorf("%s: description %q, %d repeats", name, p.Description, p.Repeats)
		}
		for q, partition := range p.Partitions {
			if partition.Use == "" || partition.MaxWalltime == 0 {
				t.Errorf("%s: partition %s has no word on its use, or no limit", name, q)
			}
		}
	}
}

// What the machines' own documentation says, in the terms of a job.
func TestLUMI(t *testing.T) {
	p := embeddedSite(t, "lumi")
	if p.Partition != "dev-g" || !strings.Contains(p.Partitions["dev-g"].Use, "debugging") || p.Partitions["dev-g"].Production {
		t.Errorf("dev-g is the default, and for tries only: %s %+v", p.Partition, p.Partitions["dev-g"])
	}
	limits := map[string][5]any{}
	for name, q := range p.Partitions {
		limits[name] = [5]any{q.MaxWalltime, q.MaxNodes, q.MaxJobs, q.MaxRunning, q.WholeNode}
	}
	want := map[string][5]any{
		"dev-g":      {3 * time.Hour, 32, 2, 1, false},
		"small-g":    {72 * time.Hour, 4, 210, 200, false},
		"standard-g": {48 * time.Hour, 1024, 210, 200, true},
	}
	if diff := cmp.Diff(want, limits); diff != "" {
		t.Error(diff)
	}
	if p.GPU.Unit != "GCD" || p.GPU.PerNode != 8 || p.GPU.MemoryGiB != 64 {
		t.Errorf("LUMI counts GCDs: %+v", p.GPU)
	}
	if p.Runtime.Command != Singularity || p.Runtime.GPUOption != None || len(p.Binds) != 0 {
		t.Errorf("singularity without --rocm, binds by the module: %+v %v", p.Runtime, p.Binds)
	}
	if p.Request != (Request{GPUsPerNode, CPUsPerTask, Mem}) || p.Node.CoresPerGPU*8 != 56 || p.Node.MemoryGiBPerGPU*8 != 480 {
		t.Errorf("%+v %+v", p.Request, p.Node)
	}
	if strings.Contains(p.Image, "latest") {
		t.Errorf("image %s floats", p.Image)
	}
}

func TestKarolina(t *testing.T) {
	p := embeddedSite(t, "karolina")
	if diff := cmp.Diff([]string{"qgpu", "qgpu_exp", "qgpu_free", "qgpu_preempt"}, p.PartitionNames()); diff != "" || p.Partition != "qgpu" {
		t.Error(diff, p.Partition)
	}
	if q := p.Partitions["qgpu"]; q.MaxWalltime != 48*time.Hour || q.DefaultWalltime != 24*time.Hour || !q.Production {
		t.Errorf("qgpu %+v", q)
	}
	if !p.Partitions["qgpu_preempt"].Requeue || p.Partitions["qgpu_preempt"].Production {
		t.Error("a preempted job must be able to run again, and is no baseline")
	}
	if p.Runtime.Command != Apptainer || p.Runtime.GPUOption != "nv" || p.Request.GPUFlag != GPUs || p.Request.MemoryFlag != None {
		t.Errorf("%+v %+v", p.Runtime, p.Request)
	}
	if !p.Offline || p.Environment["HF_HUB_OFFLINE"].Value != "1" {
		t.Error("compute nodes have no internet")
	}
	for at, b := range p.Binds {
		if !b.Optional {
			t.Errorf("bind %s must be left out where it doesn't exist", at)
		}
	}
}

func TestLocalNeedsNothing(t *testing.T) {
	p, origins, err := LoadSite("local", newBench(t).Options)
	if err != nil {
		t.Fatal(err)
	}
	if err := Require(p, origins); err != nil {
		t.Errorf("the first command of a new user: %v", err)
	}
	if p.Scheduler != Local || p.Engine != Stub || p.Runtime.Command != None || p.Plan != "demo" || p.GPU.Vendor != None {
		t.Errorf("%+v", p)
	}
	c, _, err := LoadModels(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Find(p.Model); err != nil {
		t.Errorf("its model: %v", err)
	}
}

// A container must write nothing into the home folder, and two jobs nothing
// into one compile cache.
func TestCachesLeaveTheHomeFolder(t *testing.T) {
	for _, name := range []string{"lumi", "karolina"} {
		p := embeddedSite(t, name)
		p.Account = p.AccountExample
		p, err := p.Expand(Who{User: "ada", Home: "/users/ada"})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []string{"HF_HOME", "VLLM_CACHE_ROOT", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "XDG_CACHE_HOME"} {
			if _, ok := p.Caches[v]; !ok {
				t.Errorf("%s: %s is not set", name, v)
			}
		}
		for v, c := range p.Caches {
			if strings.HasPrefix(c.Path, "/users/ada") || !path.IsAbs(c.Path) {
				t.Errorf("%s: %s is at %s", name, v, c.Path)
			}
			if c.Per == PerSite && !c.ReadOnly {
				t.Errorf("%s: %s is written by several jobs", name, v)
			}
		}
		if p.Environment["PYTHONNOUSERSITE"].Value != "1" || p.Environment["PYTHONNOUSERSITE"].Where != Container {
			t.Errorf("%s: a package in ~/.local would be taken", name)
		}
	}
}

func TestRunsAreNeverInTmp(t *testing.T) {
	for _, name := range embeddedNames() {
		p := embeddedSite(t, name)
		p.Account = p.AccountExample
		p, err := p.Expand(Who{User: "ada", Home: "/users/ada"})
		if err != nil || !path.IsAbs(p.RunsDir) || strings.HasPrefix(p.RunsDir, "/tmp") {
			t.Errorf("%s: %q, %v", name, p.RunsDir, err)
		}
	}
}

// What the doctor looks at must name something that is there.
func TestUnconfirmedNamesKeys(t *testing.T) {
	for _, name := range embeddedNames() {
		p, origins, err := LoadSite(name, newBench(t).Options)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range slices.Sorted(maps.Keys(p.Unconfirmed)) {
			if origins.First(strings.Split(key, ".")...).Source == "" {
				t.Errorf("%s: %s is unconfirmed, but not a key that is set", name, key)
			}
		}
	}
}
