package main

import (
	"github.com/alecthomas/kong"
	"github.com/willabides/kongplete"
)

// groups are the headings of the help.
var groups = []kong.Group{
	{Key: "run", Title: "Run"},
	{Key: "read", Title: "Read"},
	{Key: "decide", Title: "Decide"},
	{Key: "know", Title: "Know"},
	{Key: "job", Title: "Inside a job"},
	{Key: "self", Title: "hpcbench itself"},
}

// cli is every verb, in the order of the help.
type cli struct {
	Version    versionCmd                   `cmd:"" group:"self" help:"Print the version."`
	Completion kongplete.InstallCompletions `cmd:"" group:"self" help:"Print what makes the shell complete names."`
}

// completions give names from folders only, never from Slurm.
func completions() []kongplete.Option {
	return nil
}
