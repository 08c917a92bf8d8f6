package conf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"
)

// Problem is one thing that is wrong in one layer.
type Problem struct {
	Source string // the file, variable or flag
	Line   int    // 0 where there are no lines
	Key    string // as PathString writes it; empty for a whole file
	Text   string // what is wrong and what to do, in words
}

// Error gives file, line, key and words on one line.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Source)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key)
		b.WriteString(": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Problems lists the problems inside an error of Load.
func Problems(err error) []Problem {
	var many *multierror.Error
	if !errors.As(err, &many) {
		return nil
	}
	var found []Problem
	for _, e := range many.Errors {
		var p Problem
		if errors.As(e, &p) {
			found = append(found, p)
		}
	}
	return found
}

// Join makes one error of several, printed one a line; nil when there are none.
func Join(errs ...error) error {
	var many *multierror.Error
	for _, e := range errs {
		if e != nil {
			many = multierror.Append(many, e)
		}
	}
	if many == nil {
		return nil
	}
	many.ErrorFormat = func(list []error) string {
		lines := make([]string, len(list))
		for i, e := range list {
			lines[i] = e.Error()
		}
		return strings.Join(lines, "\n")
	}
	return many
}

// joinProblems keeps the order of the layers and, within one, of the lines.
func joinProblems(found []Problem) error {
	slices.SortStableFunc(found, func(a, b Problem) int {
		if a.Source != b.Source {
			return 0
		}
		return a.Line - b.Line
	})
	errs := make([]error, len(found))
	for i, p := range found {
		errs[i] = p
	}
	return Join(errs...)
}
