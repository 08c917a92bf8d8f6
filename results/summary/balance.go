package summary

import (
	"math"

	"hpcbench/results"
)

// edgeUs is how near a first token may be to an enclosing reading so that it
// may have been counted on either side of it: the engine adds to its counters
// once an iteration, and a reading takes time.
const edgeUs = 200_000

// balance compares what the engine started with what we sent, over all records
// whatever their step: a probe or the rest of an earlier step is ours too.
func (c *computer) balance(span serverSeries) *results.WholeStep {
	count := span.delta(started)
	if count == nil {
		return nil
	}
	out := results.WholeStep{
		From: span[0].At, To: span[len(span)-1].At, Started: *count,
		GenerationTokens: span.delta(func(x *results.ServerSample) *float64 { return x.GenerationTokens }),
	}
	near := func(t int64) bool {
		return (t > out.From-edgeUs && t < out.From+edgeUs) || (t > out.To-edgeUs && t < out.To+edgeUs)
	}
	tokens := 0.0
	for _, r := range c.records {
		switch t := r.TFirstToken; {
		case t > 0 && near(t):
			out.Allowed++
		case t > out.From && t <= out.To:
			out.Ours++
		case t == 0 && r.TSend > 0 && r.TSend <= out.To && (r.TEnd == 0 || r.TEnd >= out.From):
			// A refusal isn't started; anything else may have got its first token after we had gone.
			if r.Outcome != results.OutcomeShed {
				out.Allowed++
			}
		}
		switch {
		case r.TFirstToken == 0 || r.TFirstToken > out.To || r.TLastToken <= out.From:
		case r.TFirstToken > out.From && r.TLastToken <= out.To:
			tokens += float64(max(r.OutputTokens, r.TokenEvents))
		default: // only a part of it lies between the readings
			e := c.scratch.decode(r)
			tokens += e.within(out.From+1, out.To+1)
		}
	}
	out.OurTokens = int64(math.Round(tokens))
	out.Foreign = max(0, out.Started-float64(out.Ours+out.Allowed))
	return &out
}
