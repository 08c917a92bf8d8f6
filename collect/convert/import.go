package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hpcbench/results"
	"hpcbench/results/judge"
)

// Tools whose files can be imported.
const (
	ToolHuggingFace = "inference-benchmarker"
	ToolVLLM        = "vllm bench serve"
)

// ErrUnknownFile says that a file is none that can be imported.
var ErrUnknownFile = errors.New("neither a file of inference-benchmarker nor of vllm bench serve")

// ErrMixed says that files don't belong together.
var ErrMixed = errors.New("they aren't repeats of one run")

// Part is what one imported file holds: one repeat, with what it says of the conditions.
type Part struct {
	File    string
	Tool    string
	Model   string
	Plan    results.Plan
	Started time.Time // UTC; zero where the file doesn't say
	Ended   time.Time
	Node    results.NodeFacts
	Meta    map[string]string
	Warmup  *results.StepSummary
	Steps   []results.StepSummary
}

// Parse reads one file of another tool. The name stands in errors and in what
// the run says of its origin.
func Parse(name string, data []byte) (Part, error) {
	var keys map[string]json.RawMessage
	if len(bytes.TrimSpace(data)) == 0 {
		return Part{}, fmt.Errorf("import %s: the file is empty", name)
	}
	if err := json.Unmarshal(data, &keys); err != nil {
		return Part{}, fmt.Errorf("import %s: %w", name, jsonWords(data, err))
	}
	var p Part
	var err error
	switch {
	case keys["results"] != nil && keys["config"] != nil:
		p, err = parseHF(data)
	case keys["mean_ttft_ms"] != nil && keys["completed"] != nil:
		p, err = parseVLLM(data)
	default:
		return Part{}, fmt.Errorf("import %s: %w", name, ErrUnknownFile)
	}
	if err != nil {
		return Part{}, fmt.Errorf("import %s: %w", name, jsonWords(data, err))
	}
	p.File = name
	return p, nil
}

// jsonWords explains what Python writes where JSON has no word.
func jsonWords(data []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := 1 + bytes.Count(data[:min(syntax.Offset, int64(len(data)))], []byte("\n"))
		for _, w := range []string{"NaN", "Infinity"} {
			if bytes.Contains(data, []byte(w)) {
				return fmt.Errorf("line %d: %w (the file has %s, which is no number: the tool had nothing to average)", line, err, w)
			}
		}
		return fmt.Errorf("line %d: %w", line, err)
	}
	return err
}

// WriteRun writes the parts as a run folder below dir, one repeat each. They
// must be of one tool, model and plan, else the error wraps ErrMixed. The folder
// must not exist.
func WriteRun(dir, name string, parts []Part) (results.RunDir, error) {
	if len(parts) == 0 {
		return "", errors.New("import: no file")
	}
	parts, err := mergeSteps(parts)
	if err != nil {
		return "", err
	}
	run := results.RunDir(filepath.Join(dir, name))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("import: %w", err)
	}
	if err := os.Mkdir(string(run), 0o700); err != nil {
		return "", fmt.Errorf("import: %w; choose another name", err)
	}
	spec := importedSpec(name, parts)
	if err := results.WriteJSON(run.Spec(), spec, 0o600); err != nil {
		return "", err
	}
	digest, err := spec.Digest()
	if err != nil {
		return "", err
	}
	for i, p := range parts {
		if err := writePart(run, name, i+1, p, digest); err != nil {
			return "", err
		}
	}
	return run, nil
}

func importedSpec(name string, parts []Part) results.Spec {
	p := parts[0]
	spec := results.Spec{
		Format: results.FormatSpec, Name: name, CreatedAt: p.Started, ToolVersion: p.Tool, Imported: p.Tool + ", " + p.File,
		Model:    results.ModelFacts{Name: p.Model},
		Server:   results.ServerSpec{Engine: p.Meta["engine"], EngineVersion: p.Meta["version"]},
		Plan:     p.Plan,
		Repeats:  len(parts),
		Site:     results.SiteFacts{GPUKind: p.Meta["device"]},
		Grouping: results.Grouping{Mode: results.ModeArray, FreshServer: true, Why: "imported: one file a repeat; how the server was started isn't stated"},
	}
	for i := range parts {
		spec.Grouping.Jobs = append(spec.Grouping.Jobs, []int{i + 1})
	}
	if p.Meta["simulated"] == "true" {
		spec.Simulated = true
	}
	return spec
}

func writePart(run results.RunDir, name string, repeat int, p Part, digest string) error {
	at := run.Attempt(repeat, 0)
	if err := os.MkdirAll(string(at), 0o700); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	simulated := p.Meta["simulated"] == "true"
	attempt := results.Attempt{
		Format: results.FormatAttempt, Run: name, Repeat: repeat, State: results.StateComplete, Simulated: simulated,
		StartedAt: p.Started, EpochAt: p.Started, EndedAt: p.Ended, SpecDigest: digest, ToolVersion: p.Tool, Salt: p.File, Node: p.Node,
		Server: results.ServerFacts{Engine: p.Meta["engine"], Version: p.Meta["version"]},
		Clock:  results.ClockFacts{Kind: results.ClockProcess, Reason: "the tool's own"},
	}
	if err := results.WriteJSON(at.Attempt(), attempt, 0o600); err != nil {
		return err
	}
	sum := results.Summary{
		Format: results.FormatSummary, RulesVersion: judge.RulesVersion, Run: name, Repeat: repeat, State: results.StateComplete, Simulated: simulated,
		Clock: results.ClockProcess, Imported: p.Tool + ", " + p.File, Warmup: p.Warmup, Steps: p.Steps,
		Findings: []results.Finding{{Level: results.LevelNote, Code: "imported", Reason: "read from " + p.File + " of " + p.Tool + ": what it didn't count isn't known"}},
	}
	var err error
	if sum.Digest, err = sum.ContentDigest(); err != nil {
		return err
	}
	return results.WriteJSON(at.Summary(), sum, 0o600)
}
