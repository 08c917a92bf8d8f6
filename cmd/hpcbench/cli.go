package main

import "github.com/alecthomas/kong"

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
	Submit submitCmd `cmd:"" group:"run" help:"Submit a benchmark."`
	Render renderCmd `cmd:"" group:"run" help:"Print the script and submit nothing."`
	Status statusCmd `cmd:"" group:"run" help:"Show runs and their repeats."`
	Logs   logsCmd   `cmd:"" group:"run" help:"Print a run's output, or its server's log."`
	Wait   waitCmd   `cmd:"" group:"run" help:"Wait until runs are over."`
	Cancel cancelCmd `cmd:"" group:"run" help:"Cancel a run's own jobs."`
	Resume resumeCmd `cmd:"" group:"run" help:"Submit the repeats that are missing."`

	Collect collectCmd `cmd:"" group:"read" help:"Average a run's repeats and print the tables."`
	Compare compareCmd `cmd:"" group:"read" help:"Say whether a run differs from another, or from a published table."`
	Report  reportCmd  `cmd:"" group:"read" help:"Write one HTML page that needs nothing else."`
	History historyCmd `cmd:"" group:"read" help:"List runs over time, or show how one figure moved."`
	Export  exportCmd  `cmd:"" group:"read" help:"Write a run in another tool's format."`
	Import  importCmd  `cmd:"" group:"read" help:"Read files of another tool as a run."`

	Reproduce reproduceCmd `cmd:"" group:"decide" help:"Measure a published table again and lay the figures side by side."`
	Nightly   nightlyCmd   `cmd:"" group:"decide" help:"Run a suite and say whether something got slower."`
	Baseline  baselineCmd  `cmd:"" group:"decide" help:"Runs that others are judged by."`
	AA        aaCmd        `cmd:"" group:"decide" name:"aa" help:"Say what figures vary by when nothing changed, and how often the gate would be wrong."`

	Sites      sitesCmd      `cmd:"" group:"know" help:"Machines."`
	Models     modelsCmd     `cmd:"" group:"know" help:"Models of the catalogue."`
	Plans      plansCmd      `cmd:"" group:"know" help:"Loads that can be applied."`
	References referencesCmd `cmd:"" group:"know" help:"Published tables to compare with."`
	Doctor     doctorCmd     `cmd:"" group:"know" help:"Say everything that is wrong with a site, before a job finds out."`
	Prepare    prepareCmd    `cmd:"" group:"know" help:"Fetch image and weights into the caches, and learn what is in the image."`

	Load     loadCmd     `cmd:"" group:"job" help:"Load a server that is there, from here: a URL."`
	Repeat   repeatCmd   `cmd:"" group:"job" help:"Start the server, load it, end it: one repeat."`
	Sweep    sweepCmd    `cmd:"" hidden:"" help:"End what a killed repeat of this job left."`
	Ready    readyCmd    `cmd:"" group:"job" help:"Wait until a server is ready."`
	Stub     stubCmd     `cmd:"" group:"job" help:"Serve as a simulated engine of known behaviour."`
	Probe    probeCmd    `cmd:"" hidden:"" help:"Look at this compute node for doctor."`
	LocalJob localJobCmd `cmd:"" hidden:"" name:"local-job" help:"Supervise a job of a site without Slurm."`

	Version    versionCmd    `cmd:"" group:"self" help:"Print the version."`
	Completion completionCmd `cmd:"" group:"self" help:"Print what makes the shell complete names."`
}
