package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hpcbench/load/clock"
	"hpcbench/load/record"
	"hpcbench/load/wire"
	"hpcbench/load/wire/wiretest"
	"hpcbench/results"
)

// body is the part of a captured answer behind its headers.
func body(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "vllm-0.32.0", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, rest, ok := bytes.Cut(b, []byte("\r\n\r\n")); ok && bytes.HasPrefix(b, []byte("HTTP/")) {
		return rest
	}
	if _, rest, ok := bytes.Cut(b, []byte("\n\n")); ok && bytes.HasPrefix(b, []byte("HTTP/")) {
		return rest
	}
	if i := bytes.Index(b, []byte("data: ")); i > 0 {
		return b[i:] // the tail of a stream, cut in an event
	}
	return b
}

// read feeds an answer in reads of size bytes, a millisecond apart, and gives
// its record.
func readAnswer(t *testing.T, b []byte, size int) results.Record {
	t.Helper()
	var a answer
	now := int64(time.Second)
	var err error
	for len(b) > 0 && err == nil {
		n := min(size, len(b))
		if size == 0 { // an event a read
			if n = bytes.Index(b, []byte("\n\n")) + 2; n < 2 {
				n = len(b)
			}
		}
		err = a.data(b[:n], clock.Stamp{Ns: now, PrevNs: now - int64(time.Millisecond)})
		b = b[n:]
		now += int64(time.Millisecond)
	}
	if errors.Is(err, wire.ErrStop) {
		err = nil
	}
	var r results.Record
	a.fill(&r, &wire.Response{Status: 200, TSend: int64(time.Second) - 5e6, TEnd: now}, err, false)
	return r
}

func TestAnswersOfARealEngine(t *testing.T) {
	for name, want := range map[string]results.Record{
		"chat-stream-continuous-usage.http": {Outcome: "completed", OutputTokens: 6, PromptTokens: 21, FirstTokens: 1, TokensSource: results.TokensContinuous,
			TokenEvents: 6, TextEvents: 6, Finish: "length"},
		"chat-stream-include-usage.http": {Outcome: "completed", OutputTokens: 6, PromptTokens: 21, FirstTokens: 1, TokensSource: results.TokensUsage,
			TokenEvents: 6, TextEvents: 6, Finish: "length"},
		"chat-stream-eos-at-once.http": {Outcome: "completed", OutputTokens: 1, PromptTokens: 16, FirstTokens: 1, TokensSource: results.TokensUsage,
			TokenEvents: 1, TextEvents: 0, Finish: "stop"},
		"chat-stream-ignore-eos-special-tokens.http": {Outcome: "completed", OutputTokens: 6, PromptTokens: 16, FirstTokens: 1,
			TokensSource: results.TokensContinuous, TokenEvents: 6, TextEvents: 0, Finish: "length"},
		"completions-stream-continuous-usage.http": {Outcome: "completed", OutputTokens: 8, PromptTokens: 9, FirstTokens: 1,
			TokensSource: results.TokensContinuous, TokenEvents: 8, TextEvents: 8, Finish: "length"},
		"completions-stream-plain.http": {Outcome: "completed", OutputTokens: 4, FirstTokens: 1, TokensSource: results.TokensEvents,
			TokenEvents: 4, TextEvents: 4, Finish: "length"},
		"completions-stream-stop-string.http": {Outcome: "completed", OutputTokens: 3, PromptTokens: 9, FirstTokens: 1, TokensSource: results.TokensUsage,
			TokenEvents: 3, TextEvents: 3, Finish: "stop"},
		"prompt-4090-max-tokens-100-clamped.http": {Outcome: "completed", OutputTokens: 6, FirstTokens: 1, TokensSource: results.TokensEvents,
			TokenEvents: 6, TextEvents: 6, Finish: "length"},
		"overload-stream-http200-error-event.txt": {Outcome: "shed", ErrorClass: "in_stream",
			ErrorText: "The engine is currently busy and cannot accept new requests. Please try again later or on a different instance."},
		"sigterm-while-streaming-tail.txt": {Outcome: "failed", ErrorClass: "aborted", ErrorText: "the server broke the answer off (finish_reason abort)",
			OutputTokens: 385, PromptTokens: 3, Finish: "abort", TokensSource: results.TokensUsage, TokenEvents: 1, TextEvents: 1, FirstTokens: 385},
		"kill9-enginecore-tail.txt": {Outcome: "failed", ErrorClass: "in_stream",
			ErrorText: "EngineCore encountered an issue. See stack trace (above) for the root cause.", OutputTokens: 2, TokensSource: results.TokensEvents,
			TokenEvents: 2, TextEvents: 2, FirstTokens: 1},
	} {
		for _, size := range []int{0, 1, 7, 100, 1 << 20} {
			r := readAnswer(t, body(t, name), size)
			got := results.Record{Outcome: r.Outcome, ErrorClass: r.ErrorClass, ErrorText: r.ErrorText, OutputTokens: r.OutputTokens,
				PromptTokens: r.PromptTokens, FirstTokens: r.FirstTokens, TokensSource: r.TokensSource, TokenEvents: r.TokenEvents,
				TextEvents: r.TextEvents, Finish: r.Finish}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s in reads of %d: %s", name, size, diff)
			}
			if r.Outcome == results.OutcomeCompleted && (r.TFirstToken == 0 || r.TFirstToken > r.TLastToken || r.TDone == 0 || r.ServerID == "") {
				t.Errorf("%s in reads of %d: instants %+v", name, size, r)
			}
			if gaps, err := results.DecodeGaps(nil, r.Gaps); err != nil || len(gaps) != max(0, r.TokenEvents-1) {
				t.Errorf("%s in reads of %d: %d gaps of %d events, %v", name, size, len(gaps), r.TokenEvents, err)
			}
		}
	}
}

// TestTokensAreWhatUsageCounts: events whose usage is a placeholder, and events
// of several tokens.
func TestTokensAreWhatUsageCounts(t *testing.T) {
	ev := func(text string, usage string) string {
		return fmt.Sprintf("data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]%s}\n\n", text, usage)
	}
	end := "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n"
	usage := func(n int) string {
		return fmt.Sprintf(",\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":%d}", n)
	}
	final := func(n int) string { return "data: {\"id\":\"x\",\"choices\":[]" + usage(n) + "}\n\ndata: [DONE]\n\n" }
	for name, c := range map[string]struct {
		stream string
		want   results.Record
	}{
		"four tokens an event, continuous": {
			ev("abcd", usage(4)) + ev("efgh", usage(8)) + ev("ij", usage(10)) + end + final(10),
			results.Record{OutputTokens: 10, FirstTokens: 4, TokenEvents: 3, TokensSource: results.TokensContinuous, TokenCounts: results.EncodeCounts([]int{4, 4, 2})}},
		"four tokens an event, counted at the end": {
			ev("abcd", "") + ev("efgh", "") + end + final(8),
			results.Record{OutputTokens: 8, FirstTokens: 4, TokenEvents: 2, TokensSource: results.TokensUsage}},
		"usage is a placeholder until the end": {
			ev("a", usage(0)) + ev("b", ",\"usage\":null") + end + final(2),
			results.Record{OutputTokens: 2, FirstTokens: 1, TokenEvents: 2, TokensSource: results.TokensUsage}},
		"a token without text between others": {
			ev("a", usage(1)) + ev("", usage(2)) + ev("c", usage(3)) + end + final(3),
			results.Record{OutputTokens: 3, FirstTokens: 1, TokenEvents: 3, TokensSource: results.TokensContinuous}},
		"no usage at all": {
			ev("a", "") + ev("b", "") + end + "data: [DONE]\n\n",
			results.Record{OutputTokens: 2, FirstTokens: 1, TokenEvents: 2, TokensSource: results.TokensEvents}},
	} {
		r := readAnswer(t, []byte(c.stream), 0)
		if r.Outcome != results.OutcomeCompleted {
			t.Errorf("%s: %s %s", name, r.Outcome, r.ErrorText)
		}
		got := results.Record{OutputTokens: r.OutputTokens, FirstTokens: r.FirstTokens, TokenEvents: r.TokenEvents, TokensSource: r.TokensSource, TokenCounts: r.TokenCounts}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestMergedEventsAreIntervals: two events in one read are known to have come
// between the read before and this one.
func TestMergedEventsAreIntervals(t *testing.T) {
	var a answer
	feed := func(text string, at, prev int64) {
		t.Helper()
		if err := a.data([]byte(text), clock.Stamp{Ns: at * 1e6, PrevNs: prev * 1e6}); err != nil && !errors.Is(err, wire.ErrStop) {
			t.Fatal(err)
		}
	}
	ev := "data: {\"choices\":[{\"text\":\"a\"}]}\n\n"
	feed(ev+ev, 30, 10)
	feed(ev, 40, 30)
	feed(ev+"data: [DONE]\n\n", 50, 40) // the end behind a last token doesn't make its stamp doubtful
	var r results.Record
	a.fill(&r, &wire.Response{Status: 200, TSend: 1e6, TEnd: 50e6}, nil, false)
	gaps, err := results.DecodeGaps(nil, r.Gaps)
	want := []results.Gap{{Us: 0, Merged: true}, {Us: 10_000}, {Us: 10_000}}
	if err != nil || !cmp.Equal(gaps, want) {
		t.Errorf("gaps %+v, %v", gaps, err)
	}
	if r.Merged != 1 || r.FirstTokenEarliest != 10_000 || r.TFirstToken != 30_000 {
		t.Errorf("merged %d, first token in (%d, %d]", r.Merged, r.FirstTokenEarliest, r.TFirstToken)
	}
}

// TestTortureEndsInTheRightOutcome runs every trick of the hostile server
// through the runner: one record each, with the outcome the trick deserves.
func TestTortureEndsInTheRightOutcome(t *testing.T) {
	srv := wiretest.Start(t, false)
	e := endpointOf(t, srv.URL)
	plan := ratePlan(1, 1)
	for i, c := range wiretest.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			r := &runner{plan: plan, clock: clock.New(time.Now()), live: newLive()}
			w, err := newWay(e, plan, r.clock, true)
			if err != nil {
				t.Fatal(err)
			}
			w.wire.Close()
			w.wire, err = wire.New(wire.Config{Endpoint: w.builder.endpoint, Clock: r.clock, Kernel: true, Timeouts: wire.Timeouts{
				Connect: time.Second, Headers: wiretest.HeadersTimeout, Idle: wiretest.IdleTimeout, Total: wiretest.TotalTimeout}})
			if err != nil {
				t.Fatal(err)
			}
			w.pool = wire.NewPool(w.wire)
			defer w.close()
			if r.records, err = record.Open[results.Record](filepath.Join(t.TempDir(), "records.jsonl"), 0o600, nil); err != nil {
				t.Fatal(err)
			}
			defer r.records.Close()
			req, err := wire.NewRequest(w.builder.endpoint, http.MethodPost, fmt.Sprintf("/%d", i), http.Header{}, []byte(`{"prompt":"x"}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Want = streamType
			sh := &shot{step: &results.Step{}, way: w, request: req}
			f := r.release(sh, results.PhaseWindow, 0, nil)
			r.await(context.Background(), f)
			got := r.keep(f)
			if got.Outcome != c.Want.Outcome || got.ErrorClass != c.Want.ErrorClass {
				t.Errorf("outcome %s %s (%s), want %s %s", got.Outcome, got.ErrorClass, got.ErrorText, c.Want.Outcome, c.Want.ErrorClass)
			}
			if got.TEnd < got.TStart || got.TStart == 0 || got.Outcome == results.OutcomeFailed && got.ErrorText == "" {
				t.Errorf("%+v", got)
			}
			if n := r.live.inFlight.Load(); n != 0 {
				t.Errorf("%d are still in flight", n)
			}
		})
	}
}
