// Package slurmtest runs a real Slurm on one small machine, for tests: munge,
// MariaDB, slurmdbd, slurmctld and four virtual nodes, two that look like LUMI's and
// two that look like Karolina's, with GPUs that don't exist. A job asks for the
// same partition, account, GPU count and time as on the real machines, and the
// controller accepts or refuses it for the same reasons.
//
// Everything lives in one directory and on ports of its own, so it disappears
// as a unit and disturbs no other Slurm, munge or MariaDB. It needs root and
// Debian's Slurm packages (see Missing), but no systemd. The package is never
// part of the hpcbench binary.
//
// What differs from a real machine: there is no cgroup, so Slurm signals and
// ends whole process trees (proctrack/linuxproc). TermThenKill does what a
// machine with proctrack/cgroup does instead.
package slurmtest
