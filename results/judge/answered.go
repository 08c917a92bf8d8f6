package judge

import (
	"fmt"

	"hpcbench/results"
)

const (
	// maxErrorShare: above it a 95th percentile is no longer one of the server's service.
	maxErrorShare = 0.05
	// maxTimeoutShare and maxOpenShare are the same for requests that never ended on a server that kept up.
	maxTimeoutShare = 0.05
	maxOpenShare    = 0.05
)

// answered: what came back. Refusals of a full server are no errors.
func answered(s results.StepSummary, l load, plan results.Plan) []results.Finding {
	c := s.Counts
	if c.Sent == 0 {
		if c.Planned == 0 && s.Step.Loop == results.LoopOpen && s.Finished {
			return []results.Finding{plain(results.LevelInvalid, CodeNothingSent,
				"the schedule has no arrival in the window: it is too short for the rate")}
		}
		return []results.Finding{plain(results.LevelInvalid, CodeNothingSent, "no request was sent")}
	}
	cut := s.Step.CancelAtEnd && c.OpenAtEnd > 0 && s.Corrected.OutputTokens > 0
	if c.Completed == 0 && !cut {
		return []results.Finding{limited(results.LevelInvalid, CodeNoAnswer, 0, 1,
			"not one of %d requests completed%s", c.Sent, commonest(s))}
	}
	var found []results.Finding
	if s.Corrected.OutputTokens == 0 {
		found = append(found, limited(results.LevelInvalid, CodeNoTokens, 0, 1, "%d answers hold no token", c.Completed))
	}
	limit := maxErrorShare
	if plan.Capacity != nil && plan.Capacity.MaxErrorShare > 0 {
		limit = plan.Capacity.MaxErrorShare
	}
	if share := float64(c.Failed) / float64(c.Sent); share > limit {
		found = append(found, limited(results.LevelInvalid, CodeErrors, share, limit,
			"%s of the requests failed (limit %s)%s", percent(share), percent(limit), commonest(s)))
	} else if c.Failed > 0 {
		found = append(found, limited(results.LevelWarning, CodeErrors, share, limit,
			"%d of %d requests failed%s", c.Failed, c.Sent, commonest(s)))
	}
	if c.TimedOut > 0 && !l.saturated {
		share := float64(c.TimedOut) / float64(c.Sent)
		found = append(found, limited(over(share, maxTimeoutShare), CodeTimeouts, share, maxTimeoutShare,
			"%d of %d requests timed out on a server that otherwise kept up", c.TimedOut, c.Sent))
	}
	if c.OpenAtEnd > 0 && !l.saturated && !s.Step.CancelAtEnd && s.Finished {
		share := float64(c.OpenAtEnd) / float64(c.Sent)
		found = append(found, limited(over(share, maxOpenShare), CodeOpenAtEnd, share, maxOpenShare,
			"%d of %d requests were still open when the drain ended, on a server that otherwise kept up", c.OpenAtEnd, c.Sent))
	}
	if c.Shed > 0 {
		found = append(found, limited(results.LevelNote, CodeShed, float64(c.Shed)/float64(c.Sent), 0,
			"the server refused %d of %d requests because it was full", c.Shed, c.Sent))
	}
	if c.Dropped > 0 {
		found = append(found, limited(results.LevelWarning, CodeCapReached, float64(c.Dropped), 0,
			"%d of %d arrivals were dropped at the cap of %d in flight: that changed the load, so only compat is valid",
			c.Dropped, c.Planned, s.Step.MaxInFlight))
	}
	if n := s.Sources[results.TokensEvents]; n > 0 {
		found = append(found, limited(results.LevelWarning, CodeTokensGuessed, float64(n), 0,
			"the tokens of %d answers are counted from events, since the server stated no usage: several tokens in an event count as one", n))
	}
	return found
}

// over is INVALID above the limit, else a warning.
func over(figure, limit float64) string {
	if figure > limit {
		return results.LevelInvalid
	}
	return results.LevelWarning
}

// commonest names the commonest error and the first line of the server's words.
func commonest(s results.StepSummary) string {
	if len(s.Errors) == 0 {
		return ""
	}
	e := s.Errors[0]
	words := fmt.Sprintf("; the commonest error, %d times: %s", e.Count, e.Class)
	if e.Status > 0 {
		words += fmt.Sprintf(" %d", e.Status)
	}
	if e.Text != "" {
		words += ": " + e.Text
	}
	return words
}
