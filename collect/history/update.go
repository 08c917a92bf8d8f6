package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"hpcbench/collect/read"
)

// Update brings the file up to date with the run folders below dir and answers
// what Load would then answer. Only folders that the file doesn't know, or knows with
// repeats missing, are opened; runs whose folders are gone stay. Where the file can't
// be written, as in a folder of somebody else's, that is a problem and the entries are
// answered all the same.
func Update(path, dir string) (entries []Entry, problems []read.Problem, err error) {
	entries, lines, err := Load(path)
	if err != nil {
		return nil, nil, err
	}
	if n := lines.Bad + lines.Torn; n > 0 {
		problems = append(problems, read.Problem{File: path, Words: fmt.Sprintf("%d lines can't be read and are left out", n)})
	}
	folders, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, problems, fmt.Errorf("update the history: %w", err)
	}
	known := map[string]*Entry{}
	for i := range entries {
		known[entries[i].Dir] = &entries[i]
	}
	var fresh []Entry
	for _, f := range folders {
		at := filepath.Join(dir, f.Name())
		old := known[at]
		if !f.IsDir() || old != nil && old.Good >= old.Asked {
			continue
		}
		run, err := read.Open(at, read.Options{})
		if errors.Is(err, read.ErrNoRun) {
			continue
		}
		if err != nil {
			problems = append(problems, read.Problem{File: at, Words: err.Error()})
			continue
		}
		e := Of(run)
		if old != nil {
			e.Verdict = old.Verdict
			if reflect.DeepEqual(e, *old) {
				continue
			}
		}
		fresh = append(fresh, e)
	}
	if len(fresh) == 0 {
		return entries, problems, nil
	}
	if err := Append(path, fresh...); err != nil {
		problems = append(problems, read.Problem{File: path, Words: err.Error()})
	}
	return merge(entries, fresh), problems, nil
}
