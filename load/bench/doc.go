//go:build linux

// Package bench measures the whole load generator, from drawing a schedule to
// the records on disk: a stub server, which writes down the true instants, on
// one core, and a load on another. What the wire alone costs, and a bare drain
// to compare with, is measured by package wirebench in the same minute.
//
// A program that wants to measure calls Run. It starts copies of the running
// executable for the two roles, so its main function, or TestMain, must call
// Main first.
package bench
