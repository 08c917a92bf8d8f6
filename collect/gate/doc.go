// Package gate is the rule of a nightly: it goes red only when something really
// got slower. It is pure; the state machine that submits jobs asks it what to do
// next and hands it figures.
//
// A night is judged in two parts. Screen compares tonight's repeats with the
// last good nights and with a pinned baseline; what looks slower is a suspect,
// for whom nothing but noise between nights may be to blame. Confirm runs the
// frozen baseline and the candidate in pairs within one job on one node, with
// the same schedule in both, and decides: red, green, inconclusive, or machine
// changed (slower than history, but the frozen baseline is so as well).
//
// Everything is on a log scale and one-sided: "worse" is slower for latencies
// and less for throughput. Rates of false alarms and of found regressions are
// in Simulate, which the A/A command runs with a site's own noise.
package gate
