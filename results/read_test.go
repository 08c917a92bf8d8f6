package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeAttempt fills an attempt's folder with so many records as load writes them.
func writeAttempt(t testing.TB, records int) (AttemptDir, []Record) {
	t.Helper()
	dir := AttemptDir(t.TempDir())
	a := Attempt{Format: FormatAttempt, RecordsFormat: FormatRecords, TelemetryFormat: FormatTelemetry, Run: "r", Repeat: 2, State: StateComplete}
	if err := WriteJSON(dir.Attempt(), a, 0o600); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]Record, records)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	for i := range all {
		at := int64(1_000_000 + 50_000*i)
		gaps := make([]Gap, 199)
		for k := range gaps {
			gaps[k] = Gap{Us: 8000 + rng.Int64N(2000), Merged: k%50 == 0}
		}
		all[i] = Record{Seq: i, Step: i % 9, Phase: PhaseWindow, Outcome: OutcomeCompleted, Status: 200, Finish: "length",
			TIntended: at, TStart: at + 5, TSend: at + 17, THeaders: at + 20_111, TFirstEvent: at + 31_000, TFirstToken: at + 31_000,
			TLastToken: at + 1_800_000, TFirstText: at + 31_000, TLastText: at + 1_800_000, TDone: at + 1_800_050, TEnd: at + 1_800_050,
			PromptAsked: 200, PromptTokens: 200, OutputAsked: 200, OutputTokens: 200, FirstTokens: 1, TokensSource: TokensContinuous,
			Events: 202, TokenEvents: 200, TextEvents: 200, BytesOut: 1500, BytesIn: 63_000, ServerID: fmt.Sprintf("chatcmpl-%016x", i),
			Reused: true, Clock: ClockKernel, Gaps: EncodeGaps(gaps)}
		if err := enc.Encode(all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(dir.Records(), text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, all
}

func TestReadAttempt(t *testing.T) {
	dir, want := writeAttempt(t, 3000) // more than one part
	if err := os.WriteFile(dir.Telemetry(), []byte("{\"at_us\":5,\"kind\":\"host\",\"host\":{\"cpu_share\":0.5}}\n{\"at"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadAttempt(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got.Records); d != "" {
		t.Errorf("records differ: %.2000s", d)
	}
	if got.RecordLines != (Lines{}) || got.SampleLines != (Lines{Torn: 1}) || len(got.Samples) != 1 || got.Attempt.Repeat != 2 {
		t.Errorf("got %+v, %+v, %d samples", got.RecordLines, got.SampleLines, len(got.Samples))
	}
}

func TestReadAttemptFindsWhatIsBroken(t *testing.T) {
	dir, want := writeAttempt(t, 3000)
	b, err := os.ReadFile(dir.Records())
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	lines[7] = []byte("null\n")
	lines[2000] = append(lines[2000][:40:40], '\n')
	lines[2999] = lines[2999][:40]
	at := int64(len(bytes.Join(lines[:7], nil)))
	if err := os.WriteFile(dir.Records(), bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadAttempt(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.RecordLines != (Lines{Torn: 1, Bad: 2, At: at}) || len(got.Records) != len(want)-3 {
		t.Errorf("got %+v and %d records, the first bad line begins at %d", got.RecordLines, len(got.Records), at)
	}
}

func TestReadAttemptOfAnotherTime(t *testing.T) {
	dir := AttemptDir(t.TempDir())
	if _, err := ReadAttempt(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no attempt.json: %v", err)
	}
	if err := WriteJSON(dir.Attempt(), Attempt{Format: FormatAttempt, RecordsFormat: "hpcbench.records/9"}, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAttempt(dir); !errors.Is(err, ErrNewerFormat) || !strings.Contains(err.Error(), filepath.Base(dir.Records())) {
		t.Errorf("records of a newer hpcbench: %v", err)
	}
	if err := WriteJSON(dir.Attempt(), Attempt{Format: FormatAttempt, State: StateStarting}, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadAttempt(dir); err != nil || len(got.Records)+len(got.Samples) != 0 {
		t.Errorf("killed before the first record: %v, %d records", err, len(got.Records))
	}
}

func FuzzReadLines(f *testing.F) {
	f.Add("{\"seq\":1}\n{\"seq\":2}\n{\"se")
	f.Add("\n\nnull\n[]\n{\"seq\":\"x\"}\n\x00\x00")
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		seen, err := ReadLines(strings.NewReader(text), func(Record) { n++ })
		if err != nil {
			t.Fatal(err)
		}
		if whole := strings.Count(text, "\n"); n+seen.Bad > whole || seen.Torn > 1 {
			t.Errorf("%d good, %+v of %d lines", n, seen, whole)
		}
		// However many parts a file is cut into, it holds the same lines.
		again := 0
		var all Lines
		cuts := cutLines([]byte(text), 5)
		for i := 1; i < len(cuts); i++ {
			values, part := decodePart[Record]([]byte(text)[cuts[i-1]:cuts[i]])
			again += len(values)
			all.Bad += part.Bad
			all.Torn += part.Torn
		}
		if again != n || all.Bad != seen.Bad || all.Torn != seen.Torn {
			t.Errorf("in parts %d good, %+v; in one %d good, %+v", again, all, n, seen)
		}
	})
}

// BenchmarkReadAttempt reads one repeat of 9 steps x 2,300 requests; a run has five.
func BenchmarkReadAttempt(b *testing.B) {
	dir, _ := writeAttempt(b, 20_700)
	info, err := os.Stat(dir.Records())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		f, err := ReadAttempt(dir)
		if err != nil || len(f.Records) != 20_700 {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.Sys)/1e6, "MB-of-the-system")
	}
}
