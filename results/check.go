package results

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/hashicorp/go-multierror"
)

// Bounds of a plan that no sane one reaches; they catch a slipped digit.
const (
	maxSeconds = 7 * 24 * 3600
	maxRate    = 100_000
	maxStreams = 100_000
	maxTokens  = 10_000_000
)

// Check says everything that is wrong with a plan at once, each with the name
// of its field: values out of range, fields that its kind needs, and fields
// that its kind has no use for, since a setting without effect is a mistake. The
// error is a *multierror.Error.
func (p Plan) Check() error {
	c := &planCheck{kind: p.Kind}
	if !planName.MatchString(p.Name) {
		c.wrong("name", "is %q; 1 to 64 letters, digits, dots, dashes and underscores are wanted", p.Name)
	}
	if !slices.Contains(Kinds, p.Kind) {
		c.wrong("kind", "%q isn't known%s", p.Kind, didYouMean(p.Kind, Kinds))
		return c.errs.ErrorOrNil() // what else is wrong depends on it
	}
	c.loads(p)
	c.times(p)
	c.subplans(p)
	c.prompt(p.Prompt)
	c.output(p)
	c.request(p.Request)
	c.bounds(p)
	return c.errs.ErrorOrNil()
}

var planName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// planCheck gathers what is wrong.
type planCheck struct {
	kind string
	errs *multierror.Error
}

func (c *planCheck) wrong(field, format string, args ...any) {
	c.errs = multierror.Append(c.errs, fmt.Errorf("%s: "+format, append([]any{field}, args...)...))
}

// only complains about a field that is set though the kind isn't one of these.
func (c *planCheck) only(set bool, field string, kinds ...string) {
	if set && !slices.Contains(kinds, c.kind) {
		c.wrong(field, "has no effect in a %s plan, only in %s; remove it", c.kind, list(kinds))
	}
}

// between complains about a number outside [low, high], NaN included.
func (c *planCheck) between(field string, v, low, high float64) {
	if !(v >= low && v <= high) {
		c.wrong(field, "is %v; %v to %v is allowed", v, low, high)
	}
}

// above complains about a number that isn't above 0 and at most high.
func (c *planCheck) above(field string, v, high float64) {
	if !(v > 0 && v <= high) {
		c.wrong(field, "is %v; more than 0 and at most %v is wanted", v, high)
	}
}

func (c *planCheck) word(field, v string, known ...string) {
	if !slices.Contains(known, v) {
		c.wrong(field, "%q isn't known%s", v, didYouMean(v, known))
	}
}

// loads checks what says how much load there is.
func (c *planCheck) loads(p Plan) {
	openCapacity := p.Kind == KindCapacity && p.Capacity != nil && p.Capacity.Loop == LoopOpen
	if !openCapacity {
		c.only(len(p.RatesPerS) > 0, "rates_per_s", KindRate, KindPoisson)
	}
	c.only(len(p.Levels) > 0, "levels", KindConcurrency, KindMatrix, KindCapacity, KindGateway)
	c.only(p.MaxInFlight != 0, "max_in_flight", KindRate, KindPoisson, KindThroughput, KindSweep)
	switch p.Kind {
	case KindRate, KindPoisson:
		if len(p.RatesPerS) == 0 {
			c.wrong("rates_per_s", "is empty; a %s plan needs at least one rate", p.Kind)
		}
	case KindConcurrency, KindMatrix:
		if len(p.Levels) == 0 {
			c.wrong("levels", "is empty; a %s plan needs at least one number of streams", p.Kind)
		}
	case KindThroughput, KindSweep:
		if p.MaxInFlight == 0 {
			c.wrong("max_in_flight", "is 0; a %s plan needs the number of streams", p.Kind)
		}
	}
	if openCapacity && len(p.Levels) > 0 {
		c.wrong("levels", "has no effect where capacity.loop is open, which searches rates; give rates_per_s or neither")
	}
	c.between("max_in_flight", float64(p.MaxInFlight), 0, maxStreams)
	for i, r := range p.RatesPerS {
		c.above(fmt.Sprintf("rates_per_s[%d]", i), r, maxRate)
		if slices.Contains(p.RatesPerS[:i], r) {
			c.wrong(fmt.Sprintf("rates_per_s[%d]", i), "%v is there twice; take more repeats instead", r)
		}
	}
	for i, n := range p.Levels {
		c.between(fmt.Sprintf("levels[%d]", i), float64(n), 1, maxStreams)
		if slices.Contains(p.Levels[:i], n) {
			c.wrong(fmt.Sprintf("levels[%d]", i), "%d is there twice; take more repeats instead", n)
		}
	}
	if p.Kind == KindCapacity && (!slices.IsSorted(p.Levels) || !slices.IsSorted(p.RatesPerS)) {
		c.wrong("levels", "must rise: a capacity plan stops at the first that fails")
	}
}

// times checks durations.
func (c *planCheck) times(p Plan) {
	switch {
	case p.Kind == KindGateway:
		if p.DurationS != 0 {
			c.wrong("duration_s", "has no effect in a gateway plan, whose turns end by gateway.requests; remove it")
		}
	case p.Kind == KindThroughput && p.DurationS == 0:
		if p.Limits == nil || p.Limits.Requests == 0 {
			c.wrong("duration_s", "is 0; a throughput plan needs it or limits.requests to come to an end")
		}
	default:
		c.above("duration_s", p.DurationS, maxSeconds)
	}
	c.between("drain_s", p.DrainS, 0, maxSeconds)
	c.between("cool_down_s", p.CoolDownS, 0, maxSeconds)
	c.between("warmup.duration_s", p.Warmup.DurationS, 0, maxSeconds)
	c.between("warmup.streams", float64(p.Warmup.Streams), 0, maxStreams)
	c.between("warmup.per_step_s", p.Warmup.PerStepS, 0, maxSeconds)
	if p.Kind == KindGateway && p.Warmup.PerStepS != 0 {
		c.wrong("warmup.per_step_s", "has no effect in a gateway plan, whose turns are short; use warmup.duration_s")
	}
	if p.Warmup.Streams > 0 && p.Warmup.DurationS == 0 {
		c.wrong("warmup.streams", "has no effect while warmup.duration_s is 0")
	}
}

// bounds checks the SLO and the limits.
func (c *planCheck) bounds(p Plan) {
	if s := p.SLO; s != nil {
		c.between("slo.ttft_ms", s.TTFTMs, 0, maxSeconds*1000)
		c.between("slo.tpot_ms", s.TPOTMs, 0, maxSeconds*1000)
		c.between("slo.e2e_ms", s.E2EMs, 0, maxSeconds*1000)
		if s.TTFTMs == 0 && s.TPOTMs == 0 && s.E2EMs == 0 {
			c.wrong("slo", "bounds nothing; give ttft_ms, tpot_ms or e2e_ms, or leave it out")
		}
	}
	if l := p.Limits; l != nil {
		c.between("limits.requests", float64(l.Requests), 0, math.MaxInt32)
		c.between("limits.seconds", l.Seconds, 0, maxSeconds)
		c.between("limits.errors", float64(l.Errors), 0, math.MaxInt32)
	}
}
