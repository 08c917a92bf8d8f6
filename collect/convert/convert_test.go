package convert

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"hpcbench/collect/aggregate"
	"hpcbench/collect/collecttest"
	"hpcbench/collect/compare"
	"hpcbench/collect/read"
	"hpcbench/results"
)

func capture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "captures", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func parse(t *testing.T, name string) Part {
	t.Helper()
	p, err := Parse(name, capture(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func imported(t *testing.T, parts ...Part) *read.Run {
	t.Helper()
	dir, err := WriteRun(t.TempDir(), "old", parts)
	if err != nil {
		t.Fatal(err)
	}
	run, err := read.Open(string(dir), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := run.AllProblems(); len(p) > 0 {
		t.Errorf("problems: %v", p)
	}
	return run
}

func TestHuggingFaceImportKeepsEveryFigure(t *testing.T) {
	run := imported(t, parse(t, "A.json"))
	if run.Spec.Imported != "inference-benchmarker, A.json" || run.Spec.Model.Name != "truth-model" || run.Spec.Plan.Output.Tokens != 50 || run.Spec.Plan.MaxInFlight != 800 {
		t.Errorf("spec %+v", run.Spec)
	}
	sum := run.Repeats[0].Summary
	if sum.Warmup == nil || len(sum.Steps) != 3 {
		t.Fatalf("%d steps", len(sum.Steps))
	}
	s := sum.Steps[1]
	if s.Step.ID != "constant@10.00req/s" || s.Step.RatePerS != 10 || s.Compat.RequestRate != 9.670699683461734 || s.Compat.TTFTMs.P99 != 102.948 ||
		s.Compat.Successful != 144 || s.Compat.TotalTokens != 7200 || s.Compat.DurationMs != 14890 {
		t.Errorf("step %+v", s.Compat)
	}
	if s.Corrected.Valid {
		t.Error("the file has no corrected figures")
	}
	tab := aggregate.Of(run)
	if _, ok := tab.Steps[0].Estimate("corrected.ttft_ms.p50"); ok {
		t.Error("corrected must not be stated")
	}
}

// TestHuggingFaceRoundTrip exports what was imported: results must be the same
// JSON, field by field and in the tool's order.
func TestHuggingFaceRoundTrip(t *testing.T) {
	for _, name := range []string{"A.json", "B.json", "C.json"} {
		run := imported(t, parse(t, name))
		got, leftOut, err := HuggingFace(run, &run.Repeats[0])
		if err != nil || len(leftOut) > 0 {
			t.Fatalf("%s: %v, left out %v", name, err, leftOut)
		}
		var a, b struct {
			Results []json.RawMessage `json:"results"`
		}
		if err := json.Unmarshal(capture(t, name), &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got, &b); err != nil {
			t.Fatal(err)
		}
		if len(a.Results) != len(b.Results) {
			t.Fatalf("%s: %d results, want %d", name, len(b.Results), len(a.Results))
		}
		for i := range a.Results {
			if !bytes.Equal(a.Results[i], b.Results[i]) {
				t.Errorf("%s, result %d:\n%s\nwant\n%s", name, i, b.Results[i], a.Results[i])
			}
		}
		if want, have := keyOrder(t, capture(t, name)), keyOrder(t, got); !reflect.DeepEqual(want, have) {
			t.Errorf("%s: keys %v, want %v", name, have, want)
		}
	}
}

// keyOrder lists the keys of the whole file and its config in their order,
// but for what is free: meta.
func keyOrder(t *testing.T, data []byte) []string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	var keys []string
	depth, expectKey := 0, false
	var stack []bool // object?
	for {
		tok, err := dec.Token()
		if err != nil {
			return keys
		}
		switch v := tok.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				stack = append(stack, v == '{')
				depth++
				expectKey = v == '{'
				continue
			}
			stack = stack[:len(stack)-1]
			depth--
			expectKey = len(stack) > 0 && stack[len(stack)-1]
		default:
			inObject := len(stack) > 0 && stack[len(stack)-1]
			if inObject && expectKey {
				key := tok.(string)
				if depth <= 2 && key != "version" && key != "tp" && key != "engine" && key != "device" && key != "tool" && key != "repeat" {
					keys = append(keys, key)
				}
				expectKey = false
				continue
			}
			expectKey = inObject
		}
	}
}

func TestHuggingFaceExportOfOwnRun(t *testing.T) {
	run, err := read.Open(string(collecttest.Write(t, collecttest.Setup{DurationS: 30, Simulated: true})), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, leftOut, err := HuggingFace(run, &run.Repeats[2])
	if err != nil || len(leftOut) != 0 {
		t.Fatal(err, leftOut)
	}
	back, err := Parse("own.json", file)
	if err != nil {
		t.Fatal(err)
	}
	want := run.Repeats[2].Summary.Steps[1].Compat
	if got := back.Steps[1].Compat; got.RequestRate != want.RequestRate || *got.E2EMs != *want.E2EMs || got.Successful != want.Successful {
		t.Errorf("read back %+v, want %+v", got, want)
	}
	if back.Meta["simulated"] != "true" || back.Meta["repeat"] != "3" {
		t.Errorf("meta %v", back.Meta)
	}
	if !bytes.Contains(file, []byte(`"rates":[2.53,3.79,5.69],"num_rates":10,"prompt_options":{"num_tokens":200,`)) {
		t.Errorf("config: %.400s", file)
	}
	run.Repeats[2].Summary = nil
	if _, _, err := HuggingFace(run, &run.Repeats[2]); err == nil {
		t.Error("a repeat without numbers can't be exported")
	}
}

func TestVLLMImport(t *testing.T) {
	run := imported(t, parse(t, "vllm-bench-serve-c1.json"), parse(t, "vllm-bench-serve-c16.json"), parse(t, "vllm-bench-serve-c60.json"))
	sum := run.Repeats[0].Summary
	if len(run.Repeats) != 1 || len(sum.Steps) != 3 || sum.Steps[1].Step.ID != "concurrency@16" || run.Spec.Plan.Kind != results.KindConcurrency {
		t.Fatalf("repeats %d, steps %+v", len(run.Repeats), sum.Steps)
	}
	c := sum.Steps[0].Corrected
	if *c.ServiceTTFT.Mean != 10.518537750044743 || *c.TPOTMs.P95 != 2.334766707874553 || c.TokensPerS != 421.2353961257868 || *c.TokensPerReq != 128 {
		t.Errorf("c1: %+v", c)
	}
	// 4 requests: the tool's sd is of n, ours of n−1
	if sd := *c.ServiceTTFT.SD; sd < 0.738 || sd > 0.7381 {
		t.Errorf("sd %g", sd)
	}
	if _, ok := aggregate.Of(run).Steps[0].Estimate("compat.ttft_ms.avg"); ok {
		t.Error("compat figures can't be had from this tool")
	}
}

func TestVLLMChatRate(t *testing.T) {
	p := parse(t, "vllm-bench-serve-chat-rate5-detailed.json")
	s := p.Steps[0]
	if s.Step.ID != "poisson@5.00req/s" || s.Step.RatePerS != 5 || p.Plan.Request.API != "chat" || s.Counts.Completed != 20 {
		t.Errorf("step %+v", s.Step)
	}
}

func TestVLLMFilesOfOneLevelAreRepeats(t *testing.T) {
	var parts []Part
	for i := range 3 {
		data := bytes.Replace(capture(t, "vllm-bench-serve-c16.json"), []byte("20261201-135521"), []byte("20261201-13552"+string(rune('1'+i))), 1)
		p, err := Parse("c16.json", data)
		if err != nil {
			t.Fatal(err)
		}
		p.File += string(rune('1' + i))
		parts = append(parts, p)
	}
	run := imported(t, parts...)
	if run.Spec.Repeats != 3 || run.Good() != 3 {
		t.Errorf("repeats %d, good %d", run.Spec.Repeats, run.Good())
	}
}

func TestImportedRunsCompareOverStandIns(t *testing.T) {
	a := imported(t, parse(t, "A.json"), again(t, "A.json", 2), again(t, "A.json", 3))
	b := imported(t, parse(t, "A.json"), again(t, "A.json", 2), again(t, "A.json", 3))
	c := compare.Runs(a, b, compare.Options{})
	if c.Verdict != compare.NoChange {
		t.Errorf("%s: %s", c.Verdict, c.Reason)
	}
	if c.Rows[0].Metric != "compat.itl_ms.p50" {
		t.Errorf("first row is of %s", c.Rows[0].Metric)
	}
}

func again(t *testing.T, name string, k int) Part {
	p := parse(t, name)
	p.File += string(rune('0' + k))
	return p
}

func TestImportRefuses(t *testing.T) {
	for _, tc := range []struct{ name, data, want string }{
		{"empty", " \n", "the file is empty"},
		{"no JSON", "hello", "invalid character"},
		{"another file", `{"a": 1}`, "neither a file of inference-benchmarker nor of vllm"},
		{"a list", `[1]`, "cannot unmarshal array"},
		{"truncated", string(capture(t, "A.json")[:900]), "unexpected end of JSON"},
		{"NaN", `{"mean_ttft_ms": NaN, "completed": 0}`, "which is no number"},
		{"no results", `{"config": {}, "results": []}`, "it has no results"},
		{"warm-up only", `{"config": {}, "results": [{"id": "warmup"}]}`, "a warm-up only"},
		{"negative", `{"config": {}, "results": [{"id": "x", "total_requests": -1}]}`, "negative"},
		{"sums", `{"config": {}, "results": [{"id": "x", "total_requests": 5, "successful_requests": 3}]}`, "3 successful and 0 failed requests don't make 5"},
		{"nothing completed", `{"mean_ttft_ms": 0, "completed": 0, "request_rate": "inf"}`, "not one request completed"},
		{"odd rate", `{"mean_ttft_ms": 1, "completed": 1, "request_rate": "often"}`, "neither a rate nor"},
		{"negative time", `{"mean_ttft_ms": -1, "completed": 1, "request_rate": 2}`, "mean_ttft_ms is negative"},
		{"bad date", `{"mean_ttft_ms": 1, "completed": 1, "request_rate": 2, "date": "yesterday"}`, `date "yesterday"`},
	} {
		_, err := Parse("f.json", []byte(tc.data))
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "import f.json: ") {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
	a, b := parse(t, "A.json"), parse(t, "C.json")
	for _, tc := range []struct {
		parts []Part
		want  string
	}{
		{nil, "no file"}, {[]Part{a, b}, "they aren't repeats of one run"},
		{[]Part{a, parse(t, "vllm-bench-serve-c1.json")}, "they aren't repeats of one run"},
	} {
		if _, err := WriteRun(t.TempDir(), "x", tc.parts); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
	dir := t.TempDir()
	if _, err := WriteRun(dir, "x", []Part{a}); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteRun(dir, "x", []Part{a}); err == nil || !strings.Contains(err.Error(), "choose another name") {
		t.Errorf("a run of that name exists: %v", err)
	}
}

func TestBenchfmtIsReadByBenchstat(t *testing.T) {
	run, err := read.Open(string(collecttest.Write(t, collecttest.Setup{DurationS: 30, RepeatCV: 0.02})), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := Benchfmt(&buf, run); err != nil {
		t.Fatal(err)
	}
	r := benchfmt.NewReader(bytes.NewReader(buf.Bytes()), "run")
	n := map[string]int{}
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			n[string(rec.Name)]++
			if v, ok := rec.Value("tpot-p50-sec"); !ok || v < 0.008 || v > 0.012 {
				t.Errorf("%s: tpot %v %v", rec.Name, v, ok)
			}
			if got := rec.GetConfig("model"); got != "Qwen/Qwen3-4B-Instruct-2507" {
				t.Errorf("model %q", got)
			}
		case *benchfmt.SyntaxError:
			t.Errorf("syntax: %v", rec)
		}
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	if n["Serve/rate=2.53"] != 5 || len(n) != 3 {
		t.Errorf("lines %v", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"A.json", "vllm-bench-serve-c1.json"} {
		f.Add(capture(f, name))
	}
	f.Add([]byte(`{"config":{"max_vus":1e300},"results":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("f", data)
		if err != nil {
			return
		}
		if len(p.Steps) == 0 {
			t.Error("no error and no step")
		}
		if _, err := results.EncodeJSON(importedSpec("run", []Part{p})); err != nil {
			t.Errorf("the spec can't be written: %v", err)
		}
		if _, err := results.EncodeJSON(p.Steps); err != nil {
			t.Errorf("the steps can't be written: %v", err)
		}
	})
}
