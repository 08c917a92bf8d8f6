package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"

	"hpcbench/collect/read"
	"hpcbench/results"
)

// Append adds entries to the file in one write, so that two writers don't mix
// their lines. The file is made where it isn't there.
func Append(path string, entries ...Entry) error {
	b, err := encode(entries)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("append to the history: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("append to the history: %w", err)
	}
	defer f.Close()
	if !endsLine(f) { // a writer was killed in its line: ours must not be joined to it
		b = append([]byte("\n"), b...)
	}
	if _, err := f.Write(b); err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	return nil
}

func endsLine(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return true
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil {
		return true
	}
	return last[0] == '\n'
}

func encode(entries []Entry) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			return nil, fmt.Errorf("encode the history of %s: %w", e.Run, err)
		}
	}
	return buf.Bytes(), nil
}

// Load reads the file: the last line of each run, by rising time. Lines of
// another format count as bad. A file that isn't there is an empty history.
func Load(path string) ([]Entry, results.Lines, error) {
	var all []Entry
	foreign := 0
	lines, err := results.ReadLinesFile(path, func(e Entry) {
		if e.Format != FormatEntry {
			foreign++
			return
		}
		all = append(all, e)
	})
	if err != nil {
		return nil, lines, fmt.Errorf("read the history %s: %w", path, err)
	}
	lines.Bad += foreign
	return merge(nil, all), lines, nil
}

// merge keeps the last entry of each run, by rising time.
func merge(lists ...[]Entry) []Entry {
	at := map[string]int{}
	var out []Entry
	for _, list := range lists {
		for _, e := range list {
			key := e.Dir + "\x00" + e.Run
			if i, seen := at[key]; seen {
				out[i] = e
				continue
			}
			at[key] = len(out)
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return a.At.Compare(b.At) })
	return out
}

// Rebuild makes the file anew from the run folders below dir, keeping the
// verdicts that a gate had written. Folders that can't be read are answered as
// problems; the rest is written.
func Rebuild(path, dir string) (n int, problems []read.Problem, err error) {
	folders, err := os.ReadDir(dir)
	if err != nil {
		return 0, nil, fmt.Errorf("rebuild the history: %w", err)
	}
	verdicts := map[string]string{}
	old, _, err := Load(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, read.Problem{File: path, Words: err.Error()})
	}
	for _, e := range old {
		verdicts[e.Dir] = e.Verdict
	}
	var entries []Entry
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		at := filepath.Join(dir, f.Name())
		run, err := read.Open(at, read.Options{})
		if errors.Is(err, read.ErrNoRun) {
			continue
		}
		if err != nil {
			problems = append(problems, read.Problem{File: at, Words: err.Error()})
			continue
		}
		problems = append(problems, run.AllProblems()...)
		e := Of(run)
		e.Verdict = verdicts[e.Dir]
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return a.At.Compare(b.At) })
	b, err := encode(entries)
	if err != nil {
		return 0, problems, err
	}
	if err := renameio.WriteFile(path, b, 0o600, renameio.IgnoreUmask()); err != nil {
		return 0, problems, fmt.Errorf("write the history: %w", err)
	}
	return len(entries), problems, nil
}
