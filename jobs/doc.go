// Package jobs turns a spec into Slurm jobs and follows them: submit, status,
// wait, cancel and resume over a Scheduler, with a ledger of what was sent. It
// never judges numbers and never imports collect.
//
// The rooms below it: resolve (request to spec, all errors at once), fit
// (walltime, grouping, cost), check (doctor and prepare), node (inside the
// job), suite (the nightly's state machine).
package jobs
