package read

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

	"hpcbench/results"
	"hpcbench/results/judge"
	"hpcbench/results/summary"
)

// edited is what a digest that differs means.
const edited = "summary.json was edited (its digest differs)"

// stale says why a summary that could be read shouldn't be used as it is; "" = it should.
func stale(s *results.Summary, a *results.Attempt) string {
	if digest, err := s.ContentDigest(); s.Digest != "" && (err != nil || digest != s.Digest) {
		return edited
	}
	if bad := negative(s); bad != "" {
		return "summary.json has a negative time (" + bad + ")"
	}
	if s.Imported != "" {
		return "" // there are no records and nothing to judge by
	}
	if judge.RulesVersion > s.RulesVersion {
		return fmt.Sprintf("it was judged by rules %d, these are rules %d", s.RulesVersion, judge.RulesVersion)
	}
	if a == nil {
		return ""
	}
	switch {
	case s.Repeat != a.Repeat || s.Attempt != a.Attempt:
		return fmt.Sprintf("summary.json is of repeat %d, attempt %d", s.Repeat, s.Attempt)
	case s.State != a.State:
		return fmt.Sprintf("summary.json says %s, attempt.json %s", s.State, a.State)
	case s.ScheduleDigest != a.ScheduleDigest:
		return "its schedule digest isn't the attempt's"
	}
	return ""
}

// negative names the first duration below zero: a clock ran backwards, or the file was edited.
func negative(s *results.Summary) string {
	for i := range s.Steps {
		c := &s.Steps[i].Corrected
		for _, d := range []struct {
			name string
			dist *results.Dist
		}{{"ttft_ms", &c.TTFTMs}, {"tpot_ms", &c.TPOTMs}, {"e2e_ms", &c.E2EMs}, {"gap_ms", &c.GapMs}} {
			if d.dist.Min != nil && *d.dist.Min < 0 {
				return fmt.Sprintf("%s of step %s: %g", d.name, s.Steps[i].Step.ID, *d.dist.Min)
			}
		}
		if s.Steps[i].WindowS < 0 {
			return fmt.Sprintf("window of step %s: %g s", s.Steps[i].Step.ID, s.Steps[i].WindowS)
		}
	}
	return ""
}

// recompute makes the summary from the records. Where it can't, a summary that
// was read stays, judged anew, with a Problem that says why it is not better.
func (r *Repeat) recompute(reason string, files *results.AttemptFiles, plan results.Plan) {
	read := r.Summary
	if files == nil {
		var err error
		if files, err = r.files(); err != nil {
			r.keep(reason, err, plan)
			return
		}
	}
	if len(files.Records) == 0 && (len(files.Samples) == 0 || !onDisk(r.Dir.Records())) {
		r.keep(reason, errors.New("there are no records"), plan)
		return
	}
	made := summary.Compute(summary.Input{Attempt: files.Attempt, Records: files.Records, Samples: files.Samples,
		RecordLines: files.RecordLines, SampleLines: files.SampleLines, Plan: plan})
	switch {
	case reason == edited:
		r.Problems = append(r.Problems, Problem{File: r.Dir.Summary(), Words: "it was edited (its digest differs): the figures were made again from the records, which count"})
	case read != nil && read.RulesVersion == made.RulesVersion && !reflect.DeepEqual(read.Steps, made.Steps):
		r.Problems = append(r.Problems, Problem{File: r.Dir.Summary(), Words: "it isn't what the records give: one of the two was edited or is incomplete; the records count"})
	}
	r.Summary, r.Recomputed = &made, reason
}

// files reads the attempt whole.
func (r *Repeat) files() (*results.AttemptFiles, error) {
	files, err := results.ReadAttempt(r.Dir)
	if err != nil {
		return nil, err
	}
	return &files, nil
}

// keep makes do without records.
func (r *Repeat) keep(reason string, err error, plan results.Plan) {
	words := reason + ", and it can't be made from the records: " + problem(r.Dir.Records(), err).Words
	r.Problems = append(r.Problems, Problem{File: r.Dir.Summary(), Words: words})
	if r.Summary == nil || reason == edited { // nothing vouches for figures that somebody wrote in
		r.Summary, r.Why = nil, reason+", and the records give none"
		return
	}
	if r.Attempt != nil && r.Summary.RulesVersion < judge.RulesVersion {
		judge.Apply(r.Summary, *r.Attempt, plan)
	}
}

// cut says whether a file of lines ends within one.
func cut(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // a missing file is another matter
	}
	defer f.Close()
	end, err := f.Seek(-1, io.SeekEnd)
	if err != nil || end < 0 {
		return false // empty
	}
	last := make([]byte, 1)
	_, err = f.Read(last)
	return err == nil && last[0] != '\n'
}

// onDisk says whether a file is there.
func onDisk(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
