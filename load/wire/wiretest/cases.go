package wiretest

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"hpcbench/results"
)

// Case is one thing a server may do.
type Case struct {
	Name  string
	Serve func(s *Session)
	// Early has Serve called before the request's body was read.
	Early bool
	// KeepOpen says that the connection serves another request afterwards.
	KeepOpen bool
	Want     Want
}

// Want is what a client must make of it. The stream is asked for with a body of
// a chat or completions request, and "text/event-stream" is the wanted type.
type Want struct {
	// Class is the error class of reading the answer; empty for a whole one.
	Class  string
	Status int
	// Events are the data of the events that were read, [DONE] left out.
	Events []string
	Done   bool // [DONE] came
	Reused bool // the connection can take another request

	// Outcome and ErrorClass are what a record of the request says.
	Outcome    string
	ErrorClass string
}

// Heads of answers.
const (
	chunkedHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n"
	closeHead   = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
	lastChunk   = "0\r\n\r\n"
	done        = "data: [DONE]\n\n"
)

// token is an event with text.
func token(text string) string {
	return fmt.Sprintf(`{"id":"cmpl-1","choices":[{"index":0,"text":%q,"finish_reason":null}]}`, text)
}

// Events that come in many cases.
const (
	last      = `{"id":"cmpl-1","choices":[{"index":0,"text":"z","finish_reason":"length"}]}`
	usageTwo  = `{"id":"cmpl-1","choices":[],"usage":{"prompt_tokens":9,"total_tokens":11,"completion_tokens":2}}`
	usageNine = `{"id":"cmpl-1","choices":[],"usage":{"prompt_tokens":9,"total_tokens":18,"completion_tokens":9}}`
)

func event(data string) string { return "data: " + data + "\n\n" }

// good is a whole answer of two tokens and its events.
var (
	good       = event(token("a")) + event(last) + event(usageTwo) + done
	goodEvents = []string{token("a"), last, usageTwo}
)

// completed is the want of a good answer.
func completed(events ...string) Want {
	return Want{Status: 200, Events: events, Done: true, Reused: true, Outcome: results.OutcomeCompleted}
}

// failed is the want of an answer that can't be read to its end.
func failed(class string, status int, events ...string) Want {
	outcome := results.OutcomeFailed
	if class == results.ErrorTimeout {
		outcome = results.OutcomeTimedOut
	}
	return Want{Class: class, Status: status, Events: events, Outcome: outcome, ErrorClass: class}
}

// chunks serves texts as chunks of an answer, and its end.
func chunks(texts ...string) func(*Session) {
	return func(s *Session) {
		s.Send(chunkedHead)
		for _, text := range texts {
			s.Chunk(text)
		}
		s.Send(lastChunk)
	}
}

// bytewise serves a text byte by byte, each in a segment of its own.
func bytewise(text string) func(*Session) {
	return func(s *Session) {
		for i := range len(text) {
			if !s.Send(text[i : i+1]) {
				return
			}
			if i%16 == 0 {
				time.Sleep(200 * time.Microsecond)
			}
		}
	}
}

// sends serves a text in one write.
func sends(text string) func(*Session) { return func(s *Session) { s.Send(text) } }

// status serves an answer that isn't 200, with a body.
func status(code int, extra, body string) func(*Session) {
	return sends(fmt.Sprintf("HTTP/1.1 %d %s\r\ncontent-type: application/json\r\n%scontent-length: %d\r\n\r\n%s",
		code, http.StatusText(code), extra, len(body), body))
}

// refused is the want of an answer with such a status.
func refused(code int) Want {
	w := Want{Class: results.ErrorHTTP, Status: code, Reused: true, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorHTTP}
	if code == 503 || code == 429 {
		w.Outcome = results.OutcomeShed
	}
	return w
}

// in200 is the want of an answer that is whole, but whose events say that it is
// no good.
func in200(outcome, class string, events ...string) Want {
	w := completed(events...)
	w.Outcome, w.ErrorClass = outcome, class
	return w
}

// endless sends text until the client has had enough, or the server has.
func endless(head, text string) func(*Session) {
	return func(s *Session) {
		s.Send(head)
		for range 64 << 20 / len(text) {
			if !s.Send(text) {
				return
			}
		}
	}
}

var kilobyte = strings.Repeat("x", 1024)

// Cases are all of them.
var Cases = append(append(append(append([]Case{}, streams...), engines...), transports...), protocols...)
