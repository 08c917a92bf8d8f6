package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"
)

// Level says how bad a finding is.
type Level string

// Levels, from good to bad; a claim is what could not be looked at.
const (
	OK      Level = "ok"
	Claim   Level = "claim"
	Warning Level = "warning"
	Error   Level = "error"
)

// Finding is one checked thing.
type Finding struct {
	Name   string `json:"name"` // of the check; several findings may have one name
	Level  Level  `json:"level"`
	Words  string `json:"words"`
	Remedy string `json:"remedy,omitempty"`
	// settles are keys of the profile's unconfirmed statements that this finding answers.
	settles []string
}

func (f Finding) String() string {
	if f.Remedy == "" {
		return f.Name + ": " + f.Words
	}
	return fmt.Sprintf("%s: %s; %s", f.Name, f.Words, f.Remedy)
}

// report collects the findings of one check under its name.
type report struct {
	name  string
	found []Finding
}

func (r *report) add(level Level, remedy, format string, args ...any) *Finding {
	r.found = append(r.found, Finding{Name: r.name, Level: level, Words: fmt.Sprintf(format, args...), Remedy: remedy})
	return &r.found[len(r.found)-1]
}

func (r *report) ok(format string, args ...any) *Finding { return r.add(OK, "", format, args...) }

func (r *report) warn(remedy, format string, args ...any) *Finding {
	return r.add(Warning, remedy, format, args...)
}

func (r *report) fail(remedy, format string, args ...any) *Finding {
	return r.add(Error, remedy, format, args...)
}

// settled marks keys of the profile as looked at.
func (f *Finding) settled(keys ...string) { f.settles = append(f.settles, keys...) }

// Errors joins the findings of level error, everything at once; nil where there is none.
func Errors(findings []Finding) error {
	var all *multierror.Error
	for _, f := range findings {
		if f.Level == Error {
			all = multierror.Append(all, errors.New(f.String()))
		}
	}
	if all == nil {
		return nil
	}
	if len(all.Errors) == 1 {
		return all.Errors[0]
	}
	all.ErrorFormat = func(es []error) string {
		text := fmt.Sprintf("%d things are wrong:", len(es))
		for _, e := range es {
			text += "\n  - " + e.Error()
		}
		return text
	}
	return all
}

// Count says how many findings have a level.
func Count(findings []Finding, level Level) int {
	n := 0
	for _, f := range findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// some lists at most five names.
func some(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return "none"
	}
	if len(names) > 5 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), len(names)-5)
	}
	return strings.Join(names, ", ")
}
