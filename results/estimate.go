package results

import "math"

// What is assumed of a server that nobody has measured yet. It is slow on
// purpose: a walltime made from it should hold for a large model on one GPU.
const (
	assumedTTFTS       = 0.5
	assumedTPOTS       = 0.03
	assumedPrefillPerS = 5000 // prompt tokens
	// assumedKVTokens is the KV cache of a matrix plan that doesn't state it: cells beyond it won't run.
	assumedKVTokens = 500_000
)

// PlanEstimate is what a plan asks for before it runs. Requests and tokens of
// closed loops depend on the server; they are then what the assumed server
// would do, and Exact is false.
type PlanEstimate struct {
	Steps int
	// Exact says that the steps and the requests are those of the plan, not assumptions: open loops at stated rates.
	Exact bool
	// Seconds is warm-ups, windows and pauses: how long the load takes on a server that keeps up.
	Seconds float64
	// DrainSeconds comes on top at most: the drain cap of every step.
	DrainSeconds float64
	Requests     int
	PromptTokens int64
	OutputTokens int64
}

// WorstSeconds is Seconds with every drain at its cap.
func (e PlanEstimate) WorstSeconds() float64 { return e.Seconds + e.DrainSeconds }

// DrainCapS is how long open requests are waited for after a step at most.
func (p Plan) DrainCapS() float64 {
	if p.DrainS > 0 {
		return p.DrainS
	}
	return p.Request.TimeoutS
}

// EstimatePlan does the arithmetic of a checked plan: what a walltime and a
// cost are made from, and what a dry run shows.
func EstimatePlan(p Plan) PlanEstimate {
	e := &estimate{plan: p, requestS: assumedTTFTS + assumedTPOTS*p.meanOutput()}
	if p.Warmup.DurationS > 0 {
		e.Seconds += p.Warmup.DurationS
		e.count(e.closed(max(p.Warmup.Streams, 1), p.Warmup.DurationS), p.Prompt.Tokens)
	}
	switch p.Kind {
	case KindRate, KindPoisson:
		for _, r := range p.RatesPerS {
			e.openStep(r, p.DurationS)
		}
		e.Exact = true
	case KindConcurrency:
		for _, n := range p.Levels {
			e.closedStep(n, p.DurationS)
		}
	case KindThroughput:
		e.throughput()
	case KindSweep:
		e.throughput()
		if p.Sweep != nil {
			most := float64(p.MaxInFlight) / e.requestS
			for i := 1; i <= p.Sweep.Steps; i++ {
				e.openStep(float64(i)/float64(p.Sweep.Steps)*p.Sweep.Fraction*most, p.DurationS)
			}
		}
	case KindMatrix:
		e.matrix()
	case KindCapacity:
		e.capacity()
	case KindGateway:
		e.gateway()
	}
	e.Seconds += p.CoolDownS * float64(max(e.Steps-1, 0))
	if l := p.Limits; l != nil && l.Seconds > 0 {
		e.Seconds = min(e.Seconds, l.Seconds)
	}
	return e.PlanEstimate
}

type estimate struct {
	PlanEstimate
	plan     Plan
	requestS float64 // of one request on the assumed server
}

// count adds requests of so many prompt tokens and the plan's mean output.
func (e *estimate) count(requests, promptTokens int) {
	e.Requests += requests
	e.PromptTokens += int64(requests) * int64(promptTokens)
	e.OutputTokens += int64(math.Round(float64(requests) * e.plan.meanOutput()))
}

// closed is how many requests streams make in a time on the assumed server.
func (e *estimate) closed(streams int, seconds float64) int {
	return int(math.Ceil(float64(streams) * seconds / e.requestS))
}

// step adds one step's time, with its own warm-up and drain.
func (e *estimate) step(seconds float64) {
	e.Steps++
	e.Seconds += e.plan.Warmup.PerStepS + seconds
	e.DrainSeconds += e.plan.DrainCapS()
}

func (e *estimate) openStep(ratePerS, seconds float64) {
	e.step(seconds)
	e.count(int(math.Round(ratePerS*(e.plan.Warmup.PerStepS+seconds))), e.plan.Prompt.Tokens)
}

func (e *estimate) closedStep(streams int, seconds float64) {
	e.step(seconds)
	e.count(e.closed(streams, e.plan.Warmup.PerStepS+seconds), e.plan.Prompt.Tokens)
}

// throughput ends by its time or by its number of requests.
func (e *estimate) throughput() {
	p := e.plan
	if p.DurationS > 0 {
		e.closedStep(p.MaxInFlight, p.DurationS)
		return
	}
	if p.Limits != nil {
		e.step(math.Ceil(float64(p.Limits.Requests)/float64(max(p.MaxInFlight, 1))) * e.requestS)
		e.count(p.Limits.Requests, p.Prompt.Tokens)
	}
}

// matrix counts the cells that fit the KV cache; each begins by prefilling its
// streams, once where they share a prompt.
func (e *estimate) matrix() {
	p, m := e.plan, e.plan.Matrix
	if m == nil {
		return
	}
	for _, n := range m.PrefillTokens {
		e.step(float64(m.PrefillSamples) * (assumedTTFTS + float64(n)/assumedPrefillPerS))
		e.Requests += m.PrefillSamples
		e.PromptTokens += int64(m.PrefillSamples) * int64(n)
		e.OutputTokens += int64(m.PrefillSamples)
	}
	kv := m.KVTokens
	if kv == 0 {
		kv = assumedKVTokens
	}
	for _, ctx := range m.ContextsTokens {
		for _, n := range p.Levels {
			if n*(ctx+p.Output.Tokens) > kv {
				continue
			}
			prompts := n
			if p.Prompt.Shared {
				prompts = 1
			}
			e.step(m.SettleS + p.DurationS + float64(prompts*ctx)/assumedPrefillPerS)
			e.count(e.closed(n, p.DurationS), max(ctx, p.Prompt.Tokens))
		}
	}
}

// capacity is the longest search: the baseline, all levels up to the highest,
// then halving the last bracket and running its two ends again with the
// requests that decide.
func (e *estimate) capacity() {
	p, c := e.plan, e.plan.Capacity
	if c == nil {
		return
	}
	longer := 1.0
	if c.MinRequests > 0 {
		longer = max(1, float64(c.MinDecidingRequests)/float64(c.MinRequests))
	}
	e.closedStep(1, p.DurationS*longer)
	levels := p.Levels
	if len(levels) == 0 {
		for n := 2; n < c.MaxLevel; n *= 2 {
			levels = append(levels, n)
		}
		levels = append(levels, c.MaxLevel)
	}
	steps := len(levels)
	if c.Loop == LoopOpen && len(p.RatesPerS) > 0 {
		steps = len(p.RatesPerS)
	}
	for i := range steps {
		e.closedStep(levels[min(i, len(levels)-1)], p.DurationS)
	}
	// A bracket of one doubling is halved until it is BracketShare wide; both ends are run again.
	halvings := 0
	for width := 1.0; width > c.BracketShare && c.BracketShare > 0 && halvings < 20; width /= 2 {
		halvings++
	}
	for range halvings + 2 {
		e.closedStep(levels[len(levels)-1], p.DurationS*longer)
	}
}

// gateway counts the turns of every block; both arms twice, the control too.
func (e *estimate) gateway() {
	p, g := e.plan, e.plan.Gateway
	if g == nil {
		return
	}
	turns := 4
	if g.AA {
		turns = 6
	}
	for _, n := range p.Levels {
		half := (g.Requests + 1) / 2
		for range g.Blocks * turns {
			e.step(math.Ceil(float64(half)/float64(max(n, 1))) * e.requestS)
			e.count(half, p.Prompt.Tokens)
		}
	}
}

// meanOutput is the mean number of output tokens asked for; clipping a normal
// distribution on both sides alike leaves its mean where it is. A data set's
// lengths aren't known here: 200 stand for them.
func (p Plan) meanOutput() float64 {
	switch p.Output.Distribution {
	case DistUniform:
		return float64(p.Output.Min+p.Output.Max) / 2
	case DistDataset:
		if p.Output.Tokens == 0 {
			return 200
		}
	}
	return float64(p.Output.Tokens)
}
