package templates

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"text/template"
	"unicode"
)

//go:embed session.sh.tmpl
var sessionText string

var sessionTemplate = template.Must(template.New("session.sh").Funcs(functions).Parse(sessionText))

// SessionData is what a script is made of that runs several runs' scripts by turns.
type SessionData struct {
	// Name, Version and Notes are for the comment at the top.
	Name, Version string
	Notes         []string
	// Directives, Requeue, SignalBeforeS and Umask are as in ScriptData.
	Directives    []Directive
	Requeue       bool
	SignalBeforeS int
	Umask         string
	// Self is the script's own absolute path.
	Self   string
	Sides  []Side
	Rounds []int // their numbers, each > 0: repeat N of every side
}

// Side is one run of a session: the absolute paths of its script and of the folder of its jobs' output.
type Side struct {
	Script, Logs string
}

type sessionView struct {
	SessionData
	Submit, SelfPath, List string
}

// Session is one bash 4.4 script that runs repeat 1 of all sides, then repeat 2, and
// so on; each round begins with the side that was second in the one before. The error
// names everything in the data that can't stand in a script.
func Session(d SessionData) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("session %q: %w", d.Name, err)
	}
	self, err := q(d.Self)
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", d.Name, err)
	}
	v := sessionView{SessionData: d, Submit: "sbatch", SelfPath: self}
	if len(d.Directives) == 0 {
		v.Submit = "bash"
	}
	var list []string
	for _, n := range d.Rounds {
		list = append(list, strconv.Itoa(n))
	}
	v.List = strings.Join(list, " ")
	var b bytes.Buffer
	if err := sessionTemplate.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("session %q: %w", d.Name, err)
	}
	return b.Bytes(), nil
}

func (d SessionData) check() error {
	errs := ScriptData{Directives: d.Directives, SignalBeforeS: d.SignalBeforeS}.checkDirectives()
	for _, text := range append([]string{d.Name, d.Version}, d.Notes...) {
		errs = append(errs, checkComment("comment", text))
	}
	if d.Name == "" {
		errs = append(errs, errors.New("it has no name"))
	}
	if !umaskForm.MatchString(d.Umask) {
		errs = append(errs, fmt.Errorf("umask %q: want three octal digits, such as 077", d.Umask))
	}
	paths := []string{d.Self}
	seen := map[string]bool{}
	for _, s := range d.Sides {
		paths = append(paths, s.Script, s.Logs)
		if seen[s.Script] {
			errs = append(errs, fmt.Errorf("two sides have the script %s", s.Script))
		}
		seen[s.Script] = true
	}
	for _, p := range paths {
		if !path.IsAbs(p) || strings.ContainsFunc(p, unicode.IsControl) {
			errs = append(errs, fmt.Errorf("path %q: give an absolute path on one line", p))
		}
	}
	if len(d.Sides) < 2 {
		errs = append(errs, errors.New("it has fewer than two sides"))
	}
	errs = append(errs, ScriptData{Mode: Restart, Repeats: d.Rounds}.checkRepeats()...)
	return errors.Join(errs...)
}
