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

//go:embed pairs.sh.tmpl
var pairsText string

var pairsTemplate = template.Must(template.New("pairs.sh").Funcs(template.FuncMap{"q": q}).Parse(pairsText))

// PairsData is what a script is made of that runs two scripts by turns in one job.
type PairsData struct {
	// RunName, Version and Notes are for the comment at the top.
	RunName, Version string
	Notes            []string
	// Directives, Requeue and SignalBeforeS are as in ScriptData.
	Directives    []Directive
	Requeue       bool
	SignalBeforeS int
	// Baseline and Candidate are the absolute paths of the two sides' scripts, and Self is this one's own.
	Baseline, Candidate, Self string
	// Pairs are the numbers of the pairs, each > 0: repeat N of both sides.
	Pairs []int
}

// pairsView adds what the template can't make itself.
type pairsView struct {
	PairsData
	Submit, SelfPath, List string
}

// Pairs is one bash 4.4 script that runs repeat 1 of the baseline and of the
// candidate, then repeat 2 of the candidate and of the baseline, and so on. Each side
// sets up its environment itself, so that the two can't lean on each other. The error
// names everything in the data that can't stand in a script.
func Pairs(d PairsData) ([]byte, error) {
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("pairs of run %q: %w", d.RunName, err)
	}
	self, err := q(d.Self)
	if err != nil {
		return nil, fmt.Errorf("pairs of run %q: %w", d.RunName, err)
	}
	v := pairsView{PairsData: d, Submit: "sbatch", SelfPath: self}
	if len(d.Directives) == 0 {
		v.Submit = "bash"
	}
	var list []string
	for _, n := range d.Pairs {
		list = append(list, strconv.Itoa(n))
	}
	v.List = strings.Join(list, " ")
	var b bytes.Buffer
	if err := pairsTemplate.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("pairs of run %q: %w", d.RunName, err)
	}
	return b.Bytes(), nil
}

func (d PairsData) check() error {
	errs := ScriptData{Directives: d.Directives, SignalBeforeS: d.SignalBeforeS}.checkDirectives()
	for _, text := range append([]string{d.RunName, d.Version}, d.Notes...) {
		errs = append(errs, checkComment("comment", text))
	}
	if d.RunName == "" {
		errs = append(errs, errors.New("the script has no run name"))
	}
	for _, p := range []struct{ what, path string }{{"baseline's script", d.Baseline}, {"candidate's script", d.Candidate}, {"own path", d.Self}} {
		if !path.IsAbs(p.path) || strings.ContainsFunc(p.path, unicode.IsControl) {
			errs = append(errs, fmt.Errorf("%s %q: give an absolute path on one line", p.what, p.path))
		}
	}
	if d.Baseline == d.Candidate {
		errs = append(errs, errors.New("both sides have the same script"))
	}
	errs = append(errs, ScriptData{Mode: Restart, Repeats: d.Pairs}.checkRepeats()...)
	return errors.Join(errs...)
}
