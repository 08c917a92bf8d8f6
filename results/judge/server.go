package judge

import (
	"math"

	"hpcbench/results"
)

const (
	// maxHitShare of prompt tokens may come from the prefix cache beyond the chat template's own blocks.
	maxHitShare = 0.01
	// blockTokens is the engine's usual block where it doesn't state one.
	blockTokens = 16
	// pathMs and pathShare: our mean TTFT may exceed the server's by max(10 ms, 20 % of it).
	pathMs    = 10.0
	pathShare = 0.2
	// maxTokensDiffer between the engine's count of tokens and the answers'.
	maxTokensDiffer = 0.01
	// minRunning of the asked concurrency must have run at once in a matrix cell.
	minRunning = 0.95
	// minStarted of our requests must be in the engine's own count, else it isn't our server's.
	minStarted = 0.9
)

// server: was it ours alone, the same all the time, and fresh?
func server(s results.StepSummary, a results.Attempt, plan results.Plan) []results.Finding {
	var found []results.Finding
	add := func(f results.Finding) { found = append(found, f) }
	if s.LeftOver > 0 {
		add(limited(results.LevelInvalid, CodeQueueLeft, float64(s.LeftOver), 0,
			"%d requests of an earlier step were still open when this one began", s.LeftOver))
	}
	v := s.Server
	if v == nil {
		return found
	}
	if v.Restarted {
		add(plain(results.LevelInvalid, CodeRestarted, "the server was started anew during the step"))
	}
	if b := v.BusyBefore; b != nil && *b >= 1 {
		add(limited(results.LevelInvalid, CodeQueueLeft, *b, 0,
			"%.0f requests were running or waiting in the server before the step began, none of them ours", *b))
	}
	found = append(found, strangers(v.Whole, s.Corrected)...)
	found = append(found, prefixHits(v, a.Server.TemplateTokens, plan)...)
	if d := v.ClientPath; d != nil && v.TTFTMeanMs != nil {
		if limit := max(pathMs, pathShare**v.TTFTMeanMs); math.Abs(*d) > limit {
			add(limited(results.LevelWarning, CodeClientOrPath, *d, limit,
				"our mean TTFT differs from the server's own by %+.3g ms (limit %.3g ms): time spent in the client or on the path", *d, limit))
		}
	}
	if plan.Kind == results.KindMatrix && s.Step.Loop == results.LoopClosed {
		found = append(found, overCapacity(s)...)
	} else if v.Preemptions != nil && *v.Preemptions > 0 {
		add(limited(results.LevelNote, CodePreempted, *v.Preemptions, 0, "the engine preempted %.0f requests: its KV cache was full", *v.Preemptions))
	}
	return found
}

// strangers: requests in the engine's counters that no record of ours explains.
func strangers(w *results.WholeStep, c results.Corrected) []results.Finding {
	if w == nil {
		return nil
	}
	var found []results.Finding
	if w.Foreign >= 1 {
		found = append(found, limited(results.LevelInvalid, CodeForeign, w.Foreign, 0,
			"the engine started %.0f requests, only %d can be ours: %.0f came from somebody else", w.Started, w.Ours+w.Allowed, w.Foreign))
	}
	if w.Ours > 0 && w.Started < minStarted*float64(w.Ours) {
		found = append(found, limited(results.LevelWarning, CodeCountersDiffer, w.Started, float64(w.Ours),
			"the engine counts %.0f requests where %d were answered: its metrics may be another server's", w.Started, w.Ours))
	}
	if g := w.GenerationTokens; g != nil && w.OurTokens > 0 && w.Foreign < 1 && w.Allowed == 0 {
		// What every stream made in two iterations may be counted on either side of a reading.
		slack := 2 * float64(c.InFlightMax*max(c.MaxPerEvt, 1))
		if d := *g/float64(w.OurTokens) - 1; math.Abs(d) > maxTokensDiffer && math.Abs(*g-float64(w.OurTokens)) > slack {
			found = append(found, limited(results.LevelWarning, CodeTokensDiffer, d, math.Copysign(maxTokensDiffer, d),
				"the engine made %.0f tokens, the answers' usage adds up to %d", *g, w.OurTokens))
		}
	}
	return found
}

// prefixHits: fresh prompts share nothing but the chat template, of which whole
// blocks are cached.
func prefixHits(v *results.ServerStats, templateTokens int, plan results.Plan) []results.Finding {
	if plan.Prompt.Shared || v.PrefixHits == nil || v.PrefixQueries == nil || *v.PrefixQueries == 0 {
		return nil
	}
	block := float64(blockTokens)
	if v.BlockTokens != nil && *v.BlockTokens > 0 {
		block = *v.BlockTokens
	}
	template := math.Floor(float64(templateTokens)/block) * block
	requests := 0.0
	if v.Started != nil {
		requests = *v.Started
	}
	leaked := max(0, *v.PrefixHits-template*requests)
	share := leaked / *v.PrefixQueries
	if share <= maxHitShare {
		return nil
	}
	if v.Preemptions != nil && *v.Preemptions > 0 {
		// A request that was preempted finds its own blocks again when it is taken up anew.
		return []results.Finding{limited(results.LevelWarning, CodePrefixHits, share, maxHitShare,
			"%s of the prompt tokens came from the prefix cache (limit %s), some of them requests that were preempted and taken up again",
			percent(share), percent(maxHitShare))}
	}
	return []results.Finding{limited(results.LevelInvalid, CodePrefixHits, share, maxHitShare,
		"%s of the prompt tokens came from the prefix cache beyond the template's own %.0f (limit %s): the prompts weren't fresh",
		percent(share), template, percent(maxHitShare))}
}

// overCapacity marks a matrix cell in which the engine couldn't run at once
// what was asked; the cell's numbers are right for what did run.
func overCapacity(s results.StepSummary) []results.Finding {
	v := s.Server
	var found []results.Finding
	if v.Waiting != nil && v.Waiting.Max > 0 {
		found = append(found, limited(results.LevelNote, CodeOverCapacity, v.Waiting.Max, 0, "up to %.0f requests waited in the engine", v.Waiting.Max))
	}
	if v.Preemptions != nil && *v.Preemptions > 0 {
		found = append(found, limited(results.LevelNote, CodeOverCapacity, *v.Preemptions, 0, "the engine preempted %.0f requests", *v.Preemptions))
	}
	if v.Running != nil && v.Running.Mean < minRunning*float64(s.Step.Streams) {
		found = append(found, limited(results.LevelNote, CodeOverCapacity, v.Running.Mean, minRunning*float64(s.Step.Streams),
			"%.3g requests ran at once on average, %d were asked for", v.Running.Mean, s.Step.Streams))
	}
	return found
}

// node: what happened to the machine.
func node(s results.StepSummary) []results.Finding {
	v := s.Server
	if v == nil {
		return nil
	}
	var found []results.Finding
	if v.OOMKills != nil && *v.OOMKills > 0 {
		found = append(found, limited(results.LevelInvalid, CodeOOMKill, *v.OOMKills, 0,
			"the kernel killed %.0f processes of the job for want of memory", *v.OOMKills))
	}
	if len(v.Throttle) > 0 {
		found = append(found, plain(results.LevelWarning, CodeThrottled, "a GPU's clock was held down: %s", v.Throttle[0]))
	}
	return found
}
