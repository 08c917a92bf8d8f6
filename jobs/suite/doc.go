// Package suite is the state machine of a nightly. Each call of Advance does what
// can be done now, within the budget, and returns: it makes and submits runs, looks
// which are over, has them judged, and submits the pairs that the judge asks for.
// Anything may call it, as often as it likes and from any login node; what was
// submitted once is never submitted again.
//
// It knows nothing of statistics: the judge is a function that it is handed, and
// whose words it keeps. All state is on the disk, in the folder of the night:
//
//	<night>/
//	  events.jsonl   Event, append-only: what was made, submitted, over, judged
//	  claims/        one folder for each submit, made by whoever may do it
//
// and in the run folders, which appear whole (jobs.Store.Publish) and whose ledgers
// say what was sent.
package suite
