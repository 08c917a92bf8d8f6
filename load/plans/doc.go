// Package plans knows the plans: the embedded ones and the user's own YAML
// files, and how each kind of plan becomes steps.
//
// Every kind reduces to results.Step, an open or a closed loop; there is one
// small file for each. Kinds whose steps are known beforehand have them as a
// list. The others choose the next step from the summaries of those that are
// done. Both are a Stepper, a pure function, so that the runner knows nothing of
// kinds:
//
//	next, err := plans.New(plan, plans.Facts{})
//	for step, ok := next(done); ok; step, ok = next(done) { … }
package plans
