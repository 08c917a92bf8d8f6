package collecttest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hpcbench/results"
)

// Write puts the run of a Setup into a folder of its own below a temporary one
// and answers where it is.
func Write(tb testing.TB, s Setup) results.RunDir {
	tb.Helper()
	s = s.withDefaults()
	dir := results.RunDir(filepath.Join(tb.TempDir(), s.Name))
	m := Build(s)
	WriteJSON(tb, dir.Spec(), m.Spec)
	for i, a := range m.Attempts {
		at := dir.Attempt(a.Repeat, a.Attempt)
		WriteJSON(tb, at.Attempt(), a)
		WriteJSON(tb, at.Summary(), m.Summary[i])
		if s.Records {
			WriteLines(tb, at.Records(), m.Records[i])
			WriteLines(tb, at.Telemetry(), m.Samples[i])
		}
	}
	return dir
}

// WriteJSON writes a whole file with its folders.
func WriteJSON(tb testing.TB, path string, v any) {
	tb.Helper()
	b, err := results.EncodeJSON(v)
	if err != nil {
		tb.Fatalf("encode %s: %v", path, err)
	}
	WriteFile(tb, path, b)
}

// WriteLines writes JSON lines.
func WriteLines[T any](tb testing.TB, path string, lines []T) {
	tb.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			tb.Fatalf("encode %s: %v", path, err)
		}
	}
	WriteFile(tb, path, buf.Bytes())
}

// WriteFile writes bytes with the folders above them.
func WriteFile(tb testing.TB, path string, b []byte) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		tb.Fatal(err)
	}
}
