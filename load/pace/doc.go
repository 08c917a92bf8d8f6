// Package pace says when the requests of an open loop are due, and waits for
// those instants.
//
// The first half is pure: a Pacer answers the offset of each arrival from the
// start of its step, as a function of the arrival's number and the one before.
// Arrivals are absolute, so a late request never delays the ones behind it and
// no rate is lost by adding up sleeps. Draw makes a whole schedule of it, and
// Digest names that schedule: plans with the same seed have the same digest on
// every machine, since the random gaps are made by integer and strictly rounded
// arithmetic only.
//
// The second half is Waiter, which has the clock. Go's own timers are driven by
// epoll, whose time-outs have whole milliseconds; the waiter sleeps on the
// kernel's absolute clock instead.
package pace
