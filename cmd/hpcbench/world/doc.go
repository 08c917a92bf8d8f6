// Package world is what the tests of the command line share where they need the
// test Slurm: the static binary as a user has it, the doubles of the container
// runtimes, and a user on a login node. Its code needs one of the tags cluster,
// fault and engine, and is never part of the program.
package world
