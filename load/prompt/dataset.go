package prompt

import (
	"errors"
	"fmt"
	"os"

	"hpcbench/results"
)

// Message is one turn of a prompt.
type Message struct {
	Role    string
	Content string
}

// entry is one prompt of a data set, with the answer that stands behind it
// where there is one.
type entry struct {
	Messages []Message
	Answer   string
}

// ErrEmptyDataset says that a data set has nothing that can be sent.
var ErrEmptyDataset = errors.New("no prompt in it")

// maxDataset bounds a data set's file.
const maxDataset = 4 << 30

// readDataset reads the plan's file or folder.
func readDataset(p results.PromptPlan) ([]entry, error) {
	var entries []entry
	var err error
	switch p.Source {
	case results.SourceText:
		entries, err = readFolder(p.File)
	case results.SourceShareGPT:
		entries, err = readFile(p.File, parseShareGPT)
	case results.SourceJSONL:
		entries, err = readFile(p.File, parseJSONL)
	default:
		return nil, fmt.Errorf("unknown source of prompts %q", p.Source)
	}
	if err != nil {
		return nil, fmt.Errorf("read the prompts: %w", err)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("read the prompts: %s: %w", p.File, ErrEmptyDataset)
	}
	return entries, nil
}

func readFile(path string, parse func([]byte) ([]entry, error)) ([]entry, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxDataset {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", path, info.Size(), int64(maxDataset))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	entries, err := parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return entries, nil
}
