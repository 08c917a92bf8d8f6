package summary

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hpcbench/results"
)

// FuzzCompute gives Compute files that no hpcbench wrote: it must not fall over
// them, nor make a figure that JSON can't hold, and their order mustn't matter.
func FuzzCompute(f *testing.F) {
	text := func(values any) string {
		b, err := json.Marshal(values)
		if err != nil {
			f.Fatal(err)
		}
		var lines bytes.Buffer
		var raw []json.RawMessage
		if err := json.Unmarshal(b, &raw); err != nil {
			f.Fatal(err)
		}
		for _, r := range raw {
			lines.Write(r)
			lines.WriteByte('\n')
		}
		return lines.String()
	}
	in := mixed()
	f.Add(text(in.Records), text(append(in.Samples, counted(1, 12, nil)...)))
	held := heldAttempt(1, 900, 50_000, func(int64) int64 { return 10_000 })
	f.Add(text(held.Records), text(append(held.Samples, gpus(2, func(int, int64) *float64 { return ptr(100.0) }, nil)[:6]...)))
	f.Add(`{"seq":1,"step":-1,"phase":"warmup","outcome":"completed","t_send_us":9223372036854775807,"t_end_us":-1}`+"\n",
		`{"at_us":1,"kind":"step","step":{"index":-1,"edge":"open"}}`+"\n")
	f.Add(`{"seq":1,"phase":"window","outcome":"completed","t_send_us":5,"t_first_token_us":9,"t_end_us":20,"token_events":1152921504606846976,"token_counts":"AgI"}`+"\n",
		`{"at_us":1,"kind":"step","step":{"index":0,"edge":"open"}}`+"\n")
	f.Fuzz(func(t *testing.T, records, samples string) {
		in := Input{Attempt: results.Attempt{State: results.StateComplete}, Plan: results.Plan{SLO: &results.SLO{TTFTMs: 5, TPOTMs: 1}}}
		var err error
		if in.RecordLines, err = results.ReadLines(strings.NewReader(records), func(r results.Record) { in.Records = append(in.Records, r) }); err != nil {
			t.Fatal(err)
		}
		if in.SampleLines, err = results.ReadLines(strings.NewReader(samples), func(s results.Sample) { in.Samples = append(in.Samples, s) }); err != nil {
			t.Fatal(err)
		}
		if _, err := results.EncodeJSON(Compute(in)); err != nil {
			t.Fatal(err)
		}
	})
}
