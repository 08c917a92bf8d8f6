package collecttest

import (
	"math"
	"slices"

	"hpcbench/results"
)

// summarise makes the summary of the drawn requests. It is simpler than the
// real one (every request completes) and only for in-memory runs; tests of the
// way from records to summaries use results/summary.
func summarise(s Setup, k int, a results.Attempt, records []results.Record) results.Summary {
	sum := results.Summary{
		Format: results.FormatSummary, RulesVersion: 1, Run: s.Name, Repeat: k, Attempt: a.Attempt, Simulated: a.Simulated, State: a.State,
		Clock: a.Clock.Kind, ScheduleDigest: a.ScheduleDigest,
	}
	for _, step := range s.Steps {
		var mine []results.Record
		for _, r := range records {
			if r.Step == step.Index {
				mine = append(mine, r)
			}
		}
		sum.Steps = append(sum.Steps, stepSummary(step, mine))
	}
	return sum
}

func stepSummary(step results.Step, records []results.Record) results.StepSummary {
	out := results.StepSummary{Step: step, Finished: step.NotRun == ""}
	if len(records) == 0 {
		return out
	}
	from := records[0].TIntended
	to := from + int64(step.DurationS*1e6)
	out.WindowFrom, out.WindowTo, out.WindowS = from, to, step.DurationS
	var ttft, tpot, e2e, serviceTTFT, serviceE2E []float64
	var compatTTFT, compatITL, compatE2E []float64
	var tokensIn, output, prompt, inside int64
	completed, achieved, ended := 0, 0, int64(0)
	for _, r := range records {
		if r.Outcome != results.OutcomeCompleted {
			continue
		}
		completed++
		ttft = append(ttft, float64(r.TFirstToken-r.TIntended)/1e3)
		tpot = append(tpot, float64(r.TLastToken-r.TFirstToken)/1e3/float64(r.OutputTokens-1))
		e2e = append(e2e, float64(r.TEnd-r.TIntended)/1e3)
		serviceTTFT = append(serviceTTFT, float64(r.TFirstToken-r.TSend)/1e3)
		serviceE2E = append(serviceE2E, float64(r.TEnd-r.TSend)/1e3)
		output += int64(r.OutputTokens)
		prompt += int64(r.PromptTokens)
		if r.TEnd < to {
			achieved++
			inside += int64(r.OutputTokens)
			compatTTFT = append(compatTTFT, float64(r.TFirstText-r.TStart)/1e3)
			compatITL = append(compatITL, float64(r.TLastText-r.TFirstText)/1e3/float64(r.OutputTokens-1))
			compatE2E = append(compatE2E, float64(r.TEnd-r.TStart)/1e3)
			tokensIn += int64(r.OutputTokens)
			ended = max(ended, r.TEnd)
		}
	}
	n := len(records)
	out.Counts = results.Counts{Planned: n, Sent: n, Completed: completed, Failed: n - completed}
	out.InFlightEnd = completed - achieved
	tokensPer := float64(output) / float64(max(completed, 1))
	promptPer := float64(prompt) / float64(max(completed, 1))
	out.Corrected = results.Corrected{
		Valid: true, TTFTMs: Dist(ttft), TPOTMs: Dist(tpot), E2EMs: Dist(e2e), GapMs: Dist(tpot), ServiceTTFT: Dist(serviceTTFT), ServiceE2E: Dist(serviceE2E),
		OfferedPerS: float64(n) / step.DurationS, SentPerS: float64(n) / step.DurationS, AchievedPerS: float64(achieved) / step.DurationS,
		CohortShare: float64(completed) / float64(n), OutputTokens: output, PromptTokens: prompt, TokensPerS: float64(inside) / step.DurationS,
		TotalPerS: float64(inside+prompt) / step.DurationS, TokensPerReq: &tokensPer, PromptPerReq: &promptPer,
		InFlightMean: float64(n) / step.DurationS * 1.7, InFlightMax: int(float64(n)/step.DurationS*2) + 1, TokensPerEvt: 1, MaxPerEvt: 1,
	}
	out.Client = results.ClientFacts{SendLagMs: Dist([]float64{0.01, 0.02, 0.02, 0.03}), ReusedShare: 1}
	out.Clocks = map[string]int{results.ClockKernel: n}
	out.Sources = map[string]int{results.TokensUsage: n}
	out.Compat = results.Compat{ID: step.ID, TotalReqs: len(compatE2E), Successful: len(compatE2E), TotalTokens: tokensIn, TokensSent: int64(200 * len(compatE2E)),
		TokensSource: results.TokensUsage, Excluded: completed - achieved}
	if len(compatE2E) > 0 {
		d := float64(ended-records[0].TStart) / 1e6
		out.Compat.Valid = true
		out.Compat.DurationMs = int64(d * 1e3)
		out.Compat.RequestRate = float64(len(compatE2E)) / d
		out.Compat.TokensPerS = float64(tokensIn) / d
		out.Compat.TTFTMs, out.Compat.ITLMs, out.Compat.E2EMs = compatDist(compatTTFT), compatDist(compatITL), compatDist(compatE2E)
	}
	return out
}

// Dist makes a distribution of finished values (type 7 percentiles).
func Dist(values []float64) results.Dist {
	d := results.Dist{N: len(values)}
	if len(values) == 0 {
		return d
	}
	v := slices.Clone(values)
	slices.Sort(v)
	mean := 0.0
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	ss := 0.0
	for _, x := range v {
		ss += (x - mean) * (x - mean)
	}
	q := func(p float64) *float64 { x := quantile(v, p); return &x }
	d.Mean, d.Min, d.Max, d.Over = &mean, &v[0], &v[len(v)-1], &v[len(v)-1]
	if len(v) > 1 {
		sd := math.Sqrt(ss / float64(len(v)-1))
		d.SD = &sd
	}
	d.P50, d.P60, d.P70, d.P80, d.P90, d.P95, d.P99 = q(.5), q(.6), q(.7), q(.8), q(.9), q(.95), q(.99)
	return d
}

func compatDist(values []float64) *results.CompatDist {
	d := Dist(values)
	cut := func(x float64) float64 { return math.Trunc(x*1e3) / 1e3 }
	return &results.CompatDist{P50: cut(*d.P50), P60: cut(*d.P60), P70: cut(*d.P70), P80: cut(*d.P80), P90: cut(*d.P90), P95: cut(*d.P95), P99: cut(*d.P99), Avg: cut(*d.Mean)}
}

func quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	lo := int(h)
	if lo+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[lo] + (h-float64(lo))*(sorted[lo+1]-sorted[lo])
}
