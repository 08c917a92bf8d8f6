// Package results is the contract between the rooms of hpcbench: the type and
// the version of every file, the folder layout, the plan kinds with their
// arithmetic, and the references as data. It imports nothing of ours, so that
// whoever wants to read a run needs this package only.
//
// A run is a folder. What lies in it, and who writes it:
//
//	<runs_dir>/<run>/
//	  run.json               Spec, written once by submit; nothing is looked up after it
//	  script.sh              rendered from run.json alone
//	  pairs.sh               where two runs alternate in one job: runs both scripts by turns; in the candidate's folder
//	  bin/hpcbench           the binary the job uses, kept by digest
//	  jobs.jsonl             LedgerEntry, append-only: what was submitted, cancelled, resumed
//	  steps.json             FrozenSteps: steps that a plan chose while running, by the first repeat
//	  logs/                  standard output of the jobs
//	  repeat-1/attempt-0/
//	    attempt.json         Attempt: identity and provenance, replaced whole
//	    progress.json        Progress: what the attempt does now, replaced whole
//	    server.log           the engine's own words
//	    records.jsonl        Record, one line a request, append-only
//	    telemetry.jsonl      Sample, one line a sample, append-only
//	    summary.json         Summary, one entry a step; computed from the three above, always to the same bytes
//
// Instants inside an attempt are whole microseconds on the monotonic clock
// since the attempt's epoch (Attempt.EpochAt says when that was in UTC) and end
// in _us; they are positive, so 0 (left out of the file) means "did not happen".
// Durations and rates carry their unit in the name: _s, _ms, _us, _per_s,
// _tokens, _bytes. JSON never holds Inf or NaN: an undefined or unbounded value
// is left out or said by a flag beside it.
package results
