package summary

import (
	"math"

	"hpcbench/results"
)

// clientFacts is the generator's own health in the window.
func clientFacts(cohort []*results.Record, samples []*results.Sample, w *window, flight inFlight) results.ClientFacts {
	var f results.ClientFacts
	var lag values
	var prompt, output deviation
	sent, reused := 0, 0
	for _, r := range cohort {
		if r.Outcome == results.OutcomeDropped {
			continue
		}
		sent++
		if r.Reused {
			reused++
		}
		if w.step.Loop == results.LoopOpen && r.TSend > 0 {
			lag.add(r.TSend - intended(r))
		}
		if r.Outcome == results.OutcomeCompleted {
			prompt.add(r.PromptTokens-r.TemplateTokens, r.PromptAsked)
			output.add(r.OutputTokens, r.OutputAsked)
		}
	}
	f.SendLagMs = lag.dist()
	f.DeviationPrompt, f.DeviationOutput = prompt.mean(), output.mean()
	if sent > 0 {
		f.ReusedShare = float64(reused) / float64(sent)
	}
	if w.step.Loop == results.LoopClosed && w.to > w.from {
		f.StreamsAsked = ptr(float64(w.step.Streams))
		held := flight.mean // where the attempt was killed before it could say
		if w.heldS > 0 {
			held = w.heldS / w.seconds()
		}
		f.StreamsHeld = &held
	}
	watched(&f, samples, w)
	return f
}

// watched takes what the generator saw of itself between the window's edges.
func watched(f *results.ClientFacts, samples []*results.Sample, w *window) {
	var cpu, pause, step float64
	var delayUs int64
	seen := false
	for _, s := range samples {
		if s.Client == nil || s.At < w.from || s.At > w.to {
			continue
		}
		seen = true
		cpu = max(cpu, s.Client.CPUShare)
		pause = max(pause, float64(s.Client.GCPauseUs)/1000)
		step = max(step, math.Abs(float64(s.Client.ClockStepUs))/1000)
		delayUs += s.Client.RunDelayUs
	}
	if !seen {
		return
	}
	f.CPUShareMax, f.GCPauseMaxMs, f.ClockStepMs = &cpu, &pause, &step
	if w.to > w.from {
		f.RunDelayShare = ptr(float64(delayUs) / float64(w.to-w.from))
	}
}

// deviation is the mean of got/asked − 1 over requests where both are known.
type deviation struct {
	sum float64
	n   int
}

func (d *deviation) add(got, asked int) {
	if got > 0 && asked > 0 {
		d.sum += float64(got)/float64(asked) - 1
		d.n++
	}
}

func (d *deviation) mean() *float64 {
	if d.n == 0 {
		return nil
	}
	return ptr(d.sum / float64(d.n))
}
