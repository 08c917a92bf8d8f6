package read

import (
	"fmt"
	"os"
	"slices"

	"hpcbench/results"
)

// Values are the single measurements behind a summary: what pooled
// percentiles, distributions and timelines are drawn from.
type Values struct {
	Steps    map[int]*StepValues // by Step.Index
	Timeline []results.Sample    // in the order of the file; empty unless asked for
}

// StepValues are the finished values of one step's window, sorted, and how many
// more are unbounded. Their definitions are those of results.Corrected.
type StepValues struct {
	TTFTMs, TPOTMs, E2EMs []float64
	OpenTTFT, OpenE2E     int // sent requests without a first token, or without an end
}

// readValues reads records and telemetry of the chosen attempt.
func (r *Repeat) readValues(o Options) {
	v := &Values{Steps: map[int]*StepValues{}}
	if o.Values {
		seen, err := results.ReadLinesFile(r.Dir.Records(), v.add)
		if err != nil {
			r.Problems = append(r.Problems, problem(r.Dir.Records(), err))
		}
		if seen.Torn+seen.Bad > 0 && r.Summary.TornRecords+r.Summary.BadRecords == 0 {
			r.Problems = append(r.Problems, Problem{File: r.Dir.Records(), Words: fmt.Sprintf("%d torn and %d broken lines that summary.json doesn't know", seen.Torn, seen.Bad)})
		}
		if len(v.Steps) == 0 {
			if _, err := os.Stat(r.Dir.Records()); err != nil {
				r.Problems = append(r.Problems, problem(r.Dir.Records(), err))
			}
		}
		for _, s := range v.Steps {
			slices.Sort(s.TTFTMs)
			slices.Sort(s.TPOTMs)
			slices.Sort(s.E2EMs)
		}
	}
	if o.Timelines {
		seen, err := results.ReadLinesFile(r.Dir.Telemetry(), func(s results.Sample) { v.Timeline = append(v.Timeline, s) })
		if err != nil {
			r.Problems = append(r.Problems, problem(r.Dir.Telemetry(), err))
		}
		if seen.Bad > 0 {
			r.Problems = append(r.Problems, Problem{File: r.Dir.Telemetry(), Words: fmt.Sprintf("%d broken lines; the others are drawn", seen.Bad)})
		}
	}
	r.Values = v
}

// add takes one record of a step's window.
func (v *Values) add(rec results.Record) {
	if rec.Phase != results.PhaseWindow || rec.TSend == 0 {
		return
	}
	s := v.Steps[rec.Step]
	if s == nil {
		s = &StepValues{}
		v.Steps[rec.Step] = s
	}
	if rec.Outcome == results.OutcomeShed || rec.Outcome == results.OutcomeDropped {
		return
	}
	if rec.TFirstToken > 0 {
		s.TTFTMs = append(s.TTFTMs, ms(rec.TFirstToken-rec.TIntended))
	} else {
		s.OpenTTFT++
	}
	if rec.Outcome != results.OutcomeCompleted {
		s.OpenE2E++
		return
	}
	s.E2EMs = append(s.E2EMs, ms(rec.TEnd-rec.TIntended))
	if n := rec.OutputTokens - max(rec.FirstTokens, 1); n > 0 && rec.TLastToken > rec.TFirstToken {
		s.TPOTMs = append(s.TPOTMs, ms(rec.TLastToken-rec.TFirstToken)/float64(n))
	}
}

func ms(us int64) float64 { return float64(us) / 1e3 }
