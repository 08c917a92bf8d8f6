package read

import (
	"fmt"
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

// takeValues sorts the records' values by step. Broken lines are named where the
// summary doesn't already speak of them.
func (r *Repeat) takeValues(files *results.AttemptFiles, o Options) {
	r.Values = &Values{Steps: map[int]*StepValues{}}
	if files == nil {
		r.Problems = append(r.Problems, Problem{File: r.Dir.Records(), Words: "there are no records: no pooled percentiles, distributions or timelines of this repeat"})
		return
	}
	if o.Values {
		for i := range files.Records {
			r.Values.add(&files.Records[i])
		}
		for _, s := range r.Values.Steps {
			slices.Sort(s.TTFTMs)
			slices.Sort(s.TPOTMs)
			slices.Sort(s.E2EMs)
		}
	}
	if o.Timelines {
		r.Values.Timeline = files.Samples
	}
	if l := files.RecordLines; l.Torn != r.Summary.TornRecords || l.Bad != r.Summary.BadRecords {
		r.Problems = append(r.Problems, Problem{File: r.Dir.Records(), Words: fmt.Sprintf(
			"%d torn and %d broken lines (the first at byte %d) that summary.json doesn't know: it was damaged later", l.Torn, l.Bad, l.At)})
	}
}

// add takes one record of a step's window.
func (v *Values) add(rec *results.Record) {
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
