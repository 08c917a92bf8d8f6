package prompt

import (
	"math"

	"hpcbench/results"
)

// OutputTokens is how many tokens request index of a step asks for, from the
// plan's distribution; 0 = the data set's, or no limit of ours. The normal one
// is truncated to whole tokens and clipped, as the Hugging Face tool does it.
func OutputTokens(p results.Plan, repeat, step, index int) int {
	o := p.Output
	switch o.Distribution {
	case results.DistNormal:
		v := float64(o.Tokens) + o.SD*source("output", p.Seed, uint64(repeat), uint64(step), uint64(index)).NormFloat64()
		return clip(int(math.Trunc(v)), o.Min, o.Max)
	case results.DistUniform:
		if o.Max < o.Min {
			return o.Min
		}
		return o.Min + source("output", p.Seed, uint64(repeat), uint64(step), uint64(index)).IntN(o.Max-o.Min+1)
	case results.DistDataset:
		return 0
	}
	return o.Tokens
}

func clip(v, low, high int) int {
	v = max(v, low, 1)
	if high > 0 {
		v = min(v, high)
	}
	return v
}
