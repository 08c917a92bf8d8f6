package check

import (
	"errors"

	"github.com/hashicorp/go-multierror"

	"hpcbench/sites"
)

// settings says what the user must still set.
func settings(s Subject) []Finding {
	r := &report{name: "settings"}
	for _, m := range sites.Missing(s.Site) {
		r.fail("", "%s", m.Error())
	}
	if s.Site.Account != "" {
		if err := s.Site.CheckAccount(); err != nil {
			r.fail("", "%v (from %s)", err, s.Origins.Of("account"))
		}
	}
	if len(r.found) == 0 {
		r.ok("everything that site %s needs is set", s.Site.Name)
	}
	return r.found
}

// Request makes findings of what resolving a run says: each of its errors, and its warnings.
func Request(err error, warnings []string) []Finding {
	r := &report{name: "request"}
	var many *multierror.Error
	switch {
	case errors.As(err, &many):
		for _, e := range many.Errors {
			r.fail("", "%v", e)
		}
	case err != nil:
		r.fail("", "%v", err)
	}
	for _, w := range warnings {
		r.warn("", "%s", w)
	}
	if len(r.found) == 0 {
		r.ok("site, model, GPUs and plan fit together")
	}
	return r.found
}
