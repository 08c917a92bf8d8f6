//go:build !linux

package local

import "runtime"

// adoptOrphans does nothing: only Linux has it. What leaves the script's
// process group is then out of reach.
func adoptOrphans() error { return nil }

func cpus() int { return runtime.NumCPU() }
