// Package compare puts a run beside another run or a published table and says,
// with its reason, whether anything changed.
//
// Two runs are compared by Welch's t test on the logarithms of the repeats'
// figures, paired where both had the same schedules; Holm's correction goes
// over all rows that decide. A difference counts when it is both significant
// and at least the metric's tolerance, which is fixed: noise is in the p value
// already. "No change" is said only where the whole 95 % interval lies within
// the tolerance; what is neither is inconclusive, with the smallest difference
// that could have been found.
//
// A published mean without its spread borrows ours (the assumption is printed).
// Where conditions differ that matter there is a ratio and no verdict.
package compare
