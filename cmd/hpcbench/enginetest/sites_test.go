//go:build engine

package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hpcbench/cmd/hpcbench/world"
	"hpcbench/engine/realtest"
	"hpcbench/results"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// onReal makes a user whose image holds the real vLLM; its start on a CPU takes half a minute.
func onReal(t *testing.T) (*world.World, realtest.Engine) {
	t.Helper()
	engine, err := realtest.Find()
	if err != nil {
		t.Fatal(err)
	}
	w := world.New(t)
	inside := filepath.Join(w.Dir, "inside")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := engine.InstallCommand(inside, 1); err != nil {
		t.Fatal(err)
	}
	w.File("vllm.sif.double.json", fmt.Sprintf(`{"commands": {"vllm": %q}}`, filepath.Join(inside, "vllm")))
	for _, site := range []string{"karolina", "lumi"} {
		path := filepath.Join(w.Conf, "sites", site+".yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		w.File("config/sites/"+site+".yaml", strings.Replace(string(text), "engine: stub", "engine: vllm", 1)+
			"binds:\n  "+engine.Dir+": {}\n")
	}
	w.File("config/plans/real.yaml", `kind: rate
rates_per_s: [2, 4]
duration_s: 4
warmup: {duration_s: 2}
prompt: {source: synthetic, tokens: 100}
output: {distribution: normal, tokens: 30, sd: 3, min: 20, max: 40}
request: {api: chat, temperature: 0, usage: final, ignore_eos: true, timeout_s: 30}
drain_s: 20
`)
	return w, engine
}

func flags(engine realtest.Engine) []string {
	args := []string{"--model", engine.Model, "--gpus", "1", "--max-model-len", "4096", "--max-num-seqs", "16", "--plan", "real"}
	for _, a := range realtest.Args {
		args = append(args, "--server-arg="+a)
	}
	return args
}

// checkAttempts holds a run's repeats to what a real engine must leave.
func checkAttempts(t *testing.T, w *world.World, name string, repeats int) {
	t.Helper()
	attempts := w.Attempts(name)
	if len(attempts) != repeats {
		t.Fatalf("%d attempts, wanted %d\n%s", len(attempts), repeats, w.JobOutput())
	}
	salts, ports := map[string]bool{}, map[int]bool{}
	for _, a := range attempts {
		salts[a.Salt] = true
		for _, s := range a.Starts {
			ports[s.Port] = true
		}
		if a.State != results.StateComplete || a.Simulated || a.Server.Version != "0.32.0" || a.Server.MaxModelLen != 4096 || a.Server.KVTokens < 100_000 {
			t.Errorf("repeat %d: %s, server %+v", a.Repeat, a.State, a.Server)
		}
		summary, err := results.ReadJSON[results.Summary](w.Run(name).Attempt(a.Repeat, a.Attempt).Summary(), results.FormatSummary)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range summary.Steps {
			if s.Counts.Completed == 0 || s.Counts.Completed != s.Counts.Sent || s.Sources[results.TokensUsage] != s.Counts.Completed {
				t.Errorf("repeat %d, %s: %+v, tokens from %v", a.Repeat, s.Step.ID, s.Counts, s.Sources)
			}
			if s.Server == nil || s.Server.GenerationTokens == nil || s.Server.TTFTMeanMs == nil {
				t.Fatalf("repeat %d, %s: the engine's own account is missing: %+v", a.Repeat, s.Step.ID, s.Server)
			}
			for _, f := range s.Findings {
				// Beside other work on two cores the client is late; everything else must be clean.
				if f.Level == results.LevelInvalid && f.Code != "client_limited" {
					t.Errorf("repeat %d, %s: %+v", a.Repeat, s.Step.ID, f)
				}
			}
		}
	}
	if len(salts) != repeats || len(ports) != repeats {
		t.Errorf("%d salts and %d ports for %d repeats", len(salts), len(ports), repeats)
	}
	w.NothingLeft(name)
}

// Five repeats, each with a fresh server, in one job on dev-g.
func TestLUMIFiveRepeats(t *testing.T) {
	w, engine := onReal(t)
	out := w.Measure(append([]string{"submit", "--site", "lumi", "--name", "lum", "--wait"}, flags(engine)...)...)
	if !strings.Contains(out, "5 of 5 repeats") || strings.Contains(out, "SIMULATED") {
		t.Errorf("submit says\n%s\n%s", out, w.JobOutput())
	}
	checkAttempts(t, w, "lum", 5)
}

// An array on Karolina; two real servers at a time would be too many for two cores.
func TestKarolina(t *testing.T) {
	w, engine := onReal(t)
	out := w.Measure(append([]string{"submit", "--site", "karolina", "--name", "kar", "--repeats", "1", "--wait"}, flags(engine)...)...)
	if !strings.Contains(out, "1 of 1 repeats") || strings.Contains(out, "SIMULATED") {
		t.Errorf("submit says\n%s\n%s", out, w.JobOutput())
	}
	checkAttempts(t, w, "kar", 1)
}

// A model that can't be cut over the GPUs is refused before sbatch.
func TestHeadsAreReadFromTheFolder(t *testing.T) {
	w, engine := onReal(t)
	out, code := w.Hpcbench("submit", "--site", "karolina", "--model", engine.Model, "--gpus", "8", "--plan", "real", "--name", "no")
	if code != 2 || !strings.Contains(out, "tensor parallel 8 doesn't divide the model's 4 attention heads") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
