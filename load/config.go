package load

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"time"

	"hpcbench/load/endpoint"
	"hpcbench/load/plans"
	"hpcbench/load/telemetry"
	"hpcbench/results"
)

// ErrInterrupted says that the load was ended from outside. What there was is
// saved and summarised, marked interrupted.
var ErrInterrupted = errors.New("the load was interrupted")

// Config is one load: one attempt at one repeat of a plan against a server that
// is there.
type Config struct {
	Endpoint endpoint.Endpoint
	// Gateway is the second way of a gateway plan; Endpoint is the direct one.
	Gateway *endpoint.Endpoint
	Plan    results.Plan
	Facts   plans.Facts // for matrix plans
	Dir     results.AttemptDir
	// StepsFile is the run's steps.json, for plans that choose steps while
	// running; "" = nothing is frozen.
	StepsFile string
	// Attempt is attempt.json. Load sets its epoch, clock, salt, digest of the
	// schedule, what the server says of itself, and at the end its state.
	Attempt *AttemptFile
	Mode    os.FileMode // of the files written
	// CacheDir keeps counted words between runs; "" = nothing is kept.
	CacheDir  string
	Telemetry telemetry.Options
	// Progress is told once a second, beside progress.json; may be nil.
	Progress func(results.Progress)
	// Warn is told what is worth saying to a person; may be nil.
	Warn func(string)
	// Grace is how long open requests may go on after an interruption.
	Grace time.Duration
	// Abort ends everything at once, as a second signal does; may be nil.
	Abort <-chan struct{}
}

func (c *Config) check() error {
	var errs []error
	if c.Attempt == nil {
		errs = append(errs, errors.New("load: no attempt file given"))
	}
	if c.Endpoint.Model == "" {
		errs = append(errs, errors.New("load: no model named"))
	}
	if c.Plan.Kind == results.KindGateway && c.Gateway == nil {
		errs = append(errs, errors.New("a gateway plan needs two URLs: set gateway.direct_url and gateway.gateway_url in the plan"))
	}
	if c.Plan.Request.TimeoutS <= 0 {
		errs = append(errs, fmt.Errorf("plan %s: request.timeout_s is %g, it must be above 0", c.Plan.Name, c.Plan.Request.TimeoutS))
	}
	// What a gateway asks for with every request it also asks for with the questions beside them.
	c.Endpoint.Headers = merged(c.Plan.Request.Headers, c.Endpoint.Headers)
	if c.Gateway != nil {
		g := *c.Gateway
		g.Headers = merged(c.Plan.Request.Headers, g.Headers)
		c.Gateway = &g
	}
	if c.Mode == 0 {
		c.Mode = 0o600
	}
	if c.Grace == 0 {
		c.Grace = 10 * time.Second
	}
	if c.Warn == nil {
		c.Warn = func(string) {}
	}
	if c.Progress == nil {
		c.Progress = func(results.Progress) {}
	}
	return errors.Join(errs...)
}

// merged lays over on top of base.
func merged(base, over map[string]string) map[string]string {
	out := maps.Clone(base)
	if out == nil {
		return over
	}
	maps.Copy(out, over)
	return out
}
