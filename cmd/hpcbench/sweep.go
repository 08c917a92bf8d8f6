package main

import (
	"hpcbench/jobs/node"
	"hpcbench/results"
)

// sweepCmd is what the script calls after a repeat that was killed.
type sweepCmd struct {
	Repeats []int  `arg:"" name:"repeat" help:"Indices of the repeats that were killed."`
	RunDir  string `name:"run" required:"" help:"Run folder." placeholder:"DIR" type:"path"`
}

// Run ends the server that a killed repeat of this job left.
func (c sweepCmd) Run(a *app) error {
	err := node.Sweep(a.ctx, node.Options{Run: results.RunDir(c.RunDir), Repeats: c.Repeats, ToolVersion: version, Log: a.stderr})
	if err != nil {
		return failed(err)
	}
	return nil
}
