package results

import (
	"math"
	"testing"
)

func TestEstimateOfOpenLoopsIsExact(t *testing.T) {
	p := planOf(KindRate)
	p.RatesPerS = []float64{0.5, 0.75, 1.12, 1.68, 2.53, 3.79, 5.69, 8.54, 12.81} // the published LUMI plan
	p.DrainS, p.CoolDownS = 60, 2
	e := EstimatePlan(p)
	if !e.Exact || e.Steps != 9 || e.Seconds != 60+9*120+8*2 || e.DrainSeconds != 9*60 || e.WorstSeconds() != 60+1080+16+540 {
		t.Errorf("%+v", e)
	}
	warm := int(math.Ceil(60 / (assumedTTFTS + 200*assumedTPOTS)))
	// 37.41/s for 120 s, each rate rounded by itself.
	if want := 60 + 90 + 134 + 202 + 304 + 455 + 683 + 1025 + 1537 + warm; e.Requests != want {
		t.Errorf("%d requests, want %d", e.Requests, want)
	}
	if e.PromptTokens != int64(e.Requests)*200 || e.OutputTokens != int64(e.Requests)*200 {
		t.Errorf("%d and %d tokens of %d requests", e.PromptTokens, e.OutputTokens, e.Requests)
	}
	p.DrainS = 0
	if got := EstimatePlan(p).DrainSeconds; got != 9*p.Request.TimeoutS {
		t.Errorf("without drain_s the timeout is the cap, but the drains take %v s", got)
	}
	p.Limits = &Limits{Seconds: 300}
	if got := EstimatePlan(p).Seconds; got != 300 {
		t.Errorf("limits.seconds doesn't hold: %v s", got)
	}
	p.Limits, p.Warmup.PerStepS = nil, 10
	if got := EstimatePlan(p).Seconds; got != 60+9*130+8*2 {
		t.Errorf("warm-up of each step: %v s", got)
	}
}

func TestEstimateOfOtherKinds(t *testing.T) {
	for _, c := range []struct {
		kind    string
		make    func(*Plan)
		steps   int
		seconds float64
	}{
		{KindConcurrency, func(p *Plan) {}, 2, 60 + 2*120},
		{KindThroughput, func(p *Plan) {}, 1, 60 + 120},
		// 1,000 requests 128 at once are 8 rounds of 0.5 + 200 x 0.03 s.
		{KindThroughput, func(p *Plan) { p.DurationS, p.Limits = 0, &Limits{Requests: 1000} }, 1, 60 + 8*6.5},
		{KindSweep, func(p *Plan) {}, 11, 60 + 11*120},
		// Five samples of 8,192 tokens; 4 cells of 33 s, the second row of which prefills 1 and 8 contexts.
		{KindMatrix, func(p *Plan) {}, 5, 60 + 5*(0.5+8192./5000) + 4*(3+120) + 9*16384./5000},
		{KindMatrix, func(p *Plan) { p.Prompt.Shared = true }, 5, 60 + 5*(0.5+8192./5000) + 4*(3+120) + 2*16384./5000},
		{KindMatrix, func(p *Plan) { p.Matrix.KVTokens = 16584 }, 4, 60 + 5*(0.5+8192./5000) + 3*(3+120) + 16384./5000},
		// Baseline of five windows, 9 levels from 2 to 512, 4 halvings and both ends again of five windows each.
		{KindCapacity, func(p *Plan) {}, 16, 60 + 5*120 + 9*120 + 6*5*120},
		// 6 turns in each of 10 blocks, 100 requests of 6.5 s one after the other.
		{KindGateway, func(p *Plan) {}, 60, 60 + 60*100*6.5},
	} {
		p := planOf(c.kind)
		c.make(&p)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		e := EstimatePlan(p)
		if e.Steps != c.steps || math.Abs(e.Seconds-c.seconds) > 1e-6 || e.DrainSeconds != float64(c.steps)*60 || e.Exact {
			t.Errorf("%s: %+v, want %d steps and %v s", c.kind, e, c.steps, c.seconds)
		}
		if e.Requests <= 0 || e.PromptTokens <= 0 || e.OutputTokens <= 0 {
			t.Errorf("%s: %+v", c.kind, e)
		}
	}
}

// A plan that wasn't checked may lack its part; arithmetic must not fall over it.
func TestEstimateOfAnUncheckedPlan(t *testing.T) {
	for _, kind := range append([]string{"", "other"}, Kinds...) {
		if e := EstimatePlan(Plan{Kind: kind}); e.Steps < 0 || math.IsNaN(e.Seconds) {
			t.Errorf("%s: %+v", kind, e)
		}
	}
}
