//go:build cluster

package clustertest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/jobs/check"
)

// doctor is `doctor --json` and its exit code.
func doctor(t *testing.T, w *world.World, args ...string) ([]check.Finding, int) {
	t.Helper()
	text, code := w.Hpcbench(append([]string{"doctor", "--json"}, args...)...)
	// What is said on the way goes to stderr, which the world keeps in one.
	var out struct {
		Fine     bool            `json:"fine"`
		Findings []check.Finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(text[max(0, strings.Index(text, "{\n")):]), &out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if out.Fine != (code == 0) {
		t.Errorf("fine is %v and the exit code %d", out.Fine, code)
	}
	return out.Findings, code
}

// holds looks for a finding with a level and words.
func holds(t *testing.T, found []check.Finding, level check.Level, words ...string) {
	t.Helper()
	var all []string
next:
	for _, f := range found {
		text := string(f.Level) + " " + f.String()
		all = append(all, text)
		if f.Level != level {
			continue
		}
		for _, w := range words {
			if !strings.Contains(text, w) {
				continue next
			}
		}
		return
	}
	t.Errorf("no finding of level %s says %q:\n%s", level, words, strings.Join(all, "\n"))
}

func TestDoctorOnBothSites(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	found, code := doctor(t, w, "--site", "lumi", "--model", "Qwen2.5-Coder-7B", "--gpus", "1")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	holds(t, found, check.OK, "Slurm", "cluster bench")
	holds(t, found, check.OK, "partition dev-g is up")
	holds(t, found, check.OK, "may charge account")
	holds(t, found, check.OK, "2 jobs (QOS dev-g) in the queue, 1 jobs (QOS dev-g) running")
	holds(t, found, check.OK, "each 8 GPUs (mi250)")
	holds(t, found, check.OK, "runtime", "singularity")
	holds(t, found, check.OK, "vllm.sif", "amd64")
	holds(t, found, check.Claim, "TORCH_COMPILE_DISABLE")
	found, code = doctor(t, w, "--site", "karolina", "--model", "Qwen3-Coder-30B", "--gpus", "4")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	holds(t, found, check.OK, "partition qgpu is up: at most 2-00:00:00")
	holds(t, found, check.OK, "each 8 GPUs (a100)")
}

// Everything that is wrong is said at once.
func TestDoctorSaysEverythingAtOnce(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.File("config/sites/karolina.yaml", string(must(os.ReadFile(filepath.Join(w.Conf, "sites", "karolina.yaml"))))+
		"engine: vllm\npartitions:\n  qgpu_exp: {max_walltime: 10h, max_jobs: 9}\ngpu: {gres: h100}\n")
	text := string(must(os.ReadFile(filepath.Join(w.Conf, "sites", "karolina.yaml"))))
	w.File("config/sites/karolina.yaml", strings.Replace(text, "engine: stub\n", "", 1))
	found, code := doctor(t, w, "--site", "karolina", "--model", "Qwen3-4B-2507", "--gpus", "2", "--partition", "qgpu_exp",
		"--account", "open-99-99", "--image", filepath.Join(w.Dir, "none.sif"), "--time", "5h")
	if code != 2 {
		t.Errorf("exit code %d", code)
	}
	holds(t, found, check.Error, "doesn't take jobs of account open-99-99")
	holds(t, found, check.Error, "root may not charge account open-99-99")
	holds(t, found, check.Error, "asks for 05:00:00", "at most 01:00:00", "the profile says at most 10:00:00")
	holds(t, found, check.Warning, "the controller says at most 01:00:00, the profile at most 10:00:00")
	holds(t, found, check.Warning, "allows you 6 jobs in the queue, the profile says 9")
	holds(t, found, check.Error, "kind a100, the profile says h100")
	holds(t, found, check.Error, "none.sif", "no such file")
	holds(t, found, check.Error, "not in the cache", "prepare --site karolina --model Qwen/Qwen3-4B-Instruct-2507")
}

// What only a compute node knows.
func TestDoctorProbes(t *testing.T) {
	t.Parallel()
	for _, site := range []string{"karolina", "lumi"} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			args := []string{"--site", site, "--probe"}
			if site == "lumi" {
				args = append(args, "--partition", "small-g") // dev-g runs one job of all tests at a time
			}
			found, _ := doctor(t, w, args...)
			holds(t, found, check.OK, "probe", "kernel", "processors")
			holds(t, found, check.OK, "starts a container in")
			holds(t, found, check.OK, "probe: runs_dir is there")
			holds(t, found, check.OK, "/tmp has")
			for _, f := range found {
				if f.Level == check.Claim && strings.Contains(f.Words, "offline") {
					t.Errorf("the probe looked and it is still a claim: %s", f)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(w.Dir, "runs", ".doctor-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A reservation that a job would reach into is named, with what to do; one that it
// ends before is none of its business.
func TestDoctorSeesReservations(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	name := "hb-doctor-" + filepath.Base(filepath.Dir(w.Dir))
	start := time.Now().UTC().Add(20 * time.Hour).Format("2006-01-02T15:04:05")
	if out, code := w.Command("env", "TZ=UTC", "scontrol", "create", "reservation", "ReservationName="+name, "StartTime="+start, "Duration=60", "Nodes=acn02", "Users=root", "Flags=MAINT"); code != 0 {
		t.Fatal(out)
	}
	t.Cleanup(func() {
		if _, err := world.Cluster.Tool(context.Background(), "scontrol", "delete", "ReservationName="+name); err != nil {
			t.Error(err)
		}
	})
	run := []string{"--site", "karolina", "--model", "Qwen3-4B-2507", "--gpus", "1"}
	found, _ := doctor(t, w, append(run, "--time", "23h")...)
	holds(t, found, check.Warning, name, "maintenance", "1 of the 2 nodes", "takes the other nodes")
	found, _ = doctor(t, w, run...)
	holds(t, found, check.OK, "reservations", "none that a job of")
}
