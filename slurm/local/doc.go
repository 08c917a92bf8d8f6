// Package local gives Slurm's answers from local processes, for a machine
// without Slurm: the same script, started the same way, with the environment that
// Slurm would give it, and states in Slurm's words.
//
// A job is a folder of the state folder. Submit starts a supervisor (the
// caller's own program, told the folder) in a session of its own, so that it outlives
// the submitter. The supervisor runs the script, array elements one after the
// other, enforces the time limit as Slurm does (TERM to the batch shell, then KILL to
// everything) and writes job.json, which any other process may read.
package local
