package check

import (
	"context"

	"hpcbench/sites"
	"hpcbench/slurm"
)

// Doctor puts every check and answers all findings, whatever the first ones say. c is
// not asked where the site has no Slurm, and may be nil then.
func Doctor(ctx context.Context, c *slurm.Client, s Subject) []Finding {
	found := settings(s)
	found = append(found, here(s)...)
	if s.Site.Scheduler == sites.Slurm {
		f := Ask(ctx, c, s)
		found = append(found, tools(s, f)...)
		if f.version.err == nil && f.config.err == nil {
			for _, check := range []func(Subject, Facts) []Finding{partition, account, limits, reservation, nodes} {
				found = append(found, check(s, f)...)
			}
		}
	}
	for _, check := range []func(Subject) []Finding{folders, space, runtimeProgram, binds, image, release, simulated, model} {
		found = append(found, check(s)...)
	}
	return found
}

// Claims are the statements of the profile that found leaves open.
func Claims(s Subject, found []Finding) []Finding { return claims(s, found) }
