package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
)

// Lines is what reading an append-only file met beside the good lines.
type Lines struct {
	Torn int   // 1 where the last line has no end: the writer was killed in it
	Bad  int   // lines in the middle that couldn't be read
	At   int64 // where the first bad line begins, in bytes
}

// ReadLines reads an append-only file of JSON lines and calls each with every
// good one, in order. A torn last line and broken lines are counted, never
// fatal: the rest of a measurement is still one.
func ReadLines[T any](r io.Reader, each func(T)) (Lines, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return Lines{}, err
	}
	parts, seen := decodeLines[T](b)
	for _, part := range parts {
		for _, v := range part {
			each(v)
		}
	}
	return seen, nil
}

// ReadLinesFile is ReadLines on a file; one that doesn't exist has no lines.
func ReadLinesFile[T any](path string, each func(T)) (Lines, error) {
	parts, seen, err := readParts[T](path)
	for _, part := range parts {
		for _, v := range part {
			each(v)
		}
	}
	return seen, err
}

// readParts decodes a whole file; one that doesn't exist has no lines.
func readParts[T any](path string) ([][]T, Lines, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, Lines{}, nil
	}
	if err != nil {
		return nil, Lines{}, err
	}
	parts, seen := decodeLines[T](b)
	return parts, seen, nil
}

// partBytes is the least that is worth a goroutine.
const partBytes = 1 << 18

// decodeLines decodes in as many parts as there are processors: decoding is
// what reading a measurement costs.
func decodeLines[T any](b []byte) ([][]T, Lines) {
	cuts := cutLines(b, min(runtime.GOMAXPROCS(0), len(b)/partBytes+1))
	parts := make([][]T, len(cuts)-1)
	found := make([]Lines, len(cuts)-1)
	var wait sync.WaitGroup
	for i := range parts {
		wait.Go(func() { parts[i], found[i] = decodePart[T](b[cuts[i]:cuts[i+1]]) })
	}
	wait.Wait()
	var all Lines
	for i, f := range found {
		if all.Bad == 0 && f.Bad > 0 {
			all.At = int64(cuts[i]) + f.At
		}
		all.Bad += f.Bad
		all.Torn += f.Torn // only the last part can lack its newline
	}
	return parts, all
}

// cutLines gives at most n+1 rising offsets that cut b behind newlines.
func cutLines(b []byte, n int) []int {
	cuts := []int{0}
	for i := 1; i < n; i++ {
		at := max(len(b)*i/n, cuts[len(cuts)-1])
		end := bytes.IndexByte(b[at:], '\n')
		if end < 0 {
			break
		}
		cuts = append(cuts, at+end+1)
	}
	return append(cuts, len(b))
}

func decodePart[T any](b []byte) ([]T, Lines) {
	var seen Lines
	values := make([]T, 0, bytes.Count(b, []byte("\n")))
	for at := 0; at < len(b); {
		end := bytes.IndexByte(b[at:], '\n')
		if end < 0 {
			seen.Torn = 1
			break
		}
		line := bytes.TrimSpace(b[at : at+end])
		if len(line) > 0 {
			var v T
			// Every line is an object; null would pass for an empty one.
			if line[0] == '{' && unmarshalLine(line, &v) {
				values = append(values, v)
			} else {
				if seen.Bad == 0 {
					seen.At = int64(at)
				}
				seen.Bad++
			}
		}
		at += end + 1
	}
	return values, seen
}

// unmarshalLine says whether the line could be read into v.
func unmarshalLine[T any](line []byte, v *T) bool {
	if r, ok := any(v).(*Record); ok {
		if r.unmarshalFast(line) {
			return true
		}
		*r = Record{}
	}
	return json.Unmarshal(line, v) == nil
}
