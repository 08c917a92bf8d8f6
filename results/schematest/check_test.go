package schematest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hpcbench/results"
	"hpcbench/results/summary"
)

// run writes one file of every kind.
func run(t *testing.T) results.RunDir {
	t.Helper()
	dir := results.RunDir(t.TempDir())
	attempt := dir.Attempt(1, 0)
	if err := os.MkdirAll(string(attempt), 0o700); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	step := results.Step{ID: "constant@2.00req/s", Loop: results.LoopOpen, Arrival: "constant", RatePerS: 2, DurationS: 2}
	record := results.Record{Seq: 1, Phase: results.PhaseWindow, Outcome: results.OutcomeCompleted, Status: 200, TIntended: 1_500_000, TStart: 1_500_001,
		TSend: 1_500_010, TFirstToken: 1_600_000, TLastToken: 1_700_000, TEnd: 1_700_010, OutputTokens: 11, TokenEvents: 11, Clock: results.ClockKernel,
		TokensSource: results.TokensUsage, Gaps: results.EncodeGaps(make([]results.Gap, 10))}
	samples := []results.Sample{
		{At: 1_000_000, Kind: results.SampleStep, Step: &results.StepSample{Edge: results.EdgeBegin, Step: &step}},
		{At: 1_000_000, Kind: results.SampleStep, Step: &results.StepSample{Edge: results.EdgeOpen, Planned: 4}},
		{At: 2_000_000, Kind: results.SampleServer, Server: &results.ServerSample{Running: new(float64), TTFT: &results.SumCount{SumS: 1, Count: 2}}},
		{At: 2_000_000, Kind: results.SampleGPU, GPU: &results.GPUSample{Index: "0"}},
		{At: 2_000_000, Kind: results.SampleHost, Host: &results.HostSample{}},
		{At: 2_000_000, Kind: results.SampleClient, Client: &results.ClientSample{}},
		{At: 3_000_000, Kind: results.SampleStep, Step: &results.StepSample{Edge: results.EdgeClose}},
	}
	a := results.Attempt{Format: results.FormatAttempt, RecordsFormat: results.FormatRecords, TelemetryFormat: results.FormatTelemetry,
		Run: "r", Repeat: 1, State: results.StateComplete, StartedAt: at, EpochAt: at, Marks: []results.Mark{{At: 5, What: "ready"}}}
	plan := results.Plan{Name: "p", Kind: results.KindRate, RatesPerS: []float64{2}, DurationS: 2,
		Prompt: results.PromptPlan{Source: results.SourceSynthetic, Tokens: 5}, Output: results.OutputPlan{Distribution: results.DistFixed, Tokens: 11},
		Request: results.RequestPlan{API: "chat", Usage: results.UsageFinal, TimeoutS: 5}}
	spec := results.Spec{Format: results.FormatSpec, Name: "r", CreatedAt: at, Plan: plan, Site: results.SiteFacts{Scheduler: results.SchedulerLocal},
		Server:   results.ServerSpec{Engine: results.EngineStub},
		Grouping: results.Grouping{Mode: results.ModeRestart, Jobs: [][]int{{1}}}, Job: results.JobSpec{Arithmetic: []string{}, Directives: [][2]string{}}}
	refs, err := results.LoadReference("karolina-qwen3-4b-bare")
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := results.LoadMatrixReference("rtx3090-agents-a1-4b")
	if err != nil {
		t.Fatal(err)
	}
	for path, v := range map[string]any{
		dir.Spec():         spec,
		dir.Steps():        results.FrozenSteps{Format: results.FormatSteps, ByRepeat: 1, Steps: []results.Step{step}},
		attempt.Attempt():  a,
		attempt.Progress(): results.Progress{Format: results.FormatProgress, UpdatedAt: at},
		attempt.Summary():  summary.Compute(summary.Input{Attempt: a, Records: []results.Record{record}, Samples: samples, Plan: plan}),
		filepath.Join(string(dir), "reference.json"): refs,
		filepath.Join(string(dir), "matrix.json"):    matrix,
	} {
		if err := results.WriteJSON(path, v, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines(t, dir.Ledger(), results.LedgerEntry{Format: results.FormatLedger, At: at, Event: results.LedgerIntent, JobName: "r-x", Repeats: []int{1}})
	lines(t, attempt.Records(), record)
	lines(t, attempt.Telemetry(), samples[0], samples[1], samples[2], samples[3], samples[4], samples[5], samples[6])
	return dir
}

// lines writes JSON lines, and a torn one at the end.
func lines(t *testing.T, path string, values ...any) {
	t.Helper()
	var text []byte
	for _, v := range values {
		b, err := results.EncodeJSON(v)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, []byte(strings.ReplaceAll(string(b), "\n", " ")+"\n")...)
	}
	if err := os.WriteFile(path, append(text, []byte(`{"torn`)...), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestEveryKindOfFilePasses(t *testing.T) {
	if n := Tree(t, string(run(t))); n != 10 {
		t.Errorf("%d files were checked", n)
	}
}

func TestWhatDoesNotFitIsFound(t *testing.T) {
	for _, c := range []struct {
		name     string
		file     func(results.RunDir) string
		old, new string
		says     string
	}{
		{"an unknown key", func(d results.RunDir) string { return d.Spec() }, `"name": "r"`, `"name": "r", "nmae": "r"`, "nmae"},
		{"a missing key", func(d results.RunDir) string { return d.Attempt(1, 0).Attempt() }, `"repeat": 1,`, ``, "repeat"},
		{"another type", func(d results.RunDir) string { return d.Attempt(1, 0).Summary() }, `"planned": 4`, `"planned": "4"`, "planned"},
		{"an unknown word", func(d results.RunDir) string { return d.Attempt(1, 0).Records() }, `"completed"`, `"complete"`, "outcome"},
		{"a newer format", func(d results.RunDir) string { return d.Spec() }, `hpcbench.run/1`, `hpcbench.run/2`, "hpcbench.run/2"},
		{"no time", func(d results.RunDir) string { return d.Ledger() }, `"2026-12-01T12:00:00Z"`, `"yesterday"`, "yesterday"},
		{"a broken line", func(d results.RunDir) string { return d.Attempt(1, 0).Telemetry() }, `"step"`, `step"`, "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.file(run(t))
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(b), c.old, c.new, 1)
			if changed == string(b) {
				t.Fatalf("%s isn't in %s", c.old, b)
			}
			if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := check(path); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v should say %q", err, c.says)
			}
		})
	}
}

func TestForeignFilesAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(path, []byte(`{"format":"theirs/1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := check(path); !errors.Is(err, errNoKind) {
		t.Errorf("got %v", err)
	}
}
