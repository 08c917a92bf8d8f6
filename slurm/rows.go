package slurm

import (
	"errors"
	"fmt"
	"strings"
)

// fieldSep stands between the fields of a row. It cannot be typed by accident
// in a job's name, a path or a reason.
const fieldSep = "\x1f"

// rows cuts an answer into lines of fields and hands each to read. A line that
// isn't understood doesn't hide the others: it is in the error, the rest is
// still read.
func rows(tool, stdout string, fields int, read func([]string) error) error {
	var errs []error
	for _, line := range strings.Split(stdout, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		f := strings.Split(line, fieldSep)
		if len(f) != fields {
			errs = append(errs, fmt.Errorf("%s: line with %d fields, expected %d: %.200q", tool, len(f), fields, line))
			continue
		}
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		if err := read(f); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w in line %.200q", tool, err, line))
		}
	}
	return errors.Join(errs...)
}

// idList joins ids for a tool's --jobs option: the whole jobs, each once.
func idList(ids []JobID) string {
	seen := map[uint64]bool{}
	var list []string
	for _, id := range ids {
		if id.Job != 0 && !seen[id.Job] {
			seen[id.Job] = true
			list = append(list, id.Base().String())
		}
	}
	return strings.Join(list, ",")
}
