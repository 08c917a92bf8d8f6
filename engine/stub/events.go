package stub

import "strconv"

// fingerprint stands where an engine states its build.
const fingerprint = Version

// events builds the bytes of one answer. The parts that don't change are made
// once, since a token is otherwise little more than its text.
type events struct {
	ask   *ask
	head  []byte // up to "choices":
	event []byte // scratch of one event
}

func newEvents(a *ask, id string, created int64, model string) *events {
	object := "text_completion"
	if a.chat {
		object = "chat.completion.chunk"
	}
	e := &events{ask: a}
	e.head = append(e.head, `data: {"id":"`+id+`","object":"`+object+`","created":`...)
	e.head = strconv.AppendInt(e.head, created, 10)
	e.head = append(e.head, `,"model":`...)
	e.head = append(e.head, marshal(model)...)
	e.head = append(e.head, `,"choices":`...)
	return e
}

// appendRole adds a chat's first event, which has no text.
func (e *events) appendRole(b []byte) []byte {
	ev := append(e.event[:0], e.head...)
	ev = append(ev, `[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]`...)
	if e.ask.continuous {
		ev = e.appendUsage(ev, 0, true)
	}
	ev = append(ev, `,"prompt_token_ids":`...)
	ev = e.appendIDs(ev, e.ask.returnIDs, e.ask.promptIDs)
	ev = append(ev, `,"prompt_text":null}`+"\n\n"...)
	return e.frame(b, ev)
}

// appendTokens adds an event with the text of tokens [from, to); finish "" is
// any event but the last.
func (e *events) appendTokens(b []byte, text []byte, ids []int, first bool, to int, finish string) []byte {
	ev := append(e.event[:0], e.head...)
	if e.ask.chat {
		ev = append(ev, `[{"index":0,"delta":{"content":"`...)
		ev = append(ev, text...)
		ev = append(ev, `"},"logprobs":null,"finish_reason":`...)
		if finish == "" {
			ev = append(ev, `null,"token_ids":`...)
		} else {
			ev = append(ev, '"')
			ev = append(ev, finish...)
			ev = append(ev, `","stop_reason":null,"token_ids":`...)
		}
	} else {
		ev = append(ev, `[{"index":0,"text":"`...)
		ev = append(ev, text...)
		ev = append(ev, `","logprobs":null,"finish_reason":`...)
		if finish == "" {
			ev = append(ev, `null`...)
		} else {
			ev = append(ev, '"')
			ev = append(ev, finish...)
			ev = append(ev, '"')
		}
		ev = append(ev, `,"stop_reason":null,"prompt_token_ids":`...)
		ev = e.appendIDs(ev, e.ask.returnIDs && first, e.ask.promptIDs)
		ev = append(ev, `,"token_ids":`...)
	}
	ev = e.appendIDs(ev, e.ask.returnIDs, ids)
	ev = append(ev, `}]`...)
	if e.ask.continuous {
		ev = e.appendUsage(ev, to, e.ask.chat)
	} else if finish != "" && !e.ask.includeUsage {
		ev = append(ev, `,"system_fingerprint":"`+fingerprint+`"`...)
	}
	ev = append(ev, "}\n\n"...)
	return e.frame(b, ev)
}

// appendEnd adds the usage where it was asked for, [DONE], and the body's end.
func (e *events) appendEnd(b []byte, produced int) []byte {
	if e.ask.includeUsage {
		ev := append(e.event[:0], e.head...)
		ev = append(ev, `[]`...)
		ev = e.appendUsage(ev, produced, false)
		ev = append(ev, `,"system_fingerprint":"`+fingerprint+`"}`+"\n\n"...)
		b = e.frame(b, ev)
	}
	return appendDone(e, b)
}

func appendDone(e *events, b []byte) []byte {
	b = e.frame(b, append(e.event[:0], "data: [DONE]\n\n"...))
	return append(b, "0\r\n\r\n"...)
}

// appendError ends a stream as a server does whose engine failed: an error
// event, and [DONE] all the same.
func (e *events) appendError(b []byte, err *apiError) []byte {
	return appendDone(e, e.frame(b, append(e.event[:0], err.event()...)))
}

func (e *events) appendUsage(ev []byte, produced int, details bool) []byte {
	prompt := len(e.ask.promptIDs)
	ev = append(ev, `,"usage":{"prompt_tokens":`...)
	ev = strconv.AppendInt(ev, int64(prompt), 10)
	ev = append(ev, `,"total_tokens":`...)
	ev = strconv.AppendInt(ev, int64(prompt+produced), 10)
	ev = append(ev, `,"completion_tokens":`...)
	ev = strconv.AppendInt(ev, int64(produced), 10)
	if details {
		ev = append(ev, `,"completion_tokens_details":null`...)
	}
	return append(ev, '}')
}

func (e *events) appendIDs(ev []byte, asked bool, ids []int) []byte {
	if !asked {
		return append(ev, `null`...)
	}
	ev = append(ev, '[')
	for i, id := range ids {
		if i > 0 {
			ev = append(ev, ',')
		}
		ev = strconv.AppendInt(ev, int64(id), 10)
	}
	return append(ev, ']')
}

// frame adds ev to b as one chunk of a chunked body and keeps ev's memory.
func (e *events) frame(b, ev []byte) []byte {
	e.event = ev
	b = strconv.AppendInt(b, int64(len(ev)), 16)
	b = append(b, "\r\n"...)
	b = append(b, ev...)
	return append(b, "\r\n"...)
}
