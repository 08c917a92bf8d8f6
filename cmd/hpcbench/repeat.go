package main

import (
	"errors"

	"hpcbench/jobs/node"
	"hpcbench/results"
)

type repeatCmd struct {
	Repeats []int  `arg:"" name:"repeat" help:"Indices of the repeats to run; after -- the server's command line, with {port} and {nonce} in it."`
	RunDir  string `name:"run" required:"" help:"Run folder." placeholder:"DIR" type:"path"`
}

// Run starts the server, waits until it is ready and ours, loads it, and ends it.
func (c repeatCmd) Run(a *app) error {
	err := node.Repeat(a.ctx, node.Options{
		Run: results.RunDir(c.RunDir), Repeats: c.Repeats, Argv: a.tail, ToolVersion: version,
		Abort: a.signals.hold(), Log: a.stderr,
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, node.ErrInterrupted):
		return codeError{codeInterrupted, err}
	case errors.Is(err, node.ErrServer):
		return failed(err)
	case errors.Is(err, node.ErrInvalid):
		return codeError{codeInvalid, err}
	}
	return failed(err)
}
