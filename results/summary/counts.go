package summary

import (
	"cmp"
	"slices"

	"hpcbench/results"
)

// countOutcomes counts the window's requests by how they ended. In open loops
// what the drawn schedule has beyond them wasn't sent.
func countOutcomes(cohort []*results.Record, w *window) results.Counts {
	var c results.Counts
	for _, r := range cohort {
		switch r.Outcome {
		case results.OutcomeCompleted:
			c.Completed++
		case results.OutcomeShed:
			c.Shed++
		case results.OutcomeFailed:
			c.Failed++
		case results.OutcomeTimedOut:
			c.TimedOut++
		case results.OutcomeOpen:
			c.OpenAtEnd++
		case results.OutcomeDropped:
			c.Dropped++
		}
	}
	c.Sent = len(cohort) - c.Dropped
	c.Planned = c.Sent + c.Dropped
	if w.step.Loop == results.LoopOpen && w.planned > 0 {
		c.Planned = w.planned
	}
	c.NotSent = c.Planned - c.Sent - c.Dropped
	return c
}

// tableErrors is the table of errors, the commonest first, each with the
// server's words as first seen. The cohort is in the order of release.
func tableErrors(cohort []*results.Record) []results.ErrorCount {
	type key struct {
		class  string
		status int
	}
	at := map[key]int{}
	var table []results.ErrorCount
	for _, r := range cohort {
		switch r.Outcome {
		case results.OutcomeFailed, results.OutcomeTimedOut, results.OutcomeShed:
		default:
			continue
		}
		k := key{r.ErrorClass, r.Status}
		i, ok := at[k]
		if !ok {
			i = len(table)
			at[k] = i
			table = append(table, results.ErrorCount{Class: r.ErrorClass, Status: r.Status})
		}
		table[i].Count++
		if table[i].Text == "" {
			table[i].Text = r.ErrorText
		}
	}
	slices.SortFunc(table, func(a, b results.ErrorCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class), cmp.Compare(a.Status, b.Status))
	})
	return table
}

// cutShort counts answers that the context limit ended, not the asked length.
func cutShort(cohort []*results.Record) int {
	n := 0
	for _, r := range cohort {
		if r.Outcome == results.OutcomeCompleted && r.Finish == "length" && r.OutputTokens > 0 && r.OutputTokens < r.OutputAsked {
			n++
		}
	}
	return n
}

// slackUs is how far two clocks of one machine may disagree before a record
// contradicts itself: kernel stamps are converted from the wall clock.
const slackUs = 1000

// contradicts says whether a record's own figures can't all be true.
func contradicts(r *results.Record) bool {
	order := []int64{r.TStart, r.TSend, r.TFirstEvent, r.TFirstToken, r.TLastToken, r.TEnd}
	var before int64
	for _, t := range order {
		if t < 0 || (t > 0 && t+slackUs < before) {
			return true
		}
		before = max(before, t)
	}
	return r.OutputTokens < 0 || r.PromptTokens < 0 || r.TokenEvents < 0 || r.ConnectUs < 0 ||
		(r.Outcome == results.OutcomeCompleted && (r.TFirstToken == 0 || r.TEnd == 0))
}
