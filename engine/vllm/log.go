package vllm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"hpcbench/engine"
)

var (
	kvLine      = regexp.MustCompile(`[A-Z]+ KV cache size: ([\d,]+) tokens`)
	logProcess  = regexp.MustCompile(`^\(([A-Za-z0-9_-]+ pid=\d+)\)`)
	versionLine = regexp.MustCompile(`(?:^|\s)version (\d+\.\d+\S*)|V1 LLM engine \(v(\d+\.\d+[^)]*)\)|Launching vLLM \(v(\d+\.\d+[^)]*)\)`)
)

// eachLine calls f for the lines of a log until it says stop. Lines of any
// length are taken; of one above 64 KiB only the beginning is looked at.
func eachLine(r io.Reader, f func(line string) (more bool)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, isPrefix, err := in.ReadLine()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the server's log: %w", err)
		}
		more := f(string(line))
		for isPrefix && err == nil {
			_, isPrefix, err = in.ReadLine()
		}
		if !more {
			return nil
		}
	}
}

// KVFromLog is the KV budget as the log states it; false = it doesn't. Each
// engine core (data parallel) has a cache of its own, which are summed; where one
// core says it several times, once a worker, the smallest is what it can use.
// Of a log with several starts in it the last one counts.
func KVFromLog(r io.Reader) (engine.KVBudget, bool, error) {
	byProcess := map[string]int64{}
	err := eachLine(r, func(line string) bool {
		if v := versionLine.FindStringSubmatch(line); v != nil && v[1] != "" {
			clear(byProcess) // the banner of another start in the same log
		}
		m := kvLine.FindStringSubmatch(line)
		if m == nil {
			return true
		}
		n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
		if err != nil || n > 1<<53 {
			return true // not a number of tokens that a machine can hold
		}
		who := ""
		if p := logProcess.FindStringSubmatch(line); p != nil {
			who = p[1]
		}
		if old, ok := byProcess[who]; !ok || n < old {
			byProcess[who] = n
		}
		return true
	})
	if err != nil || len(byProcess) == 0 {
		return engine.KVBudget{}, false, err
	}
	b := engine.KVBudget{Source: engine.KVFromLog}
	for _, n := range byProcess {
		b.Tokens += n
	}
	return b, true, nil
}

// VersionFromLog is the engine's version as the log's beginning states it; "" =
// it doesn't. It is known there long before /version answers.
func VersionFromLog(r io.Reader) (string, error) {
	version := ""
	err := eachLine(r, func(line string) bool {
		if m := versionLine.FindStringSubmatch(line); m != nil {
			version = m[1] + m[2] + m[3]
		}
		return version == ""
	})
	return version, err
}
