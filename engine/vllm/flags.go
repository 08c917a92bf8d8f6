package vllm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
)

// flagName is a flag where the help lists it: at the beginning of a line or after a comma.
var flagName = regexp.MustCompile(`(?:^|,)\s*(--?[A-Za-z0-9][A-Za-z0-9_-]*)`)

// ParseHelp reads the flag names out of `vllm serve --help=all`, or out of a
// plain list with one name a line. The result is sorted.
func ParseHelp(r io.Reader) ([]string, error) {
	seen := map[string]bool{}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		// The list of a flag's spellings stands at the left; prose is indented deeper and may mention other flags.
		if trimmed := strings.TrimLeft(line, " "); len(line)-len(trimmed) > 6 || !strings.HasPrefix(trimmed, "-") {
			continue
		}
		for _, m := range flagName.FindAllStringSubmatch(line, -1) {
			seen[m[1]] = true
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read the help of vllm serve: %w", err)
	}
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	if len(names) == 0 {
		return nil, errors.New("read the help of vllm serve: there is no flag in it")
	}
	slices.Sort(names)
	return names, nil
}

// UnknownFlagsError says that the image's vLLM doesn't know some flags.
type UnknownFlagsError struct {
	Version string
	Flags   []string // as given
	Nearest []string // the nearest known one of each, "" = none is near
}

func (e *UnknownFlagsError) Error() string {
	var parts []string
	for i, f := range e.Flags {
		p := f
		if e.Nearest[i] != "" {
			p += " (the nearest is " + e.Nearest[i] + ")"
		}
		parts = append(parts, p)
	}
	version := "this vLLM"
	if e.Version != "" {
		version = "vLLM " + e.Version
	}
	return fmt.Sprintf("%s doesn't know %s", version, strings.Join(parts, ", "))
}

// CheckFlags compares the flags of a command line made by ServeArgs with those
// that a version knows. An empty list of known flags checks nothing: they
// haven't been learnt yet. The error is an *UnknownFlagsError.
func CheckFlags(args, known []string, version string) error {
	if len(known) == 0 {
		return nil
	}
	has := map[string]bool{}
	for _, k := range known {
		has[k] = true
		has[canonical(k)] = true
	}
	unknown := &UnknownFlagsError{Version: version}
	for _, a := range args {
		if !strings.HasPrefix(a, "-") || isNumber(a) {
			continue
		}
		name := canonical(a)
		// --no-x turns off x; -O3 is -O with its value; --x.y sets y inside x.
		short, _, _ := strings.Cut(name, ".")
		if has[name] || has[short] || (strings.HasPrefix(name, "--no-") && has["--"+name[len("--no-"):]]) || (len(a) > 2 && a[1] != '-' && has[a[:2]]) {
			continue
		}
		unknown.Flags = append(unknown.Flags, name)
		unknown.Nearest = append(unknown.Nearest, nearest(name, known))
	}
	if len(unknown.Flags) == 0 {
		return nil
	}
	return unknown
}

// nearest is the known flag that differs least, if it differs by less than a third.
func nearest(name string, known []string) string {
	best, at := "", len(name)/3+1
	for _, k := range known {
		if d := levenshtein.Distance(name, k, nil); d < at {
			best, at = k, d
		}
	}
	return best
}
