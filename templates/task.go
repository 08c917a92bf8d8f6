package templates

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"
	"text/template"
	"unicode"
)

//go:embed task.sh.tmpl
var taskText string

var taskTemplate = template.Must(template.Must(template.New("task.sh").Funcs(functions).Parse(environmentText)).Parse(taskText))

// TaskData is what a script is made of that runs one command in the environment
// that a run of the same site has, such as a look at a compute node.
type TaskData struct {
	// ScriptData gives RunName and Version, Directives, and the environment: Profile, Setup, Need, Keep and Exports.
	// Its other fields are not used.
	ScriptData
	// What says in a comment what the task is.
	What string
	// Dir is the absolute folder that it runs in.
	Dir string
	// Command is the program and its arguments.
	Command []string
}

// taskView adds the lines that need arithmetic.
type taskView struct {
	TaskData
	KeepLines, Lines []string
}

// Task is one bash 4.4 script for a small job of our own. The error names everything
// in the data that can't stand in a script.
func Task(d TaskData) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("script of %q: %w", d.RunName, err)
	}
	if len(d.Profile) == 0 {
		d.Profile = []string{"/etc/profile"}
	}
	v := taskView{TaskData: d, KeepLines: d.keepLines()}
	for _, arg := range d.Command {
		quoted, err := q(arg)
		if err != nil {
			return nil, fmt.Errorf("script of %q: %w", d.RunName, err)
		}
		v.Lines = append(v.Lines, quoted)
	}
	var b bytes.Buffer
	if err := taskTemplate.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("script of %q: %w", d.RunName, err)
	}
	return b.Bytes(), nil
}

func (d TaskData) check() error {
	d.SignalBeforeS = 1 // a task has none, and the check of directives wants one
	errs := d.checkDirectives()
	for _, text := range []string{d.RunName, d.Version, d.What} {
		errs = append(errs, checkComment("comment", text))
	}
	for _, p := range append([]string{d.Dir}, d.Profile...) {
		if !path.IsAbs(p) || strings.ContainsFunc(p, unicode.IsControl) {
			errs = append(errs, fmt.Errorf("path %q: give an absolute path on one line", p))
		}
	}
	for _, line := range d.Setup {
		errs = append(errs, checkShellLine(line))
	}
	for _, n := range d.Need {
		if !program.MatchString(n) {
			errs = append(errs, fmt.Errorf("needed program %q: want a plain name", n))
		}
	}
	errs = append(errs, d.checkEnv()...)
	if len(d.Command) == 0 {
		errs = append(errs, errors.New("there is no command"))
	}
	return errors.Join(errs...)
}
