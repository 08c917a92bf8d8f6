// Package clock says when received bytes arrived, on the monotonic clock of an
// attempt. Every instant is a count of nanoseconds since the attempt's epoch.
//
// A program that reads the clock after read returned measures its own lateness
// too: an engine emits a step's tokens for all streams at once, so with N
// streams the last one is N reads late. Linux can say when a segment really
// arrived (SO_TIMESTAMPING, software receive time); Receiver reads it together
// with the bytes. That time is wall clock, so a Converter moves it onto the
// monotonic clock by an offset sampled often, and notices when the wall clock
// is stepped. Prove tests on this machine, before anything is measured, that
// the kernel's stamps can be believed; where they can't, or on another
// operating system, the process's own clock is used and every Stamp says so.
//
// A stamp belongs to the last byte of what a read returned. Where the kernel
// merged two segments the earlier bytes are known only to have arrived in an
// interval, so a Stamp carries both ends of it.
package clock
