package main

import (
	"hpcbench/collect/read"
	"hpcbench/collect/report"
	"hpcbench/jobs"
)

// collect reads a run and prints its tables.
func (a *app) collect(e jobs.Entry) error {
	run, err := read.Open(string(e.Dir), read.Options{})
	if err != nil {
		return failed(err)
	}
	return report.New(run).Terminal(a.stdout, isTerminal(a.stdout))
}
