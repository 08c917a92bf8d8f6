package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"hpcbench/collect/aggregate"
)

// csvHead is the CSV's first line: one row a step and metric, so that any
// spreadsheet can filter and pivot. Units are in the metric's name and beside it.
var csvHead = []string{"run", "simulated", "step", "step_index", "rate_per_s", "streams", "metric", "unit", "n", "mean", "sd", "cv", "low_95", "high_95",
	"median", "min", "max", "unbounded", "at_least", "outliers", "raw"}

// CSV writes every estimate of every step.
func (d *Document) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHead); err != nil {
		return err
	}
	for i := range d.Steps {
		s := &d.Steps[i]
		for _, e := range s.Estimates {
			if err := out.Write(csvRow(d, s, e)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func csvRow(d *Document, s *aggregate.Step, e aggregate.Estimate) []string {
	m, _ := aggregate.MetricByName(e.Metric)
	var raw, outliers []string
	for _, r := range e.Raw {
		v := exact(&r.Value)
		if r.Unbounded {
			v = ">" + v
		}
		raw = append(raw, strconv.Itoa(r.Repeat)+":"+v)
		if r.Outlier != "" {
			outliers = append(outliers, strconv.Itoa(r.Repeat))
		}
	}
	rate, streams := "", ""
	if s.Step.RatePerS > 0 {
		rate = exact(&s.Step.RatePerS)
	}
	if s.Step.Streams > 0 {
		streams = strconv.Itoa(s.Step.Streams)
	}
	return []string{d.Run, strconv.FormatBool(d.Simulated), s.Step.ID, strconv.Itoa(s.Step.Index), rate, streams, e.Metric, m.Unit, strconv.Itoa(e.N),
		exact(e.Mean), exact(e.SD), exact(e.CV), exact(e.Low), exact(e.High), exact(e.Median), exact(e.Min), exact(e.Max),
		strconv.Itoa(e.Unbounded), exact(e.AtLeast), strings.Join(outliers, " "), strings.Join(raw, " ")}
}

// exact prints a figure so that it reads back the same; "" for none.
func exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
