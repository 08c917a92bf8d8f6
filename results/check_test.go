package results

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/hashicorp/go-multierror"
)

// planOf is a sound plan of a kind.
func planOf(kind string) Plan {
	p := Plan{
		Name: "mine", Kind: kind, DurationS: 120, Warmup: Warmup{DurationS: 60, Streams: 1},
		Prompt:  PromptPlan{Source: SourceSynthetic, Tokens: 200},
		Output:  OutputPlan{Distribution: DistFixed, Tokens: 200},
		Request: RequestPlan{API: "chat", Usage: UsageFinal, TimeoutS: 60},
	}
	switch kind {
	case KindRate, KindPoisson:
		p.RatesPerS, p.MaxInFlight = []float64{2.53, 3.79}, 800
		p.Output = OutputPlan{Distribution: DistNormal, Tokens: 200, SD: 10, Min: 180, Max: 220}
	case KindConcurrency:
		p.Levels = []int{1, 8}
	case KindThroughput:
		p.MaxInFlight = 128
	case KindSweep:
		p.MaxInFlight, p.Sweep = 128, &SweepPlan{Steps: 10, Fraction: 1.2}
	case KindMatrix:
		p.Levels = []int{1, 8}
		p.Matrix = &MatrixPlan{ContextsTokens: []int{0, 16384}, PrefillTokens: []int{8192}, PrefillSamples: 5, SettleS: 3}
	case KindCapacity:
		p.Capacity = &CapacityPlan{Loop: LoopClosed, RelativeToOne: 3, MaxShedShare: 0.01, MaxErrorShare: 0.01, MaxLevel: 512,
			BracketShare: 0.1, MinRequests: 100, MinDecidingRequests: 500, ReissueMs: 100}
	case KindGateway:
		p.Levels, p.DurationS = []int{1}, 0
		p.Gateway = &GatewayPlan{Blocks: 10, Requests: 200, AA: true, DirectURL: "http://n1:8000", GatewayURL: "https://chat.example/lumi/"}
	}
	return p
}

func TestSoundPlansPass(t *testing.T) {
	for _, kind := range Kinds {
		if err := planOf(kind).Check(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestCheckNamesTheField(t *testing.T) {
	for _, c := range []struct {
		kind string
		make func(*Plan)
		says string // field and a word of the reason
	}{
		{KindRate, func(p *Plan) { p.Name = "" }, "name: "},
		{KindRate, func(p *Plan) { p.Name = "../x" }, "name: "},
		{KindRate, func(p *Plan) { p.Kind = "rates" }, `kind: "rates" isn't known; did you mean "rate"?`},
		{KindRate, func(p *Plan) { p.Kind = "" }, "known are rate, poisson"},
		{KindRate, func(p *Plan) { p.RatesPerS = nil }, "rates_per_s: is empty"},
		{KindRate, func(p *Plan) { p.RatesPerS[1] = 0 }, "rates_per_s[1]: is 0"},
		{KindRate, func(p *Plan) { p.RatesPerS[1] = math.NaN() }, "rates_per_s[1]: is NaN"},
		{KindRate, func(p *Plan) { p.RatesPerS[1] = math.Inf(1) }, "rates_per_s[1]: is +Inf"},
		{KindRate, func(p *Plan) { p.RatesPerS[1] = 2.53 }, "rates_per_s[1]: 2.53 is there twice"},
		{KindRate, func(p *Plan) { p.Levels = []int{4} }, "levels: has no effect in a rate plan"},
		{KindRate, func(p *Plan) { p.MaxInFlight = -1 }, "max_in_flight: is -1"},
		{KindRate, func(p *Plan) { p.DurationS = 0 }, "duration_s: is 0"},
		{KindRate, func(p *Plan) { p.DurationS = 1e9 }, "duration_s: is 1e+09"},
		{KindRate, func(p *Plan) { p.DrainS = -1 }, "drain_s: is -1"},
		{KindRate, func(p *Plan) { p.CoolDownS = -1 }, "cool_down_s: is -1"},
		{KindRate, func(p *Plan) { p.Warmup.DurationS = 0 }, "warmup.streams: has no effect"},
		{KindRate, func(p *Plan) { p.Warmup.PerStepS = -3 }, "warmup.per_step_s: is -3"},
		{KindRate, func(p *Plan) { p.Sweep = &SweepPlan{} }, "sweep: has no effect in a rate plan"},
		{KindRate, func(p *Plan) { p.Matrix = &MatrixPlan{} }, "matrix: has no effect"},
		{KindRate, func(p *Plan) { p.Capacity = &CapacityPlan{} }, "capacity: has no effect"},
		{KindRate, func(p *Plan) { p.Gateway = &GatewayPlan{} }, "gateway: has no effect"},
		{KindPoisson, func(p *Plan) { p.RatesPerS = nil }, "rates_per_s: is empty"},
		{KindConcurrency, func(p *Plan) { p.Levels = nil }, "levels: is empty"},
		{KindConcurrency, func(p *Plan) { p.Levels[0] = 0 }, "levels[0]: is 0"},
		{KindConcurrency, func(p *Plan) { p.Levels[1] = 1 }, "levels[1]: 1 is there twice"},
		{KindConcurrency, func(p *Plan) { p.RatesPerS = []float64{1} }, "rates_per_s: has no effect in a concurrency plan, only in rate and poisson"},
		{KindConcurrency, func(p *Plan) { p.MaxInFlight = 5 }, "max_in_flight: has no effect"},
		{KindThroughput, func(p *Plan) { p.MaxInFlight = 0 }, "max_in_flight: is 0"},
		{KindThroughput, func(p *Plan) { p.DurationS = 0 }, "duration_s: is 0; a throughput plan needs it or limits.requests"},
		{KindSweep, func(p *Plan) { p.Sweep = nil }, "sweep: is missing"},
		{KindSweep, func(p *Plan) { p.Sweep.Steps = 0 }, "sweep.steps: is 0"},
		{KindSweep, func(p *Plan) { p.Sweep.Fraction = 0 }, "sweep.fraction: is 0"},
		{KindMatrix, func(p *Plan) { p.Matrix = nil }, "matrix: is missing"},
		{KindMatrix, func(p *Plan) { p.Matrix.ContextsTokens = nil }, "matrix.contexts_tokens: is empty"},
		{KindMatrix, func(p *Plan) { p.Matrix.ContextsTokens[1] = 0 }, "matrix.contexts_tokens[1]: 0 is there twice"},
		{KindMatrix, func(p *Plan) { p.Matrix.ContextsTokens[1] = -1 }, "matrix.contexts_tokens[1]: is -1"},
		{KindMatrix, func(p *Plan) { p.Matrix.PrefillTokens[0] = 0 }, "matrix.prefill_tokens[0]: is 0"},
		{KindMatrix, func(p *Plan) { p.Matrix.PrefillTokens = []int{8, 8} }, "matrix.prefill_tokens[1]: 8 is there twice"},
		{KindMatrix, func(p *Plan) { p.Matrix.PrefillSamples = 0 }, "matrix.prefill_samples: is 0"},
		{KindMatrix, func(p *Plan) { p.Matrix.PrefillTokens = nil }, "matrix.prefill_samples: has no effect"},
		{KindMatrix, func(p *Plan) { p.Matrix.KVTokens = -1 }, "matrix.kv_tokens: is -1"},
		{KindMatrix, func(p *Plan) { p.Matrix.SettleS = -1 }, "matrix.settle_s: is -1"},
		{KindMatrix, func(p *Plan) {
			p.Output = OutputPlan{Distribution: DistUniform, Min: 1, Max: 2}
		}, "output.distribution: is uniform; the cells"},
		{KindCapacity, func(p *Plan) { p.Capacity = nil }, "capacity: is missing"},
		{KindCapacity, func(p *Plan) { p.Capacity.Loop = "opn" }, `capacity.loop: "opn" isn't known; did you mean "open"?`},
		{KindCapacity, func(p *Plan) { p.Capacity.RelativeToOne = 0 }, "capacity: has no bound"},
		{KindCapacity, func(p *Plan) { p.Capacity.RelativeToOne = 1 }, "capacity.relative_to_one: is 1"},
		{KindCapacity, func(p *Plan) { p.Capacity.P95E2EMs = 5 }, "capacity.relative_to_one: has no effect"},
		{KindCapacity, func(p *Plan) { p.Capacity.MaxShedShare = 1.5 }, "capacity.max_shed_share: is 1.5"},
		{KindCapacity, func(p *Plan) { p.Capacity.MaxErrorShare = -0.1 }, "capacity.max_error_share: is -0.1"},
		{KindCapacity, func(p *Plan) { p.Capacity.MaxLevel = 0 }, "capacity.max_level: is 0"},
		{KindCapacity, func(p *Plan) { p.Capacity.BracketShare = 0 }, "capacity.bracket_share: is 0"},
		{KindCapacity, func(p *Plan) { p.Capacity.MinRequests = 0 }, "capacity.min_requests: is 0"},
		{KindCapacity, func(p *Plan) { p.Capacity.MinDecidingRequests = 99 }, "capacity.min_deciding_requests: is 99; 100 to"},
		{KindCapacity, func(p *Plan) { p.Capacity.MinRequests, p.Capacity.MinDecidingRequests = 20, 71 }, "capacity.min_deciding_requests: is 71; 72 to"},
		{KindCapacity, func(p *Plan) { p.Levels = []int{4, 2} }, "levels: must rise"},
		{KindCapacity, func(p *Plan) { p.RatesPerS = []float64{1} }, "rates_per_s: has no effect"},
		{KindCapacity, func(p *Plan) { p.Capacity.Loop, p.Levels = LoopOpen, []int{1} }, "levels: has no effect where capacity.loop is open"},
		{KindGateway, func(p *Plan) { p.Gateway = nil }, "gateway: is missing"},
		{KindGateway, func(p *Plan) { p.DurationS = 5 }, "duration_s: has no effect in a gateway plan"},
		{KindGateway, func(p *Plan) { p.Warmup.PerStepS = 5 }, "warmup.per_step_s: has no effect in a gateway plan"},
		{KindGateway, func(p *Plan) { p.Gateway.Blocks = 5 }, "gateway.blocks: is 5; 6 to"},
		{KindGateway, func(p *Plan) { p.Gateway.Requests = 1 }, "gateway.requests: is 1"},
		{KindGateway, func(p *Plan) { p.Gateway.DirectURL = "n1:8000" }, "gateway.direct_url: is no http://"},
		{KindGateway, func(p *Plan) { p.Gateway.GatewayURL = "https://me:secret@h/" }, "gateway.gateway_url: holds a user name"},
		{KindRate, func(p *Plan) { p.Prompt.Source = "sharegtp" }, `did you mean "sharegpt"?`},
		{KindRate, func(p *Plan) { p.Prompt.Source = SourceShareGPT }, "prompt.file: is empty"},
		{KindRate, func(p *Plan) { p.Prompt.File = "x.json" }, "prompt.file: has no effect"},
		{KindRate, func(p *Plan) { p.Prompt.Tokens = 0 }, "prompt.tokens: is 0"},
		{KindRate, func(p *Plan) { p.Prompt.Tokens = -5 }, "prompt.tokens: is -5"},
		{KindRate, func(p *Plan) { p.Output.Min = 210 }, "output: min 210, tokens 200, max 220"},
		{KindRate, func(p *Plan) { p.Output.SD = -1 }, "output.sd: is -1"},
		{KindConcurrency, func(p *Plan) { p.Output.Tokens = 0 }, "output.tokens: is 0"},
		{KindConcurrency, func(p *Plan) { p.Output.SD = 10 }, "output.sd: has no effect with distribution fixed"},
		{KindConcurrency, func(p *Plan) { p.Output = OutputPlan{Distribution: DistUniform, Min: 9, Max: 8} }, "output: min 9, max 8"},
		{KindConcurrency, func(p *Plan) { p.Output = OutputPlan{Distribution: DistUniform, Min: 1, Max: 8, Tokens: 4} }, "output.tokens: has no effect"},
		{KindConcurrency, func(p *Plan) { p.Output = OutputPlan{Distribution: DistDataset} }, "output.distribution: dataset takes lengths"},
		{KindConcurrency, func(p *Plan) { p.Output.Distribution = "fix" }, `did you mean "fixed"?`},
		{KindRate, func(p *Plan) { p.Request.API = "responses" }, "request.api: "},
		{KindRate, func(p *Plan) { p.Request.Usage = "" }, "request.usage: "},
		{KindRate, func(p *Plan) { p.Request.Temperature = 3 }, "request.temperature: is 3"},
		{KindRate, func(p *Plan) { p.Request.TimeoutS = 0 }, "request.timeout_s: is 0"},
		{KindRate, func(p *Plan) { p.Request.Headers = map[string]string{"Authorization": "Bearer x"} }, "would write a secret"},
		{KindRate, func(p *Plan) { p.Request.Headers = map[string]string{"Content-Length": "1"} }, "is set by hpcbench itself"},
		{KindRate, func(p *Plan) { p.Request.Headers = map[string]string{"a b": "1"} }, "is no name of a header"},
		{KindRate, func(p *Plan) { p.Request.Headers = map[string]string{"x": "1\r\nHost: y"} }, "holds a control character"},
		{KindRate, func(p *Plan) { p.Request.ExtraBody = map[string]any{"max_tokens": 5} }, `request.extra_body["max_tokens"]: is set by hpcbench`},
		{KindRate, func(p *Plan) { p.SLO = &SLO{} }, "slo: bounds nothing"},
		{KindRate, func(p *Plan) { p.SLO = &SLO{TTFTMs: -1} }, "slo.ttft_ms: is -1"},
		{KindRate, func(p *Plan) { p.Limits = &Limits{Seconds: -1} }, "limits.seconds: is -1"},
		{KindRate, func(p *Plan) { p.Limits = &Limits{Requests: -1} }, "limits.requests: is -1"},
		{KindRate, func(p *Plan) { p.Limits = &Limits{Errors: -1} }, "limits.errors: is -1"},
	} {
		p := planOf(c.kind)
		c.make(&p)
		err := p.Check()
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v should say %q", c.kind, err, c.says)
		}
	}
}

func TestCheckTellsEverythingAtOnce(t *testing.T) {
	p := planOf(KindRate)
	p.RatesPerS, p.DurationS, p.Levels, p.Request.API = nil, -1, []int{1}, "x"
	var many *multierror.Error
	if !errors.As(p.Check(), &many) || len(many.Errors) != 4 {
		t.Errorf("got %v", p.Check())
	}
}
