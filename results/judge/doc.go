// Package judge is the only place that says INVALID. It turns the facts of a
// summary into findings, each with its figure and the limit that decided, and
// knows nothing of records, files or statistics over repeats. RulesVersion goes
// up whenever a rule or a limit changes, and old runs can be judged anew: Apply
// replaces the findings that a summary carries.
//
// INVALID means that the numbers don't measure what was asked: the client
// didn't send it, the server answered something else, or somebody else was
// there. A server that couldn't keep up with what was asked is not invalid: it
// is saturated, and that is a note.
package judge
