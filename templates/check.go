package templates

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

var (
	varName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	program    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
	umaskForm  = regexp.MustCompile(`^0?[0-7]{3}$`)
	secretName = regexp.MustCompile(`(?i)(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)$`)
)

// check reports everything that is wrong with the data at once.
func (d ScriptData) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	for _, f := range []struct{ what, text string }{
		{"run name", d.RunName}, {"site", d.Site}, {"model", d.Model}, {"plan", d.Plan}, {"version", d.Version},
	} {
		if err := checkComment(f.what, f.text); err != nil {
			errs = append(errs, err)
		}
	}
	for _, n := range d.Notes {
		if err := checkComment("note", n); err != nil {
			errs = append(errs, err)
		}
	}
	if d.RunName == "" {
		bad("the script has no run name")
	}
	errs = append(errs, d.checkDirectives()...)
	for _, p := range []struct{ what, path string }{{"run folder", d.RunDir}, {"hpcbench binary", d.Binary}} {
		if !path.IsAbs(p.path) {
			bad("%s %q: give an absolute path, Slurm runs a copy of the script elsewhere", p.what, p.path)
		}
		if strings.ContainsFunc(p.path, unicode.IsControl) {
			bad("%s %q holds a control character", p.what, p.path)
		}
	}
	if !umaskForm.MatchString(d.Umask) {
		bad("umask %q: want three octal digits, such as 077", d.Umask)
	}
	for _, p := range d.Profile {
		if !path.IsAbs(p) || strings.ContainsFunc(p, unicode.IsControl) {
			bad("profile %q: want an absolute path on one line", p)
		}
	}
	for _, line := range d.Setup {
		if err := checkShellLine(line); err != nil {
			errs = append(errs, err)
		}
	}
	for _, n := range d.Need {
		if !program.MatchString(n) {
			bad("needed program %q: want a plain name", n)
		}
	}
	errs = append(errs, d.checkEnv()...)
	errs = append(errs, d.checkRepeats()...)
	errs = append(errs, d.checkServer()...)
	return errors.Join(errs...)
}

// checkShellLine wants a line that is whole by itself, so that it can't swallow
// what follows it.
func checkShellLine(line string) error {
	if strings.ContainsFunc(line, unicode.IsControl) {
		return fmt.Errorf("setup line %q holds a control character", line)
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "setup")
	if err != nil {
		return fmt.Errorf("setup line %q is no whole command: %w", line, err)
	}
	if len(file.Stmts) == 0 {
		return fmt.Errorf("setup line %q has no command", line)
	}
	heredoc := false
	syntax.Walk(file, func(n syntax.Node) bool {
		r, ok := n.(*syntax.Redirect)
		heredoc = heredoc || ok && (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc)
		return true
	})
	if heredoc {
		return fmt.Errorf("setup line %q begins a here-document, which would swallow the lines after it", line)
	}
	return nil
}

// checkComment wants text that stays inside one comment line.
func checkComment(what, s string) error {
	for i, r := range s {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return fmt.Errorf("%s %q can't stand in a comment: the character at byte %d doesn't print", what, s, i)
		}
	}
	return nil
}

func (d ScriptData) checkEnv() (errs []error) {
	for _, k := range d.Keep {
		if !varName.MatchString(strings.TrimSuffix(k, "*")) {
			errs = append(errs, fmt.Errorf("kept variable %q: a name has letters, digits and underscores only", k))
		}
	}
	seen := map[string]bool{}
	for _, e := range d.Exports {
		switch {
		case !varName.MatchString(e.Name):
			errs = append(errs, fmt.Errorf("variable %q: a name has letters, digits and underscores only", e.Name))
		case secretName.MatchString(e.Name):
			errs = append(errs, fmt.Errorf("variable %s looks like a secret: scripts can be read by others, keep it in a 0600 file", e.Name))
		case seen[e.Name]:
			errs = append(errs, fmt.Errorf("variable %s is set twice", e.Name))
		case slices.Contains(fixedVars, e.Name):
			errs = append(errs, fmt.Errorf("variable %s is set by every script and can't be changed", e.Name))
		case strings.ContainsRune(e.Value, 0):
			errs = append(errs, fmt.Errorf("the value of %s holds a NUL byte", e.Name))
		}
		seen[e.Name] = true
		if err := checkComment("the reason of "+e.Name, e.Reason); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (d ScriptData) checkRepeats() (errs []error) {
	switch d.Mode {
	case Array, Restart, Chain, Reuse:
	default:
		errs = append(errs, fmt.Errorf("repeat mode %q: want %s, %s, %s or %s", d.Mode, Array, Restart, Chain, Reuse))
	}
	if len(d.Repeats) == 0 {
		errs = append(errs, errors.New("the script has no repeats to run"))
	}
	for i, n := range d.Repeats {
		if n < 1 {
			errs = append(errs, fmt.Errorf("repeat %d: indices start at 1", n))
		}
		if slices.Contains(d.Repeats[:i], n) {
			errs = append(errs, fmt.Errorf("repeat %d is listed twice", n))
		}
	}
	return errs
}

func (d ScriptData) checkServer() (errs []error) {
	if len(d.Server) == 0 || d.Server[0] == "" {
		errs = append(errs, errors.New("the script has no server command"))
	}
	lists := [][]string{d.RepeatFlags, d.Container, d.Server}
	if d.Nodes != nil {
		lists = append(lists, d.Nodes.SrunFlags, d.Nodes.RankArgs, d.Nodes.WorkerArgs)
		if d.Nodes.Count < 2 {
			errs = append(errs, fmt.Errorf("a server on several nodes needs at least 2, not %d", d.Nodes.Count))
		}
		if d.Nodes.CPUsPerTask < 1 {
			errs = append(errs, fmt.Errorf("a server on several nodes needs the cores of a task, not %d", d.Nodes.CPUsPerTask))
		}
	}
	for _, list := range lists {
		for _, a := range list {
			if strings.ContainsRune(a, 0) {
				errs = append(errs, fmt.Errorf("argument %q holds a NUL byte", a))
			}
			if a == "--api-key" || strings.HasPrefix(a, "--api-key=") {
				errs = append(errs, errors.New("--api-key would be readable in ps and in the script: the key goes through the environment"))
			}
		}
	}
	return errs
}
