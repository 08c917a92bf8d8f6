package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"hpcbench/jobs"
)

// view shows the state of runs as it changes: on a terminal one panel that is
// painted again, elsewhere a line for each change.
type view struct {
	out      io.Writer
	terminal bool
	painted  int // lines of the panel
	said     map[string]string
}

func newView(a *app) *view {
	return &view{out: a.stderr, terminal: isTerminal(a.stderr), said: map[string]string{}}
}

// isTerminal asks the kernel, not the environment.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Mode()&os.ModeDevice != 0 && os.Getenv("TERM") != ""
}

func (v *view) show(runs []jobs.RunStatus) {
	if v.terminal {
		v.paint(runs)
		return
	}
	for _, r := range runs {
		for _, s := range r.Repeats {
			key := fmt.Sprintf("%s repeat %d", r.Name, s.Index)
			line := s.Phase
			if rest := strings.TrimPrefix(s.Words, s.Phase+": "); rest != "" && rest != s.Phase {
				line += ": " + rest
			}
			if v.said[key] == line {
				continue
			}
			v.said[key] = line
			fmt.Fprintf(v.out, "%s: %s\n", key, line)
		}
	}
}

// paint draws the panel over the last one.
func (v *view) paint(runs []jobs.RunStatus) {
	var b strings.Builder
	if v.painted > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", v.painted)
	}
	lines := 0
	line := func(format string, args ...any) {
		text := []rune(fmt.Sprintf(format, args...))
		if len(text) > 79 {
			text = text[:79] // a line that wraps would break the painting
		}
		fmt.Fprintf(&b, "\x1b[2K%s\n", string(text))
		lines++
	}
	for _, r := range runs {
		line("%s: %d of %d repeats complete", r.Name, r.Complete(), len(r.Repeats))
		for _, s := range r.Repeats {
			line("  %d %-12s %s", s.Index, s.Phase, strings.TrimPrefix(strings.TrimPrefix(s.Words, s.Phase), ": "))
			if figures := repeatFigures(s); figures != "" {
				line("     %s", figures)
			}
		}
	}
	for range max(0, v.painted-lines) {
		b.WriteString("\x1b[2K\n")
	}
	v.painted = max(v.painted, lines)
	_, _ = io.WriteString(v.out, b.String()) // a terminal that went away stops nothing
}

// close leaves the last state standing.
func (v *view) close(runs []jobs.RunStatus) {
	if v.terminal {
		v.paint(runs)
	}
}
