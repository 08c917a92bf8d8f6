package main

import "hpcbench/slurm/local"

type localJobCmd struct {
	Dir string `arg:"" name:"dir" help:"Folder of the job."`
}

// Run is the supervisor of a job on a site without Slurm; submit starts it.
func (c localJobCmd) Run(a *app) error {
	a.signals.hold() // a second TERM must not leave the script without its supervisor
	return local.Supervise(a.ctx, c.Dir)
}
