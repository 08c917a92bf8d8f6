//go:build linux

// Package wirebench measures what receiving costs and how exact it is. A server
// process on one core writes events that carry the instant of their write; a
// client process on another core receives them, with the raw wire and all that
// the load generator does with an event, or with a bare drain that reads and
// throws away. Absolute figures hold for one machine only, so the drain is
// measured in the same minute and costs are given as ratios to it.
//
// A program that wants to measure calls Run. It starts copies of the running
// executable for the two roles, so its main function, or TestMain, must call
// Main first.
package wirebench
