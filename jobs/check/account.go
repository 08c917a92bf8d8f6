package check

import (
	"errors"
	"slices"
	"strings"

	"hpcbench/slurm"
)

// account checks that the user may charge the account on the partition.
func account(s Subject, f Facts) []Finding {
	r := &report{name: "account"}
	if s.Site.Account == "" {
		return nil // settings says it
	}
	p, listed := f.partition(s.Site.Partition)
	if listed && !p.Allows(s.Site.Account) {
		r.fail("take an account that it allows, or another --partition", "partition %s doesn't take jobs of account %s; it takes %s", p.Name, s.Site.Account, some(p.AllowAccounts))
	}
	switch err := f.associations.err; {
	case errors.Is(err, slurm.ErrNoAccounting):
		r.ok("this cluster keeps no list of who may charge what")
		return r.found
	case err != nil:
		r.warn("try again later; sbatch itself refuses an account that isn't valid", "whether %s may charge account %s could not be asked: %v", s.Who.User, s.Site.Account, err)
		return r.found
	}
	if enforce, stated := f.config.is.Fields["AccountingStorageEnforce"]; stated && (enforce == "" || enforce == "0") {
		r.ok("this cluster doesn't hold jobs to accounts, so any is taken")
		return r.found
	}
	mine := f.of(s.Site.Account)
	if len(mine) == 0 {
		var others []string
		for _, a := range f.associations.is {
			others = append(others, a.Account)
		}
		r.fail("set `account` to one of yours, or ask the project's leader to add you", "%s may not charge account %s; Slurm lists for you: %s", s.Who.User, s.Site.Account, some(others))
		return r.found
	}
	var here []slurm.Association
	for _, a := range mine {
		if a.Partition == "" || a.Partition == s.Site.Partition {
			here = append(here, a)
		}
	}
	if len(here) == 0 {
		var parts []string
		for _, a := range mine {
			parts = append(parts, a.Partition)
		}
		r.fail("take one of those with --partition, or ask for access", "%s may charge account %s on %s only, not on partition %s", s.Who.User, s.Site.Account, some(parts), s.Site.Partition)
		return r.found
	}
	if q := s.Site.QOS; q != "" && !slices.ContainsFunc(here, func(a slurm.Association) bool { return len(a.QOS) == 0 || slices.Contains(a.QOS, q) }) {
		var all []string
		for _, a := range here {
			all = append(all, a.QOS...)
		}
		r.fail("leave `qos` out, or take one of those", "account %s has no QOS %s; it has %s", s.Site.Account, q, some(all))
	}
	if q := s.Site.QOS; q != "" && listed && p.AllowQOS != nil && !slices.ContainsFunc(p.AllowQOS, func(a string) bool { return strings.EqualFold(a, q) }) {
		r.fail("leave `qos` out, or take one of those", "partition %s doesn't take QOS %s; it takes %s", p.Name, q, some(p.AllowQOS))
	}
	if len(r.found) == 0 {
		r.ok("%s may charge account %s on partition %s", s.Who.User, s.Site.Account, s.Site.Partition).settled("account_pattern")
	}
	return r.found
}
