package judge

import "hpcbench/results"

// counted: every planned request ends in exactly one place, and every record
// can be true.
func counted(s results.StepSummary) []results.Finding {
	c := s.Counts
	var found []results.Finding
	if ends := c.Completed + c.Shed + c.Failed + c.TimedOut + c.OpenAtEnd; ends != c.Sent {
		found = append(found, limited(results.LevelInvalid, CodeCounts, float64(ends), float64(c.Sent),
			"%d requests were sent, but %d ended in a known way", c.Sent, ends))
	}
	if sum := c.Sent + c.Dropped + c.NotSent; sum != c.Planned || c.NotSent < 0 {
		found = append(found, limited(results.LevelInvalid, CodeCounts, float64(c.Sent+c.Dropped), float64(c.Planned),
			"%d arrivals were planned, but %d were sent and %d dropped", c.Planned, c.Sent, c.Dropped))
	}
	if n := s.Contradictory; n > 0 {
		level, share := results.LevelWarning, float64(n)/float64(max(c.Sent, 1))
		if share > maxContradictory {
			level = results.LevelInvalid
		}
		found = append(found, limited(level, CodeContradictory, share, maxContradictory,
			"%d records contradict themselves: times out of order, or tokens that don't fit the events", n))
	}
	return found
}

// maxContradictory is the share of impossible records above which something is
// wrong with the clock or the file, not with a request.
const maxContradictory = 0.001
