package resolve

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hpcbench/apptainer/siftest"
	"hpcbench/results"
	"hpcbench/sites/conf"
)

// promoted is the software of an earlier run of the same request.
func promoted(t *testing.T, req Request) Frozen {
	t.Helper()
	req.Name = "promoted"
	spec, err := Spec(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return Frozen{Run: results.RunDir(spec.Job.Dir), Server: spec.Server, Model: spec.Model}
}

func TestPairs(t *testing.T) {
	old := karolina()
	old.Options.Flags = append(old.Options.Flags, conf.Value{Path: []string{"image"}, Text: "/mnt/proj1/open-30-15/frozen.sif", Source: "--image"})
	old.ServerArgs = []string{"--max-num-batched-tokens=4096"}
	frozen := promoted(t, old)

	req := karolina()
	req.Name, req.Repeats, req.ServerArgs = "n-p1-new", 5, []string{"--max-num-batched-tokens=8192"}
	base, candidate, err := Pairs(t.Context(), req, "n-p1-base", frozen)
	if err != nil {
		t.Fatal(err)
	}
	if base.Name != "n-p1-base" || candidate.Name != "n-p1-new" || base.Grouping.Beside != candidate.Job.Dir || candidate.Grouping.Beside != base.Job.Dir {
		t.Errorf("names %s, %s; beside %s, %s", base.Name, candidate.Name, base.Grouping.Beside, candidate.Grouping.Beside)
	}
	if base.Repeats != 5 || candidate.Repeats != 5 || len(candidate.Grouping.Jobs) != 1 || len(candidate.Grouping.Jobs[0]) != 5 {
		t.Errorf("%d and %d repeats, jobs %v", base.Repeats, candidate.Repeats, candidate.Grouping.Jobs)
	}
	if a, b := base.Plan, candidate.Plan; a.Seed != b.Seed || a.Name != b.Name {
		t.Error("the two sides have different plans")
	}
	scripts := map[string]string{}
	for _, s := range []results.Spec{base, candidate} {
		text, err := Script(throughJSON(t, s))
		if err != nil {
			t.Fatal(err)
		}
		scripts[s.Name] = string(text)
	}
	if s := scripts["n-p1-base"]; !strings.Contains(s, "frozen.sif") || strings.Contains(s, "vllm.sif") || !strings.Contains(s, "=4096") || strings.Contains(s, "=8192") {
		t.Errorf("the frozen side:\n%s", s)
	}
	if s := scripts["n-p1-new"]; strings.Contains(s, "frozen.sif") || !strings.Contains(s, "vllm.sif") || !strings.Contains(s, "=8192") {
		t.Errorf("the candidate:\n%s", s)
	}
	// The job holds both sides.
	alone := karolina()
	alone.Repeats, alone.Mode = 10, results.ModeRestart
	whole, err := Spec(t.Context(), alone)
	if err != nil || candidate.Job.WalltimeS != whole.Job.WalltimeS {
		t.Errorf("walltime %d s, ten repeats take %d s, %v", candidate.Job.WalltimeS, whole.Job.WalltimeS, err)
	}
	text, err := PairsScript(throughJSON(t, base), throughJSON(t, candidate))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"BASELINE=" + base.Job.Dir + "/script.sh", "CANDIDATE=" + candidate.Job.Dir + "/script.sh", "#SBATCH --gpus=4", "#SBATCH --output=" + candidate.Job.Dir + "/logs/%j.log", "PAIRS=${HPCBENCH_JOB_REPEATS:-1 2 3 4 5}", "10 x (start"} {
		if !strings.Contains(string(text), word) {
			t.Errorf("%q isn't in\n%s", word, text)
		}
	}
}

// The stub's command names the program of its run; the frozen side has its own copy.
func TestPairsOfTheStub(t *testing.T) {
	frozen := promoted(t, ask("local", "", 0))
	req := ask("local", "", 0)
	req.Name, req.Repeats, req.ServerArgs = "n-new", 5, []string{"--itl-ms", "9"}
	base, candidate, err := Pairs(t.Context(), req, "n-base", frozen)
	if err != nil {
		t.Fatal(err)
	}
	if got := base.Server.Command[0]; got != results.RunDir(base.Job.Dir).Binary() {
		t.Errorf("the frozen stub is %s", got)
	}
	if slices.Contains(base.Server.Command, "9") || !slices.Contains(candidate.Server.Command, "9") || !base.Simulated {
		t.Errorf("base %v, candidate %v", base.Server.Command, candidate.Server.Command)
	}
}

func TestPairsThatCannotBe(t *testing.T) {
	for want, spoil := range map[string]func(*Frozen){
		"the baseline's model is other/model": func(f *Frozen) { f.Model.Name = "other/model" },
		"has no server command":               func(f *Frozen) { f.Server.Command = nil },
		"the baseline's engine is stub":       func(f *Frozen) { f.Server.Engine = results.EngineStub },
		"has a container":                     func(f *Frozen) { f.Server.Image = "" },
		"has TP 2":                            func(f *Frozen) { f.Server.TensorParallel = 2 },
	} {
		frozen := promoted(t, karolina())
		spoil(&frozen)
		req := karolina()
		req.Name, req.Repeats = "n-new", 5
		if _, _, err := Pairs(t.Context(), req, "n-base", frozen); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestAFrozenImageThatChanged(t *testing.T) {
	image := filepath.Join(t.TempDir(), "vllm.sif")
	if err := siftest.Write(image, siftest.Options{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(image)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameImage(results.ServerSpec{Image: image, ImageSize: info.Size()}); err != nil {
		t.Error(err)
	}
	if err := sameImage(results.ServerSpec{Image: image, ImageSize: info.Size() + 1}); err == nil || !strings.Contains(err.Error(), "was replaced since") {
		t.Errorf("%v", err)
	}
	if err := sameImage(results.ServerSpec{Image: image + ".gone"}); err == nil || !strings.Contains(err.Error(), "is gone") {
		t.Errorf("%v", err)
	}
}
