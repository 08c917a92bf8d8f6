package local

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// adoptOrphans makes this process the parent of every descendant that loses its
// own.
func adoptOrphans() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// cpus is the number of processors that a job gets: all that this process may
// use.
func cpus() int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err == nil {
		return set.Count()
	}
	return runtime.NumCPU()
}
