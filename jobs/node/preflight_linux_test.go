package node

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hpcbench/apptainer/siftest"
	"hpcbench/engine"
	"hpcbench/results"
)

func TestImageSinceTheSubmit(t *testing.T) {
	dir := t.TempDir()
	first, second, link := filepath.Join(dir, "a.sif"), filepath.Join(dir, "b.sif"), filepath.Join(dir, "latest.sif")
	const id = "3fa2f9a4-0000-4000-8000-000000000001"
	for path, o := range map[string]siftest.Options{first: {ID: id}, second: {ID: "3fa2f9a4-0000-4000-8000-000000000002"}} {
		if err := siftest.Write(path, o); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(first, link); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	s := results.ServerSpec{Image: first, ImageAsked: link, ImageSize: info.Size(), ImageID: id}
	argv := []string{"apptainer", "exec", first, "vllm"}
	class := func(s results.ServerSpec) string {
		if f := image(s, argv); f != nil {
			if f.Words == "" || f.Remedy == "" {
				t.Errorf("%+v", f)
			}
			return f.Class
		}
		return ""
	}
	if got := class(s); got != "" {
		t.Errorf("an image that is as it was: %s", got)
	}
	if f := image(s, []string{"apptainer", "exec", second, "vllm"}); f != nil {
		t.Errorf("a script that was edited: %+v", f)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if got := class(s); got != "" {
		t.Errorf("a link that is gone, its file being there: %s", got)
	}
	if err := os.Symlink(second, link); err != nil {
		t.Fatal(err)
	}
	if got := class(s); got != classImageMoved {
		t.Errorf("a link that moved: %q", got)
	}
	s.ImageAsked = first
	other := s
	other.ImageID = "3fa2f9a4-0000-4000-8000-00000000000f"
	if got := class(other); got != classImageChanged {
		t.Errorf("another id: %q", got)
	}
	if err := os.WriteFile(first, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := class(s); got != classImageChanged {
		t.Errorf("another size: %q", got)
	}
	s.ImageSize = 5
	if got := class(s); got != classImageGone {
		t.Errorf("no image any more: %q", got)
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	if got := class(s); got != classImageGone {
		t.Errorf("no file any more: %q", got)
	}
}

func TestInspect(t *testing.T) {
	spec := func(change func(*results.Spec)) results.Spec {
		s := results.Spec{Site: results.SiteFacts{GPUVendor: "nvidia"}, Server: results.ServerSpec{Runtime: "apptainer"},
			Job: results.JobSpec{GPUs: 2, Nodes: 1, CPUsPerTask: 32, Partition: "qgpu", Account: "open-30-15"}}
		change(&s)
		return s
	}
	same := func(*results.Spec) {}
	facts := func(change func(*results.NodeFacts)) results.NodeFacts {
		f := results.NodeFacts{Hostname: "acn01", Runtime: "apptainer version 1.4.5", CPUsAllowed: "0-31", GPUs: []results.GPU{{Index: "0"}, {Index: "1"}}}
		change(&f)
		return f
	}
	asIs := func(*results.NodeFacts) {}
	big := machine{online: 128, account: "OPEN-30-15", partition: "qgpu"}
	for name, c := range map[string]struct {
		spec  results.Spec
		facts results.NodeFacts
		on    machine
		class string
		note  string
	}{
		"fine":            {spec(same), facts(asIs), big, "", ""},
		"no runtime":      {spec(same), facts(func(f *results.NodeFacts) { f.Runtime = "" }), big, classRuntime, ""},
		"a GPU too few":   {spec(same), facts(func(f *results.NodeFacts) { f.GPUs = f.GPUs[:1] }), big, classGPUs, ""},
		"two nodes":       {spec(func(s *results.Spec) { s.Job.GPUs, s.Job.Nodes = 4, 2 }), facts(asIs), big, "", ""},
		"no tool":         {spec(same), facts(func(f *results.NodeFacts) { f.GPUs = nil }), big, "", "GPUs' tool didn't answer"},
		"simulated":       {spec(func(s *results.Spec) { s.Simulated = true }), facts(func(f *results.NodeFacts) { f.GPUs = nil }), big, "", ""},
		"shared":          {spec(same), facts(func(f *results.NodeFacts) { f.Foreign = []string{"GPU-1, 42, python, 900"} }), big, classGPUShared, ""},
		"bound":           {spec(same), facts(func(f *results.NodeFacts) { f.CPUsAllowed = "0" }), big, classCores, ""},
		"a small machine": {spec(same), facts(func(f *results.NodeFacts) { f.CPUsAllowed = "0-1" }), machine{online: 2}, "", ""},
		"hyper-threads":   {spec(same), facts(func(f *results.NodeFacts) { f.CPUsAllowed = "0-31,128-159" }), machine{online: 256}, "", ""},
		"not held":        {spec(same), facts(func(f *results.NodeFacts) { f.CPUsAllowed = "0-127" }), big, "", "isn't held to them"},
		"partition":       {spec(same), facts(asIs), machine{online: 128, partition: "qgpu_exp"}, "", "run.json has qgpu"},
		"account":         {spec(same), facts(asIs), machine{online: 128, account: "dd-1-1"}, "", "charged to dd-1-1"},
		"cores not asked": {spec(func(s *results.Spec) { s.Job.CPUsPerTask = 0 }), facts(func(f *results.NodeFacts) { f.CPUsAllowed = "0" }), big, "", ""},
	} {
		stop, notes := inspect(c.spec, c.facts, c.on)
		got := ""
		if stop != nil {
			got = stop.Class
			if stop.Words == "" || stop.Remedy == "" {
				t.Errorf("%s: %+v", name, stop)
			}
		}
		if got != c.class {
			t.Errorf("%s: stopped for %q, want %q", name, got, c.class)
		}
		if c.note == "" && len(notes) > 0 || c.note != "" && !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, c.note) }) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
	}
}

func TestCountList(t *testing.T) {
	for in, want := range map[string]int{"0-3,8": 5, "7": 1, "": 0, "x": 0, "3-1": 0, "0-": 0, "-1": 0, "0-127": 128} {
		if got := countList(in); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
	m := machineOf(func(name string) string { return map[string]string{"SLURM_JOB_PARTITION": "qgpu"}[name] })
	if m.online < 1 || m.partition != "qgpu" {
		t.Errorf("%+v", m)
	}
}

func TestSameEngine(t *testing.T) {
	learnt := results.ServerSpec{Engine: results.EngineVLLM, EngineVersion: "0.32.0"}
	for _, c := range []struct {
		spec  results.ServerSpec
		says  string
		wrong bool
	}{
		{learnt, "0.32.0", false}, {learnt, "0.32.0+cpu", false}, {learnt, "", false}, {learnt, "0.33.0", true}, {learnt, "stub-1", false},
		{results.ServerSpec{Engine: results.EngineVLLM}, "0.33.0", false}, {results.ServerSpec{Engine: results.EngineOpenAI, EngineVersion: "1"}, "2", false},
	} {
		err := sameEngine(c.spec, engine.Identity{Version: c.says})
		var f *failure
		if (err != nil) != c.wrong || err != nil && (!errors.As(err, &f) || f.facts.Class != classEngine || !errors.Is(err, ErrServer)) {
			t.Errorf("%s against %s: %v", c.says, c.spec.EngineVersion, err)
		}
	}
}
