package schematest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hpcbench/results"
	"hpcbench/results/schema"
)

// byFormat is the schema of each whole file, by its format word.
var byFormat = map[string]string{
	results.FormatSpec: "run.json", results.FormatSteps: "steps.json", results.FormatAttempt: "attempt.json",
	results.FormatProgress: "progress.json", results.FormatSummary: "summary.json", results.FormatReference: "reference.json",
	results.FormatMatrixReference: "matrix-reference.json",
}

// byName is the schema of a line of each append-only file, by its name.
var byName = map[string]string{
	filepath.Base(results.AttemptDir("").Records()):   "record.json",
	filepath.Base(results.AttemptDir("").Telemetry()): "sample.json",
	filepath.Base(results.RunDir("").Ledger()):        "job.json",
}

// errNoKind says that a file is none of the kinds that have a schema.
var errNoKind = errors.New("no kind of file of ours")

// File checks one file against the schema of its kind: JSON by its format
// word, JSON lines by their name.
func File(t testing.TB, path string) {
	t.Helper()
	if err := check(path); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

// Tree checks every JSON file under a folder and says how many it checked, so
// that a test can tell that there were some. Files of other kinds are an error:
// whatever the program writes has a schema.
func Tree(t testing.TB, dir string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ext := filepath.Ext(path); !d.IsDir() && (ext == ".json" || ext == ".jsonl") {
			File(t, path)
			n++
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return n
}

// Against checks a text against the schema in a file.
func Against(t testing.TB, schemaFile string, text []byte) {
	t.Helper()
	b, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := compile(schemaFile, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(s, text); err != nil {
		t.Error(err)
	}
}

func check(path string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if name, ok := byName[filepath.Base(path)]; ok {
		return checkLines(name, b)
	}
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return err
	}
	name, ok := byFormat[head.Format]
	if !ok {
		return fmt.Errorf("%w: its format is %q", errNoKind, head.Format)
	}
	s, err := own(name)
	if err != nil {
		return err
	}
	return validate(s, b)
}

// checkLines checks every whole line; a torn last one is a killed writer's.
func checkLines(name string, b []byte) error {
	s, err := own(name)
	if err != nil {
		return err
	}
	lines := bytes.Split(b, []byte("\n"))
	for i, line := range lines[:len(lines)-1] {
		if err := validate(s, line); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

func validate(s *jsonschema.Schema, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// compiled keeps our own schemas: compiling one takes longer than checking a thousand lines.
var compiled sync.Map

func own(name string) (*jsonschema.Schema, error) {
	if s, ok := compiled.Load(name); ok {
		return s.(*jsonschema.Schema), nil
	}
	b, err := schema.Files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s, err := compile(name, b)
	if err != nil {
		return nil, err
	}
	compiled.Store(name, s)
	return s, nil
}

func compile(name string, b []byte) (*jsonschema.Schema, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	url := "mem:///" + strings.TrimPrefix(filepath.ToSlash(name), "/")
	if err := c.AddResource(url, v); err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	s, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	return s, nil
}
