//go:build cluster

package clustertest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/results"
	"hpcbench/results/schematest"
	"hpcbench/slurm/slurmtest"
)

// The main command of the README, on the real Slurm, from submit to the table.
func TestKarolinaFromSubmitToTable(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	out := w.Measure("submit", "--site", "karolina", "--model", "Qwen3-Coder-30B", "--gpus", "4", "--name", "kar", "--wait")
	for _, word := range []string{"5 repeats as array", "account " + slurmtest.ITIAccount, "5 of 5 repeats", "SIMULATED", "TTFT", "tokens/s"} {
		if !strings.Contains(out, word) {
			t.Errorf("%q isn't in\n%s", word, out)
		}
	}
	attempts := w.Attempts("kar")
	if len(attempts) != 5 {
		t.Fatalf("%d attempts\n%s", len(attempts), w.JobOutput())
	}
	salts, tasks := map[string]bool{}, map[string]bool{}
	for _, a := range attempts {
		if a.State != results.StateComplete || a.Slurm == nil || a.Slurm.Account != slurmtest.ITIAccount || a.Slurm.Partition != "qgpu" {
			t.Errorf("attempt of repeat %d: %s, %+v", a.Repeat, a.State, a.Slurm)
		}
		if !strings.HasPrefix(a.Slurm.NodeList, "acn") || a.ScheduleDigest == "" || a.BinaryDigest == "" || a.ScriptDigest == "" || a.Server.Version == "" {
			t.Errorf("provenance of repeat %d: %+v", a.Repeat, a)
		}
		salts[a.Salt], tasks[a.Slurm.ArrayTaskID] = true, true
	}
	if len(salts) != 5 || len(tasks) != 5 {
		t.Errorf("%d salts and %d array elements for five repeats", len(salts), len(tasks))
	}
	schematest.Tree(t, string(w.Run("kar")))
	w.NothingLeft("kar")
	// The caches of a job are gone with it.
	if left, _ := filepath.Glob(filepath.Join(w.Dir, "cache", "jobs", "*")); len(left) != 0 {
		t.Errorf("caches left: %v", left)
	}
	// Nobody else can read what was measured.
	if info, err := os.Stat(string(w.Run("kar"))); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("run folder: %v, %v", info.Mode(), err)
	}
	again := w.Measure("collect", "kar")
	if !strings.Contains(again, "5 of 5 repeats") {
		t.Errorf("collect says\n%s", again)
	}
	text, code := w.Hpcbench("compare", "kar", "--reference", "karolina-qwen3-4b-bare")
	if code != 2 || !strings.Contains(text, "not comparable") || !strings.Contains(strings.ToLower(text), "simulated") {
		t.Errorf("compare: exit code %d\n%s", code, text)
	}
}

func TestLUMIRestartsInOneJob(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	out := w.Measure("submit", "--site", "lumi", "--model", "Qwen2.5-Coder-7B", "--gpus", "1", "--name", "lum", "--wait")
	for _, word := range []string{"5 repeats as restart", "5 of 5 repeats", "dev-g"} {
		if !strings.Contains(out, word) {
			t.Errorf("%q isn't in\n%s", word, out)
		}
	}
	jobs := map[string]bool{}
	for _, a := range w.Attempts("lum") {
		jobs[a.Slurm.JobID] = true
		if a.Slurm.Partition != "dev-g" || !strings.HasPrefix(a.Slurm.NodeList, "nid") {
			t.Errorf("repeat %d ran in %+v", a.Repeat, a.Slurm)
		}
	}
	if len(jobs) != 1 {
		t.Errorf("jobs %v", jobs)
	}
	log := w.Must("logs", "lum")
	for _, word := range []string{"module load lumi-aif-singularity-bindings", "server ready after"} {
		if !strings.Contains(log, word) {
			t.Errorf("%q isn't in the job's output\n%s", word, log)
		}
	}
	if server := w.Must("logs", "lum", "--server"); !strings.Contains(server, "test double of singularity") || !strings.Contains(server, "SIMULATED") {
		t.Errorf("the server's log says\n%s", server)
	}
	schematest.Tree(t, string(w.Run("lum")))
	w.NothingLeft("lum")
}

// render --out and sbatch by hand do the same job as submit.
func TestByHand(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	dir := filepath.Join(w.Dir, "runs", "hand")
	w.Must("render", "--site", "karolina", "--model", "Qwen3-4B", "--gpus", "1", "--repeats", "2", "--out", dir)
	if out, code := w.Command("sbatch", "--parsable", "--partition=qgpu", filepath.Join(dir, "script.sh")); code != 0 {
		t.Fatal(out)
	}
	w.Until("both repeats are complete", func() bool {
		n := 0
		for _, a := range w.Attempts("hand") {
			if a.State == results.StateComplete {
				n++
			}
		}
		return n == 2
	})
	if out := w.Measure("collect", dir); !strings.Contains(out, "2 of 2 repeats") {
		t.Errorf("collect says\n%s", out)
	}
	w.NothingLeft("hand")
}

func TestCancelKeepsWhatWasMeasured(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.File("config/plans/long.yaml", strings.Replace(world.Short, "duration_s: 1.5", "duration_s: 120", 1))
	out := w.Must("submit", "--site", "karolina", "--model", "Qwen3-4B", "--gpus", "1", "--plan", "long", "--repeats", "1", "--name", "can")
	if !strings.Contains(out, "Next:") {
		t.Errorf("submit says\n%s", out)
	}
	records := w.Run("can").Attempt(1, 0).Records()
	w.Until("records are being written", func() bool {
		info, err := os.Stat(records)
		return err == nil && info.Size() > 5000
	})
	w.Must("cancel", "can")
	w.Until("the repeat is cancelled", func() bool { return w.Status("can").Repeats[0].Phase == "cancelled" })
	a := w.Attempts("can")[0]
	if a.State != results.StateInterrupted {
		t.Errorf("the attempt is %s: %+v\n%s", a.State, a.Failure, w.JobOutput())
	}
	n := 0
	lines, err := results.ReadLinesFile(records, func(results.Record) { n++ })
	if err != nil || n < 5 || lines.Bad > 0 {
		t.Errorf("%d records, %+v, %v", n, lines, err)
	}
	w.NothingLeft("can")
}

func TestRefusalsKeepNothing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	out, code := w.Hpcbench("submit", "--site", "karolina", "--model", "Qwen3-4B", "--gpus", "1", "--account", "open-99-99", "--name", "ref")
	if code != 2 || !strings.Contains(out, "doesn't take jobs of account open-99-99") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	gone := func(name string) {
		t.Helper()
		if _, err := os.Stat(string(w.Run(name))); !os.IsNotExist(err) {
			t.Errorf("the run folder is still there: %v", err)
		}
	}
	gone("ref")
	// What only sbatch knows, sbatch refuses.
	out, code = w.Hpcbench("submit", "--site", "karolina", "--model", "Qwen3-4B", "--gpus", "1", "--reservation", "none-such", "--name", "res")
	if code != 4 || !strings.Contains(out, "reservation is invalid") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	gone("res")
	// A profile that allows more than the controller: this Slurm would take the job and never start it.
	w.File("config/sites/karolina.yaml", string(must(os.ReadFile(filepath.Join(w.Conf, "sites", "karolina.yaml"))))+"partitions:\n  qgpu_exp: {max_walltime: 10h}\n")
	args := []string{"submit", "--site", "karolina", "--model", "Qwen3-4B", "--gpus", "1", "--partition", "qgpu_exp", "--time", "5h", "--repeats", "1", "--name", "never", "--wait"}
	out, code = w.Hpcbench(args...)
	if code != 2 || !strings.Contains(out, "asks for 05:00:00, and partition qgpu_exp allows at most 01:00:00") || !strings.Contains(out, "the profile says at most 10:00:00") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	gone("never")
	// With --force it is sent, and then not waited for.
	out, code = w.Hpcbench(append(args, "--force")...)
	if code != 4 || !strings.Contains(out, "can never start") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	w.Must("cancel", "never")
}

// What a run cost is the accounting's time at the site's price, and the start that
// Slurm expects is said beforehand.
func TestCostOfBothSites(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	for _, c := range []struct {
		site, partition, gpus, unit string
		perHour                     float64
	}{
		{"karolina", "qgpu", "4", "node-hours", 4.0 / 8},
		{"lumi", "small-g", "2", "GPU-hours", 0.5 * 2}, // 14 cores and 120 GiB are within two GCDs' share
	} {
		name := "cost-" + c.site
		out := w.Measure("submit", "--site", c.site, "--model", "Qwen2.5-Coder-7B", "--gpus", c.gpus, "--partition", c.partition, "--repeats", "2", "--name", name, "--wait")
		for _, words := range []string{"Cost: expected ", c.unit + ", at most ", "Slurm expects it to start "} {
			if !strings.Contains(out, words) {
				t.Errorf("%s: %q isn't in\n%s", c.site, words, out)
			}
		}
		spec := must(results.ReadJSON[results.Spec](w.Run(name).Spec(), results.FormatSpec))
		if spec.Site.Cost.PerHour != c.perHour {
			t.Errorf("%s: %g an hour, want %g", c.site, spec.Site.Cost.PerHour, c.perHour)
		}
		var seconds float64
		w.Until("the accounting has the jobs' end", func() bool {
			text, code := w.Command("sacct", "-n", "-P", "-X", "--format=State,ElapsedRaw", "--jobs="+w.Status(name).Repeats[0].JobID[:strings.Index(w.Status(name).Repeats[0].JobID, "_")])
			n := 0
			seconds = 0
			for _, line := range strings.Fields(text) {
				state, elapsed, _ := strings.Cut(line, "|")
				if v, err := strconv.ParseFloat(elapsed, 64); err == nil && state == "COMPLETED" {
					seconds, n = seconds+v, n+1
				}
			}
			return code == 0 && n == 2
		})
		want := seconds / 3600 * c.perHour
		var doc struct {
			Spent *struct {
				Unit  string  `json:"unit"`
				Hours float64 `json:"hours"`
				Jobs  int     `json:"jobs"`
			} `json:"spent"`
		}
		text := w.Measure("collect", name, "--json")
		if err := json.Unmarshal([]byte(text[strings.Index(text, "{\n"):]), &doc); err != nil || doc.Spent == nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if doc.Spent.Unit != c.unit || doc.Spent.Jobs != 2 || math.Abs(doc.Spent.Hours-want) > 1e-9 {
			t.Errorf("%s: spent %+v, the accounting's %g s are %g", c.site, *doc.Spent, seconds, want)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
