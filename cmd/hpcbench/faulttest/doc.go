// Package faulttest puts faults into runs of the product on the project's real
// test Slurm, and checks what must be true after each: nothing that was measured is
// lost, the state shown is right, no process is left on the node, and resume
// completes the run. It has tests only, which need the tag fault; those that take
// minutes need the tag full as well.
//
// What was seen is written down as docs/faults.md, and compared with it: a row that
// changed fails the tests until they are run with -update-faults.
package faulttest
