package load

import (
	"sync"
	"time"

	"hpcbench/results"
)

// Phases of a load, as Progress.Phase has them.
const (
	PhaseStarting = "starting"
	PhaseWarmup   = "warmup"
	PhaseStep     = "step"
	PhaseDone     = "done"
)

// progress says where the load is, for people who watch.
type progress struct {
	mu    sync.Mutex
	p     results.Progress
	since time.Time
	// leftS is what was expected to be left when the step began.
	leftS float64
}

// enter begins a step of count, 0 = nobody knows how many; leftS is what is
// expected of the plan from here on.
func (g *progress) enter(phase string, s results.Step, count int, leftS float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.since, g.leftS = time.Now(), leftS
	g.p.Phase, g.p.Step, g.p.StepIndex, g.p.StepCount = phase, s.ID, s.Index, count
	g.p.AskedPerS = s.RatePerS
}

// now is the progress with the live figures.
func (g *progress) now(l *live) results.Progress {
	g.mu.Lock()
	p := g.p
	p.LeftS = max(0, g.leftS-time.Since(g.since).Seconds())
	g.mu.Unlock()
	p.UpdatedAt = time.Now().UTC()
	l.read(&p)
	return p
}

// report writes progress.json and tells the caller, once a second until stop
// is closed, and once more then. A file that can't be written is no reason to
// stop measuring.
func (r *runner) report(stop <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		p := r.state.now(r.live)
		_ = results.WriteJSON(r.cfg.Dir.Progress(), p, r.cfg.Mode)
		r.cfg.Progress(p)
		select {
		case <-stop:
			return
		case <-tick.C:
		}
	}
}

// expectedS is how long steps are expected to take, as far as their windows
// say: what a request takes isn't known beforehand.
func expectedS(p results.Plan, steps []results.Step) float64 {
	total := 0.0
	for _, s := range steps {
		if s.NotRun == "" {
			total += s.WarmupS + s.SettleS + s.DurationS + p.CoolDownS
		}
	}
	return total
}
