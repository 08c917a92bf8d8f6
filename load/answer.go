package load

import (
	"errors"
	"math"
	"net/http"

	"hpcbench/load/chunk"
	"hpcbench/load/clock"
	"hpcbench/load/endpoint"
	"hpcbench/load/sse"
	"hpcbench/load/wire"
	"hpcbench/results"
)

// answer gathers one answer as its bytes arrive: all that a record needs and
// nothing that grows with the text but two or three bytes a token event.
type answer struct {
	parser  sse.Parser
	decoder chunk.Decoder
	facts   chunk.Facts
	onTok   func(ns int64, n int) // told of every token event, may be nil

	id                  string
	events, texts       int
	firstEvent, done    int64 // ns
	firstText, lastText int64
	finish              string
	finishAt            int64
	prompt, completion  int
	usage               bool
	failed              bool
	errStatus           int
	errText             string
	rule                tokenRule
	tokens              track
	broken              error
}

// tokenRule says what a token event is: one that raises the usage's count, or
// one with text where the server states no count as it goes.
type tokenRule uint8

const (
	undecided tokenRule = iota
	byUsage
	byText
)

// track is the token events of an answer.
type track struct {
	events        int
	first, last   int64 // ns
	firstEarliest int64 // the lower end of the first's interval, 0 = exact
	firstCount    int
	counted       int
	merged        int
	gaps          []byte // results.AppendGap
	// The last event's share in its stamp is only settled by the next one. What stands behind the last token of an
	// answer (its usage, [DONE]) belongs to the same step of the engine, and moves nothing.
	open    bool
	prev    int64 // when the open event had surely not come
	gap     int64 // µs from the event before it, -1 for the first
	bad     bool  // the event before it is an interval
	counts  []int
	several bool // some event has more than one token
}

var errBadEvent = errors.New("an event isn't the JSON expected")

// data takes a read's bytes; it is the wire's callback.
func (a *answer) data(p []byte, st clock.Stamp) error {
	return a.parser.Feed(p, st, a.take)
}

func (a *answer) take(e *sse.Event) error {
	if e.Done() {
		a.done = e.Stamp.Ns
		return wire.ErrStop
	}
	a.events++
	ev := &a.facts
	if err := a.decoder.Decode(e.Data, ev); err != nil {
		a.broken = err
		return errBadEvent
	}
	if ev.Error {
		// The stream may go on to a [DONE]; what counts is the error.
		a.failed, a.errStatus, a.errText = true, ev.ErrorStatus, ev.ErrorText
		return nil
	}
	if a.id == "" {
		a.id = string(ev.ID)
	}
	if ev.Choices && a.firstEvent == 0 {
		a.firstEvent = e.Stamp.Ns
	}
	if ev.Content {
		a.texts++
		if a.firstText == 0 {
			a.firstText = e.Stamp.Ns
		}
		a.lastText = e.Stamp.Ns
	}
	if ev.Finish != "" {
		a.finish, a.finishAt = ev.Finish, e.Stamp.Ns
	}
	a.count(ev, e)
	return nil
}

// count decides whether the event holds tokens, and how many.
func (a *answer) count(ev *chunk.Facts, e *sse.Event) {
	rise := 0
	if ev.Usage {
		rise = ev.CompletionTokens - a.completion
		a.usage = true
		a.completion = max(a.completion, ev.CompletionTokens)
		a.prompt = max(a.prompt, ev.PromptTokens)
	}
	if a.rule == undecided && ev.Choices {
		switch {
		case ev.Usage && ev.CompletionTokens > 0:
			a.rule = byUsage
		case ev.Text():
			a.rule = byText
		}
	}
	switch {
	case a.rule == byUsage && rise > 0 && ev.Choices:
		a.token(e, rise)
	case a.rule == byText && ev.Text():
		a.token(e, 1)
	}
}

func (a *answer) token(e *sse.Event, n int) {
	t := &a.tokens
	if t.events > 0 {
		t.settle(true)
	}
	t.events++
	t.counted += n
	t.gap = -1
	if t.first == 0 {
		t.first, t.firstCount = e.Stamp.Ns, n
	} else {
		t.gap = micro(e.Stamp.Ns) - micro(t.last)
	}
	t.open, t.prev = e.Merged, e.Stamp.PrevNs
	if !t.open {
		t.settle(false)
	}
	if n > 1 && !t.several {
		t.several = true
		t.counts = make([]int, t.events-1, 2*t.events+16)
		for i := range t.counts {
			t.counts[i] = 1
		}
	}
	if t.several {
		t.counts = append(t.counts, n)
	}
	t.last = e.Stamp.Ns
	if a.onTok != nil {
		a.onTok(e.Stamp.Ns, n)
	}
}

// settle writes down the gap before the last event, once it is known whether
// the event's stamp is its own or, as merged says of an open one, shared.
func (t *track) settle(merged bool) {
	if t.gap == settled {
		return
	}
	merged = merged && t.open
	if merged {
		t.merged++
		if t.gap < 0 {
			t.firstEarliest = t.prev
		}
	}
	if t.gap >= 0 {
		t.gaps = results.AppendGap(t.gaps, results.Gap{Us: t.gap, Merged: merged || t.bad})
	}
	t.bad, t.gap = merged, settled
}

// settled stands for a gap that was written down.
const settled = -2

// micro turns nanoseconds into a record's microseconds; an instant that
// happened is never 0.
func micro(ns int64) int64 {
	if ns == 0 {
		return 0
	}
	return max(1, (ns+500)/1000)
}

// fill writes what came into the record and decides how the request ended. err
// is the wire's; cancelled says that we gave it up.
func (a *answer) fill(r *results.Record, resp *wire.Response, err error, cancelled bool) {
	if err == nil && a.done == 0 {
		// The end of the body may stand for the blank line behind [DONE].
		if closeErr := a.parser.Close(clock.Stamp{Ns: resp.TEnd, PrevNs: resp.TEnd}, a.take); closeErr != nil && closeErr != wire.ErrStop {
			err = closeErr
		}
	}
	if a.tokens.events > 0 {
		a.tokens.settle(false)
	}
	r.Status = resp.Status
	r.TSend, r.THeaders, r.TEnd = micro(resp.TSend), micro(resp.THeaders.Ns), micro(resp.TEnd)
	r.BytesOut, r.BytesIn = resp.BytesOut, resp.BytesIn
	r.Clock = resp.Kind().String()
	r.ServerID, r.Finish = a.id, a.finish
	r.Events, r.TextEvents, r.TokenEvents = a.events, a.texts, a.tokens.events
	r.TFirstEvent, r.TDone = micro(a.firstEvent), micro(a.done)
	r.TFirstText, r.TLastText = micro(a.firstText), micro(a.lastText)
	r.TFirstToken, r.TLastToken = micro(a.tokens.first), micro(a.tokens.last)
	r.Merged, r.FirstTokenEarliest = a.tokens.merged, micro(a.tokens.firstEarliest)
	r.Gaps = results.EncodePacked(a.tokens.gaps)
	if a.tokens.several {
		r.TokenCounts = results.EncodeCounts(a.tokens.counts)
	}
	a.fillTokens(r)
	r.Outcome, r.ErrorClass, r.ErrorText = a.outcome(resp, err, cancelled)
}

// fillTokens counts the answer: by the server's usage where it has said one,
// else by events.
func (a *answer) fillTokens(r *results.Record) {
	t := &a.tokens
	if t.events == 0 && a.completion > 0 && a.finishAt > 0 {
		// All its tokens were without text, as an end token at once is: the event that ended it brought them.
		r.TokenEvents, t.firstCount = 1, a.completion
		r.TFirstToken = micro(a.finishAt)
		r.TLastToken = r.TFirstToken
		r.TokenCounts = results.EncodeCounts([]int{a.completion})
	}
	r.PromptTokens, r.FirstTokens = a.prompt, t.firstCount
	switch {
	case a.usage && a.completion > 0:
		r.OutputTokens = a.completion
		r.TokensSource = results.TokensUsage
		if a.rule == byUsage {
			r.TokensSource = results.TokensContinuous
		} else if t.events > 0 {
			// The events' own counts aren't known: they are alike on average.
			r.FirstTokens = max(1, int(math.Round(float64(a.completion)/float64(t.events))))
		}
	case t.events > 0:
		r.OutputTokens = t.counted
		r.TokensSource = results.TokensEvents
	}
}

// outcome is the one way in which a request ended. A stream that says HTTP 200
// and [DONE] may still hold a refusal, an error or an answer broken off.
func (a *answer) outcome(resp *wire.Response, err error, cancelled bool) (outcome, class, text string) {
	shed := func(status int) bool {
		return status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
	}
	class = wire.Class(err)
	switch {
	case a.failed && shed(a.errStatus):
		return results.OutcomeShed, results.ErrorInStream, endpoint.FirstLine([]byte(a.errText))
	case a.failed:
		return results.OutcomeFailed, results.ErrorInStream, endpoint.FirstLine([]byte(a.errText))
	case class == results.ErrorHTTP && shed(resp.Status):
		return results.OutcomeShed, results.ErrorHTTP, words(resp.Body, err)
	case class == results.ErrorHTTP:
		return results.OutcomeFailed, class, words(resp.Body, err)
	case class == results.ErrorTimeout:
		return results.OutcomeTimedOut, class, endpoint.FirstLine([]byte(err.Error()))
	case cancelled && a.done == 0:
		return results.OutcomeOpen, results.ErrorCancelled, ""
	case errors.Is(err, errBadEvent):
		return results.OutcomeFailed, results.ErrorProtocol, endpoint.FirstLine([]byte(a.broken.Error()))
	case errors.Is(err, sse.ErrTooLarge):
		return results.OutcomeFailed, results.ErrorTooLarge, endpoint.FirstLine([]byte(err.Error()))
	case errors.Is(err, sse.ErrTorn):
		return results.OutcomeFailed, results.ErrorClosed, endpoint.FirstLine([]byte(err.Error()))
	case err != nil && a.done == 0:
		return results.OutcomeFailed, class, endpoint.FirstLine([]byte(err.Error()))
	case a.finish == "abort":
		return results.OutcomeFailed, results.ErrorAborted, "the server broke the answer off (finish_reason abort)"
	case a.done == 0 && a.finish == "":
		return results.OutcomeFailed, results.ErrorClosed, "the stream ended without a finish_reason and without [DONE]"
	case a.tokens.events == 0 && a.completion == 0:
		return results.OutcomeFailed, results.ErrorNoTokens, "a whole answer without a token"
	}
	return results.OutcomeCompleted, "", ""
}

// good says, once the reading has ended with err, whether the answer will be
// held for completed. It may say no of one that will.
func (a *answer) good(err error) bool {
	return err == nil && a.done != 0 && !a.failed && a.finish != "abort" && a.tokens.events > 0
}

// words are the server's, or ours where it said nothing.
func words(body []byte, err error) string {
	if line := endpoint.FirstLine(body); line != "" {
		return line
	}
	return err.Error()
}
