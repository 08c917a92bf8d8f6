package summary

import "hpcbench/results"

// edgeUs is how near a first token may be to an enclosing reading so that it
// may have been counted on either side of it: the engine adds to its counters
// once an iteration, and a reading takes time.
const edgeUs = 200_000

// balance compares what the engine started with what we sent, over all records
// whatever their step: a probe or the rest of an earlier step is ours too.
func balance(span serverSeries, records []*results.Record) *results.WholeStep {
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
	for _, r := range records {
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
		if r.TFirstToken > out.From && r.TFirstToken <= out.To {
			out.OurTokens += int64(max(r.OutputTokens, r.TokenEvents))
		}
	}
	out.Foreign = max(0, out.Started-float64(out.Ours+out.Allowed))
	return &out
}
