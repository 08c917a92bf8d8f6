//go:build cluster

package clustertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/collect/gate"
	"hpcbench/collect/gate/gatetest"
	"hpcbench/results"
)

// nightlyPlan holds streams, so that TPOT rises with them by a known share.
const nightlyPlan = `kind: concurrency
levels: [1, 5]
duration_s: 1
warmup: {duration_s: 0.1}
prompt: {source: synthetic, tokens: 50}
output: {distribution: fixed, tokens: 16}
request: {api: chat, temperature: 0, ignore_eos: true, usage: final, timeout_s: 10}
drain_s: 5
`

// nightlySuite has two entries of one model, whose engines slow down by so much for each running request.
func nightlySuite(w *world.World, steady, changed float64) {
	entry := func(name string, perRunning float64) string {
		return fmt.Sprintf(`  - name: %s
    site: karolina
    model: Qwen3-4B
    gpus: 1
    plan: nightly
    gates:
      - {metric: corrected.tpot_ms.p50, tolerance: 0.05}
      - {metric: corrected.ttft_ms.p50, tolerance: 0.25}
    server_args: [--ttft-ms, "150", --itl-ms, "20", --itl-per-running, "%g", --noise-cv, "0.02", --noise-seed, "{nonce}", --night-cv, "0.01", --night-seed, "@%s"]
`, name, perRunning, filepath.Join(w.Dir, "night"))
	}
	w.File("models.yaml", "name: models\nsimulated: true\nbudget_gpu_hours: 50\nentries:\n"+entry("steady", steady)+entry("changed", changed))
}

// A suite of two entries, repeats that vary by 2 % and nights by 1 %: the entry whose
// engine got 10 % slower under load goes red for that load and for TPOT, and the other
// one doesn't. The nights before are made up around what the stub gives.
func TestNightlyGoesRedForWhatGotSlower(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.File("config/plans/nightly.yaml", nightlyPlan)
	w.File("night", "2026-03-19")
	nightlySuite(w, 0.01, 0.01)

	// Three login nodes begin the night at one time.
	var callers []*world.Process
	for range 3 {
		callers = append(callers, w.Start("nightly", "models", "--night", "2026-03-19"))
	}
	for _, p := range callers {
		if out, code := p.Exit(); code != 0 {
			t.Fatalf("exit code %d\n%s", code, out)
		}
	}
	if out, code := drive(w, "nightly", "models", "--night", "2026-03-19"); code != 0 || !strings.Contains(out, "LEARNING") {
		t.Fatalf("exit code %d\n%s\n%s", code, out, w.JobOutput())
	}
	for _, entry := range []string{"steady", "changed"} {
		run := "models-" + entry + "-2026-03-19"
		if n := submitted(t, w.Run(run)); n != 1 {
			t.Errorf("%s was submitted %d times", run, n)
		}
		w.Must("baseline", "set", entry, run, "--why", "the first night")
		gatetest.Write(t, filepath.Join(w.Dir, "runs", results.NightlyDir, "models", "nights.jsonl"), entry, gatetest.Past{Nights: 10, Factor: 1, RepeatCV: 0.02, NightCV: 0.01, Seed: 3})
	}

	// The next night: with five streams 1 + 5 x 0.031 is 10 % over 1 + 5 x 0.01, with one it is 2 %.
	w.File("night", "2026-03-20")
	nightlySuite(w, 0.01, 0.031)
	out, code := drive(w, "nightly", "models", "--night", "2026-03-20", "--out", filepath.Join(w.Dir, "reports"))
	if code != 1 || !strings.Contains(out, "RED") || !strings.Contains(out, "SIMULATED") {
		t.Fatalf("exit code %d\n%s\n%s", code, out, w.JobOutput())
	}
	night, err := results.ReadJSON[gate.SuiteNight](filepath.Join(w.Dir, "reports", "night.json"), gate.FormatSuiteNight)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range night.Entries {
		t.Logf("%s: %s: %s (%v)", e.Entry, e.Night.State, e.Night.Reason, e.Pairs)
		for _, c := range e.Night.Confirm {
			if want := e.Entry == "changed" && c.Step == "concurrency@5" && c.Metric == "corrected.tpot_ms.p50"; (c.State == gate.Red) != want {
				t.Errorf("%s, %s at %s is %s: %s", e.Entry, c.Metric, c.Step, c.State, c.Reason)
			}
		}
		if red := e.Night.State == gate.Red; red != (e.Entry == "changed") || !e.Simulated {
			t.Errorf("%s is %s: %s", e.Entry, e.Night.State, e.Night.Reason)
		}
	}
	if night.GPUHours <= 0 || night.GPUHours > night.BudgetGPUHours {
		t.Errorf("%g of %g GPU-hours", night.GPUHours, night.BudgetGPUHours)
	}
	// The pairs took turns on one node, in one job.
	base, candidate := w.Attempts("models-changed-2026-03-20-p1-base"), w.Attempts("models-changed-2026-03-20-p1-new")
	if len(base) != 5 || len(candidate) != 5 {
		t.Fatalf("%d and %d attempts of five pairs", len(base), len(candidate))
	}
	for i := range base {
		b, c := base[i], candidate[i]
		if b.Node.Hostname != c.Node.Hostname || b.Slurm.JobID != c.Slurm.JobID || b.ScheduleDigest != c.ScheduleDigest {
			t.Errorf("pair %d: %+v and %+v", i+1, b.Slurm, c.Slurm)
		}
		if first := b.StartedAt.Before(c.StartedAt); first != (i%2 == 0) {
			t.Errorf("pair %d: the baseline ran first: %v", i+1, first)
		}
	}
	for _, run := range []string{"models-changed-2026-03-20-p1-base", "models-changed-2026-03-20-p1-new"} {
		if n := submitted(t, w.Run(run)); n != 1 {
			t.Errorf("%s was submitted %d times", run, n)
		}
	}
	for _, file := range []string{"report.html", "report.md", "junit.xml"} {
		if info, err := os.Stat(filepath.Join(w.Dir, "reports", file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// drive calls the nightly again and again, as cron does, until the night is over. Other
// tests' jobs may stand before ours.
func drive(w *world.World, args ...string) (string, int) {
	w.T.Helper()
	for end := time.Now().Add(15 * time.Minute); ; time.Sleep(time.Second) {
		out, code := w.Hpcbench(args...)
		if !strings.Contains(out, ": under way") {
			return out, code
		}
		if time.Now().After(end) {
			w.T.Fatalf("the night doesn't end\n%s\n%s", out, w.JobOutput())
		}
	}
}

// submitted counts the jobs that a run's ledger knows.
func submitted(t *testing.T, run results.RunDir) int {
	t.Helper()
	n := 0
	if _, err := results.ReadLinesFile(run.Ledger(), func(e results.LedgerEntry) {
		if e.Event == results.LedgerSubmitted || e.Event == results.LedgerFound {
			n++
		}
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
