package prompt

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// readFolder takes every regular file of a folder (not of those below) as one
// prompt, in the order of names. Hidden files and those that aren't text are
// left out.
func readFolder(dir string) ([]entry, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var entries []entry
	var total int64
	for _, f := range files {
		if strings.HasPrefix(f.Name(), ".") || f.IsDir() {
			continue
		}
		path := filepath.Join(dir, f.Name())
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		if total += info.Size(); total > maxDataset {
			return nil, fmt.Errorf("the texts in %s have more than %d bytes", dir, int64(maxDataset))
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if text, ok := asText(b); ok {
			entries = append(entries, entry{Messages: []Message{{"user", text}}})
		}
	}
	return slices.Clip(entries), nil
}

func asText(b []byte) (string, bool) {
	b = bytes.TrimSpace(b)
	return string(b), len(b) > 0 && utf8.Valid(b) && !bytes.ContainsRune(b, 0)
}
