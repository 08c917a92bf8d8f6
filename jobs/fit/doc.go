// Package fit does the arithmetic of jobs: how long one takes (Walltime), which
// repeats share one (Group) and what they cost. It is pure; limits come in as
// numbers, and every refusal carries its sum so that a user can check it.
package fit
