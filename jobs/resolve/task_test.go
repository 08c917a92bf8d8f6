package resolve

import (
	"strings"
	"testing"
	"time"

	"hpcbench/sites"
)

func siteOf(t *testing.T, req Request) sites.Profile {
	t.Helper()
	p, _, err := sites.LoadSite(req.Site, req.Options)
	if err != nil {
		t.Fatal(err)
	}
	full, err := p.Expand(req.Options.Who())
	if err != nil {
		t.Fatal(err)
	}
	return full
}

func TestTask(t *testing.T) {
	r := TaskRequest{Site: siteOf(t, karolina()), Name: "hpcbench-doctor-1", What: "a look", GPUs: 1, Walltime: 5 * time.Minute, Dir: "/scratch/x", Command: []string{"/scratch/x/bin/hpcbench", "probe"}, ToolVersion: "v1"}
	text, job, err := Task(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"#SBATCH --gpus=1", "#SBATCH --cpus-per-task=16", "#SBATCH --time=00:05:00", "#SBATCH --output=/scratch/x/output.log", "need apptainer", "export APPTAINERENV_HF_HUB_OFFLINE=1"} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("%q isn't in\n%s", line, text)
		}
	}
	if job.Account != "open-30-15" || job.Partition != "qgpu" || job.WalltimeS != 300 {
		t.Errorf("%+v", job)
	}
	// Without GPUs a task has the cores and the memory of one GPU's share.
	r = TaskRequest{Site: siteOf(t, lumi()), Name: "hpcbench-prepare-1", What: "a pull", Walltime: time.Hour, Dir: "/scratch/x", Command: []string{"x"}, Keep: []string{"HPCBENCH_CONFIG_DIR"}, ToolVersion: "v1"}
	text, _, err = Task(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"#SBATCH --cpus-per-task=7", "#SBATCH --mem=60G"} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("%q isn't in\n%s", line, text)
		}
	}
	if strings.Contains(string(text), "gpus") || !strings.Contains(string(text), "HPCBENCH_CONFIG_DIR") {
		t.Errorf("a task without GPUs:\n%s", text)
	}
	r.Dir = "/scratch/a b"
	if _, _, err := Task(r); err == nil || !strings.Contains(err.Error(), "--output") {
		t.Errorf("a folder that can't stand in an #SBATCH line: %v", err)
	}
}
