// Package load is the load generator: a plan and an endpoint in, an attempt's
// records, telemetry and summary out. It knows nothing of Slurm; of the engine
// it knows what an OpenAI-compatible server answers.
//
// The supervisor of a repeat (jobs/node) and the verb `hpcbench load` call
//
//	file, err := load.NewAttemptFile(dir, mode, attempt)   // attempt.json, shared with the caller
//	sum, err := load.Run(ctx, load.Config{Endpoint: …, Plan: …, Dir: dir, Attempt: file, …})
//
// and get the summary that collect makes again from the files. When ctx ends
// (SIGTERM) nothing more is sent, open requests get Config.Grace, and the
// summary is marked interrupted; when Config.Abort closes (a second signal)
// they are given up at once. DryRun says what a plan would do.
//
// All plan kinds are steps (package plans) and a step is one of two loops: an
// open one, which sends at instants that were drawn beforehand, or a closed
// one, which holds streams. What is sent comes from package prompt; it goes
// out over a wire (package wire) whose bytes package sse cuts into events and
// package chunk into facts; answer.go turns those into one record. Records and
// samples go to append-only logs (package record), so that a killed attempt has
// everything that had ended.
//
// What is measured is stamped as the bytes arrive, before they are parsed;
// building a request, opening connections and counting tokens happen before
// their time. A request ends in exactly one outcome, and what only looks like a
// good answer (an abort or an error inside a 200, a refusal inside a 200, an
// answer without tokens) isn't one.
package load
