package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hpcbench/sites"
)

// claims lists what the profile says and nobody has confirmed, less what the other
// findings have answered. Statements about other partitions than the one asked for are
// left out.
func claims(s Subject, found []Finding) []Finding {
	r := &report{name: "claim"}
	settled := map[string]bool{}
	for _, f := range found {
		for _, key := range f.settles {
			settled[key] = true
		}
	}
	values := map[string]string{}
	for _, row := range sites.Rows(s.Site, s.Origins) {
		values[row.Key] = row.Value
	}
	for _, key := range slices.Sorted(maps.Keys(s.Site.Unconfirmed)) {
		if rest, of := strings.CutPrefix(key, "partitions."); of && !strings.HasPrefix(rest, s.Site.Partition+".") {
			continue
		}
		if settled[key] {
			continue
		}
		r.add(Claim, "", "%s: %s", claimed(key, values), s.Site.Unconfirmed[key])
	}
	network := "compute nodes reach the internet"
	if s.Site.Offline {
		network = "compute nodes don't reach the internet"
	}
	if _, stated := s.Site.Unconfirmed["offline"]; !stated && !settled["offline"] && s.Site.Scheduler == sites.Slurm {
		r.add(Claim, "", "%s, says the profile", network)
	}
	if len(r.found) > 0 {
		r.found[len(r.found)-1].Remedy = "what only a compute node knows, `hpcbench doctor --probe` looks at with a job of a minute"
	}
	return r.found
}

// claimed is a key with its value, if it has one of its own.
func claimed(key string, values map[string]string) string {
	if v, ok := values[key]; ok && v != "" {
		return fmt.Sprintf("%s = %s", key, v)
	}
	for k, v := range values {
		if rest, below := strings.CutPrefix(k, key+"."); below && (rest == "value" || rest == "from") {
			return fmt.Sprintf("%s = %s", key, v)
		}
	}
	return key
}
