package slurm

import (
	"regexp"
	"strings"
)

// keyAt finds where scontrol --oneliner begins a field: a name that begins with
// a capital and has letters, digits, slashes and colons, then an equals sign.
var keyAt = regexp.MustCompile(`(?:^| )([A-Z][A-Za-z0-9/:._-]*)=`)

// keyValues reads one line of scontrol show … --oneliner. Values may have
// spaces; a value that itself has " Key=" in it can't be told from a field, so
// of two fields with one name the first counts.
func keyValues(line string) map[string]string {
	kv := map[string]string{}
	at := keyAt.FindAllStringSubmatchIndex(line, -1)
	for i, m := range at {
		end := len(line)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		key, value := line[m[2]:m[3]], strings.TrimSpace(line[m[1]:end])
		if _, seen := kv[key]; !seen {
			kv[key] = null(value)
		}
	}
	return kv
}
