package node

import (
	"path/filepath"

	"hpcbench/results"
)

// besides are the runs that take turns with this one in its jobs.
func (r *runner) besides() []results.RunDir {
	var others []results.RunDir
	if dir := r.spec.Grouping.Beside; dir != "" {
		others = append(others, results.RunDir(dir))
	}
	if s := r.spec.Session; s != nil && s.OneJob {
		for _, name := range s.Runs {
			if name != r.spec.Name {
				others = append(others, results.RunDir(filepath.Join(filepath.Dir(string(r.Run)), name)))
			}
		}
	}
	return others
}
