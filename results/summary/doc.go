// Package summary turns what an attempt left behind (attempt.json, the records
// and the telemetry) into one StepSummary a step. It is pure: `load` calls it
// when an attempt ends and `collect` calls it again on the files, and both get
// the same bytes, whatever the order of lines on disk.
//
//	s := summary.Compute(summary.Input{Attempt: a, Records: recs, Samples: samples, RecordLines: lines, Plan: plan})
//
// While an attempt runs, Step gives one step of it. Both have the summary
// judged (results/judge), so that nobody can forget to. Of the attempt only
// these fields are used, which must therefore not change after the summary was
// written: Run, Repeat, Attempt, Simulated, State, Failure, ScheduleDigest, Clock,
// Node.Foreign, and of Server AskedName, ServedName, AskedRoot, Root and
// TemplateTokens.
//
// # Windows and who belongs to them
//
// A step's edges come from telemetry (Sample kind "step"). Its window is
// [open, close); where it was left early, [open, end); where the process was
// killed, until the last instant that a file tells of. The cohort, that
// latencies and counts are made of, is the records with Phase "window" of that
// step, followed to their end. Token throughput, completions/s and requests in
// flight are of the window itself, by the instants of events, whichever phase
// the request was sent in.
//
// Without per-event counts a request's tokens (by usage) are shared out evenly
// over its events; without gaps, evenly between its first and last token.
//
// # The engine's side
//
// Token counters are taken at both window edges, on the line between the
// readings around each (beyond the outermost reading a counter stands still).
// Gauges are of the readings inside the window. Histograms and rare events are
// taken between the last reading before the window opens and the first one
// after the drain, because requests add to them when they end.
package summary
