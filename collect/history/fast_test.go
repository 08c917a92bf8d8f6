package history

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// plainEntry reads without the fast way.
func plainEntry(b []byte) (Entry, error) {
	type plain Entry
	var p plain
	err := json.Unmarshal(b, &p)
	return Entry(p), err
}

func filled() Entry {
	return Entry{Format: FormatEntry, Run: "r", Dir: "/runs/r", At: time.Date(2026, 3, 1, 2, 3, 4, 5e6, time.UTC), Digest: "d", Site: "s", GPUKind: "g", GPUs: 4, Model: "m", Plan: "p", Engine: "e", Version: "v",
		Image: "i", Over: "5 nodes", Asked: 5, Good: 4, Simulated: true, Invalid: 1, Verdict: "no change", Steps: StepIDs{"a", "b"}, N: []int{5, 4}, TTFTMs: Figures{1.5, -1}, TPOTMs: Figures{2, 3},
		E2EMs: Figures{4, 5}, TokensPerS: Figures{6, 7}, ErrorShare: Figures{0, 0.25}, Saturated: []int{1}}
}

func TestFastReadsEveryField(t *testing.T) {
	want := filled()
	for i, v := 0, reflect.ValueOf(want); i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Fatalf("the test's entry has no %s: it wouldn't be noticed if the fast way didn't know it", v.Type().Field(i).Name)
		}
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Entry
	if !got.fast(b) || !reflect.DeepEqual(got, want) {
		t.Errorf("fast read %+v\nwant %+v", got, want)
	}
}

func TestFastLeavesTheRestToEncodingJSON(t *testing.T) {
	for _, line := range []string{`{}`, `{ "run": "spaced" }`, `{"run":"a\"b"}`, `{"run":"é"}`, `{"steps":["a]b","c"],"n":[1,2]}`, `{"new_field":{"x":[1]},"run":"r"}`, `{"gpus":1.5}`, `{"gpus":"x"}`, `{"run":"r",}`,
		`{"run":"r"`, `{"ttft_p50_ms":null,"n":null}`, `{"at":"yesterday"}`, `{"simulated":1}`, `{"run":"r"}x`, `[]`, `null`} {
		want, wantErr := plainEntry([]byte(line))
		var got Entry
		err := json.Unmarshal([]byte(line), &got)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; encoding/json %+v, %v", line, got, err, want, wantErr)
		}
	}
}

func FuzzFast(f *testing.F) {
	b, err := json.Marshal(filled())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"steps":["a]b"],"run":"x"}`))
	f.Add([]byte(`{"run":"a","run":"b","n":[1]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got Entry
		if !json.Valid(b) || !got.fast(b) {
			return
		}
		want, err := plainEntry(b)
		if err != nil {
			t.Fatalf("the fast way took %q, encoding/json says %v", b, err)
		}
		for _, c := range []*Figures{&got.TTFTMs, &got.TPOTMs, &got.E2EMs, &got.TokensPerS, &got.ErrorShare, &want.TTFTMs, &want.TPOTMs, &want.E2EMs, &want.TokensPerS, &want.ErrorShare} {
			if len(*c) == 0 {
				*c = nil
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: fast %+v, encoding/json %+v", b, got, want)
		}
	})
}
