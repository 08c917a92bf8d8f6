package plans

import (
	"errors"
	"strings"

	"github.com/hashicorp/go-multierror"

	"hpcbench/results"
	"hpcbench/sites/conf"
)

// Check is Plan.Check with the place of each mistake: the line of the field, or
// of the part that it is missing from. conf.Problems takes the error apart.
func Check(p results.Plan, origins *conf.Origins) error {
	var many *multierror.Error
	if err := p.Check(); !errors.As(err, &many) {
		return err
	}
	var errs []error
	for _, e := range many.Errors {
		field, words, ok := strings.Cut(e.Error(), ": ")
		if !ok {
			errs = append(errs, e)
			continue
		}
		at := place(field, origins)
		errs = append(errs, conf.Problem{Source: at.Source, Line: at.Line, Key: field, Text: words})
	}
	return conf.Join(errs...)
}

// place finds where a field stands: without its index, and where nobody set it
// the nearest thing around it, at last the kind, which every plan has.
func place(field string, origins *conf.Origins) conf.Origin {
	name, _, _ := strings.Cut(field, "[")
	path := strings.Split(name, ".")
	for n := len(path); n > 0; n-- {
		if at := origins.First(path[:n]...); at.Source != "" && at.Source != defaultsSource {
			return at
		}
	}
	return origins.Of("kind")
}
