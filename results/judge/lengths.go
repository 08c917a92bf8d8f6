package judge

import (
	"math"

	"hpcbench/results"
)

const (
	// maxDeviation of the mean length from the asked one, in either direction.
	maxDeviation = 0.02
	// maxCutShare of answers may be cut at the context limit.
	maxCutShare = 0.01
)

// lengths: were prompts and answers as long as asked? Where no length was
// forced, the model ends its answers itself and the asked one is only a bound.
func lengths(s results.StepSummary, plan results.Plan) []results.Finding {
	var found []results.Finding
	forced := plan.Request.IgnoreEOS || plan.Request.MinTokens
	if d := s.Client.DeviationOutput; d != nil && math.Abs(*d) > maxDeviation {
		level, limit := results.LevelWarning, maxDeviation
		if *d < 0 {
			limit = -maxDeviation
			if forced {
				level = results.LevelInvalid
			}
		}
		word := "longer"
		if *d < 0 {
			word = "shorter"
		}
		found = append(found, limited(level, CodeOutputLength, *d, limit,
			"answers are %s %s than asked on average (limit %s)", percent(math.Abs(*d)), word, percent(maxDeviation)))
	}
	if n := s.CutShort; n > 0 {
		share := float64(n) / float64(max(s.Counts.Completed, 1))
		found = append(found, limited(over(share, maxCutShare), CodeContextCut, share, maxCutShare,
			"%d of %d answers were cut at the server's context limit, shorter than asked", n, s.Counts.Completed))
	}
	if d := s.Client.DeviationPrompt; d != nil && math.Abs(*d) > maxDeviation {
		found = append(found, limited(results.LevelWarning, CodePromptLength, *d, math.Copysign(maxDeviation, *d),
			"prompts differ from the asked length by %s on average, by the server's usage (limit %s)", percent(*d), percent(maxDeviation)))
	}
	return found
}
