//go:build linux

package bench

import (
	"fmt"
	"os"
	"slices"
	"time"

	"hpcbench/engine/stub"
	"hpcbench/results"
	"hpcbench/results/summary"
)

// Result is what came of a measurement, over the window of its last step.
type Result struct {
	Requests, Completed int
	Events              int     // token events inside the window
	PerS                float64 // of them
	Held                float64 // streams, by the server's own account
	HeldSaid            float64 // by ours
	CPUPerMil           float64 // seconds of a core for a million token events, the whole generator's
	PeakMB              float64
	// Stamp errors are our stamp − the server's write, of token events that aren't merged, in µs.
	Stamps             int
	ErrorP50, ErrorP99 float64
	// TTFTErrorP50 and P99 are our TTFT − the server's, from the read of the request, in µs.
	TTFTErrorP50, TTFTErrorP99 float64
	Merged                     int
	MergedOutside              int     // merged events whose true instant isn't in their interval
	LagP50, LagP99             float64 // send lag in ms, open loops
	BurstMs                    float64 // until the first 1,000 requests were sent, 0 = fewer
	StartMs                    float64 // from the start of the process to its first request
	Valid                      bool
	Why                        []string
}

// evaluate lays the records beside the truth.
func evaluate(dir results.AttemptDir, truthFile string, began time.Time) (Result, error) {
	var out Result
	a, err := results.ReadJSON[results.Attempt](dir.Attempt(), results.FormatAttempt)
	if err != nil {
		return out, err
	}
	sum, err := results.ReadJSON[results.Summary](dir.Summary(), results.FormatSummary)
	if err != nil {
		return out, err
	}
	if len(sum.Steps) == 0 {
		return out, fmt.Errorf("no step was run")
	}
	truth, err := readTruth(truthFile)
	if err != nil {
		return out, err
	}
	step := sum.Steps[len(sum.Steps)-1]
	out.Requests, out.Completed = step.Counts.Sent, step.Counts.Completed
	out.Valid = !results.Invalid(step.Findings)
	for _, f := range step.Findings {
		out.Why = append(out.Why, f.Level+" "+f.Code+": "+f.Reason)
	}
	if step.Client.StreamsHeld != nil {
		out.HeldSaid = *step.Client.StreamsHeld
	}
	if p := step.Client.SendLagMs.P50; p != nil {
		out.LagP50, out.LagP99 = *p, *step.Client.SendLagMs.P99
	}
	c := comparison{truth: truth, epoch: a.EpochAt.UnixNano(), from: step.WindowFrom, to: step.WindowTo}
	first := int64(0)
	var sends []int64
	_, err = results.ReadLinesFile(dir.Records(), func(r results.Record) {
		if r.TSend > 0 && (first == 0 || r.TSend < first) {
			first = r.TSend
		}
		if r.TSend > 0 {
			sends = append(sends, r.TSend)
		}
		c.take(&r)
	})
	if err != nil {
		return out, err
	}
	slices.Sort(sends)
	if len(sends) >= 1000 {
		out.BurstMs = float64(sends[999]-sends[0]) / 1000
	}
	out.StartMs = float64(a.EpochAt.Sub(began).Microseconds()+first) / 1000
	cpu := 0.
	_, err = results.ReadLinesFile(dir.Telemetry(), func(s results.Sample) {
		if s.Client != nil && s.At > step.WindowFrom && s.At <= step.WindowTo {
			cpu += s.Client.CPUShare * telemetryEvery
			c.sampled += telemetryEvery
		}
	})
	c.result(&out, cpu, step.WindowS)
	return out, err
}

// telemetryEvery is the seconds that a client sample stands for.
const telemetryEvery = 1.

func readTruth(path string) (map[string]*stub.Truth, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := stub.ReadTruth(f)
	byID := map[string]*stub.Truth{}
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	return byID, err
}

// comparison gathers the differences to the truth.
type comparison struct {
	truth    map[string]*stub.Truth
	epoch    int64 // wall clock of the attempt's epoch, ns
	from, to int64 // the window, µs
	gaps     []results.Gap

	errors, ttft    []float64 // µs
	events, merged  int
	outside         int
	heldNs, sampled float64
}

func (c *comparison) take(r *results.Record) {
	t := c.truth[r.ServerID]
	if t == nil || r.TFirstToken == 0 {
		return
	}
	// ours is a wall-clock instant of the server as µs since our epoch.
	ours := func(mono int64) float64 { return float64(mono+t.RealOffsetNs-c.epoch) / 1000 }
	begin, end := max(ours(t.ReadNs), float64(c.from)), min(ours(t.EndNs), float64(c.to))
	if end > begin {
		c.heldNs += (end - begin) * 1000
	}
	var writes []int64
	for i, n := range t.Tokens {
		if n > 0 {
			writes = append(writes, t.WriteNs[i])
		}
	}
	if len(writes) < r.TokenEvents {
		return
	}
	gaps, err := results.DecodeGaps(c.gaps[:0], r.Gaps)
	if c.gaps = gaps; err != nil || len(gaps) != r.TokenEvents-1 {
		return
	}
	if r.TFirstToken >= c.from && r.TFirstToken < c.to && r.FirstTokenEarliest == 0 {
		c.ttft = append(c.ttft, float64(r.TFirstToken-r.TSend)-(ours(writes[0])-ours(t.ReadNs)))
	}
	at := r.TFirstToken
	for i := range r.TokenEvents {
		exact := r.FirstTokenEarliest == 0
		if i > 0 {
			at += gaps[i-1].Us
			exact = !gaps[i-1].Merged
		}
		if at < c.from || at >= c.to {
			continue
		}
		c.events++
		if !exact {
			c.merged++
			if float64(at)-ours(writes[i]) < -100 {
				c.outside++
			}
			continue
		}
		c.errors = append(c.errors, float64(at)-ours(writes[i]))
	}
}

func (c *comparison) result(out *Result, cpuS, windowS float64) {
	out.Events, out.Merged, out.MergedOutside, out.Stamps = c.events, c.merged, c.outside, len(c.errors)
	if windowS > 0 {
		out.PerS = float64(c.events) / windowS
		out.Held = c.heldNs / 1e9 / windowS
	}
	if c.events > 0 && c.sampled > 0 {
		out.CPUPerMil = cpuS / c.sampled / (out.PerS / 1e6)
	}
	slices.Sort(c.errors)
	slices.Sort(c.ttft)
	if len(c.errors) > 0 {
		out.ErrorP50, out.ErrorP99 = summary.Quantile(c.errors, 0.5), summary.Quantile(c.errors, 0.99)
	}
	if len(c.ttft) > 0 {
		out.TTFTErrorP50, out.TTFTErrorP99 = summary.Quantile(c.ttft, 0.5), summary.Quantile(c.ttft, 0.99)
	}
}
