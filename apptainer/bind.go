package apptainer

import (
	"fmt"
	"path"
	"strings"
)

// Bind is a folder or file of the host that is visible in the container.
type Bind struct {
	Source   string // absolute path on the host
	Target   string // absolute path in the container; empty means the same as Source
	ReadOnly bool
	Optional bool // left out by Existing where the host doesn't have it
}

// Existing drops the optional binds whose source is not there and says which.
// The runtimes themselves know no optional bind: a missing source is fatal.
// Required binds are kept even when missing, so that the error is seen.
func Existing(binds []Bind, exists func(path string) bool) (kept, dropped []Bind) {
	for _, b := range binds {
		if b.Optional && !exists(b.Source) {
			dropped = append(dropped, b)
			continue
		}
		kept = append(kept, b)
	}
	return kept, dropped
}

// spec is the bind as --bind wants it, source[:target[:ro]].
func (b Bind) spec() (string, error) {
	if err := checkBindPath("source", b.Source); err != nil {
		return "", err
	}
	target := b.Target
	if target != "" {
		if err := checkBindPath("target", target); err != nil {
			return "", err
		}
		if path.Clean(target) == "/" {
			return "", fmt.Errorf("bind target %q: the root of the container can't be replaced", target)
		}
	}
	switch {
	case b.ReadOnly && target == "":
		return b.Source + ":" + b.Source + ":ro", nil
	case b.ReadOnly:
		return b.Source + ":" + target + ":ro", nil
	case target == "":
		return b.Source, nil
	}
	return b.Source + ":" + target, nil
}

// checkBindPath refuses what --bind splits at. Apptainer 1.4 can escape a comma or a
// colon with a backslash, SingularityCE 4.1 can't, and a mistake binds another folder
// in silence.
func checkBindPath(what, p string) error {
	switch {
	case p == "":
		return fmt.Errorf("bind %s is empty: give an absolute path", what)
	case !path.IsAbs(p):
		return fmt.Errorf("bind %s %q is relative: give an absolute path, jobs don't start in your folder", what, p)
	case strings.ContainsAny(p, ",:\\"):
		return fmt.Errorf("bind %s %q holds a comma, a colon or a backslash, which --bind takes for its own: rename it or bind the folder above it", what, p)
	}
	if i := strings.IndexFunc(p, isControl); i >= 0 {
		return fmt.Errorf("bind %s %q holds a control character at byte %d: rename it", what, p, i)
	}
	return nil
}

// isControl reports bytes that no path or option of a job should have: they end
// lines in scripts, logs and Slurm's tables.
func isControl(r rune) bool { return r < 0x20 || r == 0x7f }
