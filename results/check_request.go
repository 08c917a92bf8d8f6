package results

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// prompt checks what is sent.
func (c *planCheck) prompt(p PromptPlan) {
	c.word("prompt.source", p.Source, SourceSynthetic, SourceShareGPT, SourceJSONL, SourceText)
	c.between("prompt.tokens", float64(p.Tokens), 0, maxTokens)
	switch {
	case p.Source == SourceSynthetic:
		if p.File != "" {
			c.wrong("prompt.file", "has no effect with source synthetic, which reads none")
		}
		if p.Tokens == 0 {
			c.wrong("prompt.tokens", "is 0; source synthetic needs a length")
		}
	case p.File == "":
		c.wrong("prompt.file", "is empty; source %s reads one", p.Source)
	}
}

// output checks how much is asked for.
func (c *planCheck) output(p Plan) {
	o := p.Output
	c.word("output.distribution", o.Distribution, DistFixed, DistNormal, DistUniform, DistDataset)
	for _, f := range []struct {
		field string
		v     int
	}{{"output.tokens", o.Tokens}, {"output.min", o.Min}, {"output.max", o.Max}} {
		c.between(f.field, float64(f.v), 0, maxTokens)
	}
	c.between("output.sd", o.SD, 0, maxTokens)
	unused := func(set bool, field string) {
		if set {
			c.wrong(field, "has no effect with distribution %s; remove it", o.Distribution)
		}
	}
	switch o.Distribution {
	case DistFixed:
		if o.Tokens < 1 {
			c.wrong("output.tokens", "is %d; distribution fixed needs at least 1", o.Tokens)
		}
		unused(o.SD != 0, "output.sd")
		unused(o.Min != 0, "output.min")
		unused(o.Max != 0, "output.max")
	case DistNormal:
		if o.Min < 1 || o.Min > o.Tokens || o.Tokens > o.Max {
			c.wrong("output", "min %d, tokens %d, max %d; 1 ≤ min ≤ tokens ≤ max is wanted", o.Min, o.Tokens, o.Max)
		}
	case DistUniform:
		if o.Min < 1 || o.Min > o.Max {
			c.wrong("output", "min %d, max %d; 1 ≤ min ≤ max is wanted", o.Min, o.Max)
		}
		unused(o.Tokens != 0, "output.tokens")
		unused(o.SD != 0, "output.sd")
	case DistDataset:
		if p.Prompt.Source != SourceShareGPT && p.Prompt.Source != SourceJSONL {
			c.wrong("output.distribution", "dataset takes lengths from the answers of a data set, which source %s has none of", p.Prompt.Source)
		}
		unused(o.SD != 0, "output.sd")
	}
	if p.Kind == KindMatrix && o.Distribution != DistFixed {
		c.wrong("output.distribution", "is %s; the cells of a matrix plan need fixed", o.Distribution)
	}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

var (
	// secretHeaders carry keys, and a plan is written into the run folder.
	secretHeaders = []string{"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key"}
	// ownHeaders and ownFields are made by the generator, which measures by what they say.
	ownHeaders = []string{"host", "content-length", "content-type", "transfer-encoding", "connection", "accept", "accept-encoding"}
	ownFields  = []string{"model", "messages", "prompt", "stream", "stream_options", "max_tokens", "max_completion_tokens",
		"temperature", "ignore_eos", "min_tokens", "n"}
)

// request checks how it is asked for.
func (c *planCheck) request(r RequestPlan) {
	c.word("request.api", r.API, "chat", "completions")
	c.word("request.usage", r.Usage, UsageFinal, UsageContinuous, UsageNone)
	c.between("request.temperature", r.Temperature, 0, 2)
	c.above("request.timeout_s", r.TimeoutS, maxSeconds)
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		field, low := fmt.Sprintf("request.headers[%q]", name), strings.ToLower(name)
		switch {
		case !headerName.MatchString(name):
			c.wrong(field, "is no name of a header")
		case slices.Contains(secretHeaders, low):
			c.wrong(field, "would write a secret into the plan; give the key by --api-key-file or the environment")
		case slices.Contains(ownHeaders, low):
			c.wrong(field, "is set by hpcbench itself")
		}
		if strings.ContainsFunc(r.Headers[name], func(x rune) bool { return x < ' ' && x != '\t' || x == 0x7f }) {
			c.wrong(field, "holds a control character")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.ExtraBody)) {
		if slices.Contains(ownFields, name) {
			c.wrong(fmt.Sprintf("request.extra_body[%q]", name), "is set by hpcbench itself; see the plan's own fields")
		}
	}
}

// subplans checks the part that only one kind has.
func (c *planCheck) subplans(p Plan) {
	c.only(p.Sweep != nil, "sweep", KindSweep)
	c.only(p.Matrix != nil, "matrix", KindMatrix)
	c.only(p.Capacity != nil, "capacity", KindCapacity)
	c.only(p.Gateway != nil, "gateway", KindGateway)
	need := func(missing bool, field string) bool {
		if missing {
			c.wrong(field, "is missing; a %s plan needs it", p.Kind)
		}
		return !missing
	}
	switch p.Kind {
	case KindSweep:
		if need(p.Sweep == nil, "sweep") {
			c.between("sweep.steps", float64(p.Sweep.Steps), 1, 100)
			c.above("sweep.fraction", p.Sweep.Fraction, 10)
		}
	case KindMatrix:
		if need(p.Matrix == nil, "matrix") {
			c.matrix(*p.Matrix)
		}
	case KindCapacity:
		if need(p.Capacity == nil, "capacity") {
			c.capacity(*p.Capacity)
		}
	case KindGateway:
		if need(p.Gateway == nil, "gateway") {
			c.gateway(*p.Gateway)
		}
	}
}

func (c *planCheck) matrix(m MatrixPlan) {
	if len(m.ContextsTokens) == 0 {
		c.wrong("matrix.contexts_tokens", "is empty; 0 stands for no context before the task")
	}
	for i, n := range m.ContextsTokens {
		c.between(fmt.Sprintf("matrix.contexts_tokens[%d]", i), float64(n), 0, maxTokens)
		if slices.Contains(m.ContextsTokens[:i], n) {
			c.wrong(fmt.Sprintf("matrix.contexts_tokens[%d]", i), "%d is there twice", n)
		}
	}
	for i, n := range m.PrefillTokens {
		c.between(fmt.Sprintf("matrix.prefill_tokens[%d]", i), float64(n), 1, maxTokens)
		if slices.Contains(m.PrefillTokens[:i], n) {
			c.wrong(fmt.Sprintf("matrix.prefill_tokens[%d]", i), "%d is there twice", n)
		}
	}
	if len(m.PrefillTokens) > 0 {
		c.between("matrix.prefill_samples", float64(m.PrefillSamples), 1, 10_000)
	} else if m.PrefillSamples != 0 {
		c.wrong("matrix.prefill_samples", "has no effect without matrix.prefill_tokens")
	}
	c.between("matrix.kv_tokens", float64(m.KVTokens), 0, 1e12)
	c.between("matrix.settle_s", m.SettleS, 0, maxSeconds)
}

func (c *planCheck) capacity(k CapacityPlan) {
	c.word("capacity.loop", k.Loop, LoopClosed, LoopOpen)
	c.between("capacity.p95_e2e_ms", k.P95E2EMs, 0, maxSeconds*1000)
	c.between("capacity.p95_ttft_ms", k.P95TTFTMs, 0, maxSeconds*1000)
	c.between("capacity.relative_to_one", k.RelativeToOne, 0, 1000)
	if k.RelativeToOne > 0 && k.RelativeToOne <= 1 {
		c.wrong("capacity.relative_to_one", "is %v; the bound must be above what one request takes alone", k.RelativeToOne)
	}
	if k.RelativeToOne > 0 && k.P95E2EMs > 0 {
		c.wrong("capacity.relative_to_one", "has no effect beside capacity.p95_e2e_ms; give one of them")
	}
	if k.P95E2EMs == 0 && k.P95TTFTMs == 0 && k.RelativeToOne == 0 {
		c.wrong("capacity", "has no bound; give p95_e2e_ms, p95_ttft_ms or relative_to_one")
	}
	c.between("capacity.max_shed_share", k.MaxShedShare, 0, 1)
	c.between("capacity.max_error_share", k.MaxErrorShare, 0, 1)
	c.between("capacity.max_level", float64(k.MaxLevel), 1, maxStreams)
	c.above("capacity.bracket_share", k.BracketShare, 1)
	c.between("capacity.min_requests", float64(k.MinRequests), 1, 1e7)
	c.between("capacity.min_deciding_requests", float64(k.MinDecidingRequests), float64(max(intervalFrom, k.MinRequests)), 1e7) // fewer have no interval of their p95 and decide nothing
	c.between("capacity.reissue_ms", k.ReissueMs, 0, maxSeconds*1000)
}

func (c *planCheck) gateway(g GatewayPlan) {
	// Empty addresses are those that the command line gives.
	for _, f := range []struct{ field, v string }{{"gateway.direct_url", g.DirectURL}, {"gateway.gateway_url", g.GatewayURL}} {
		if f.v == "" {
			continue
		}
		u, err := url.Parse(f.v)
		switch {
		case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
			c.wrong(f.field, "is no http:// or https:// address with a host")
		case u.User != nil:
			c.wrong(f.field, "holds a user name or password, and a plan is written into the run folder; give the key by --api-key-file")
		}
	}
	c.between("gateway.blocks", float64(g.Blocks), 6, 1000)
	c.between("gateway.requests", float64(g.Requests), 2, 1e7)
}
