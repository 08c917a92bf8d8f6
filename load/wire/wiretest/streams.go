package wiretest

import (
	"strings"
	"time"

	"hpcbench/results"
)

var large = token(strings.Repeat("m", 1<<20))

// streams are the ways to write events.
var streams = []Case{
	{Name: "plain", Serve: chunks(event(token("a")), event(last), event(usageTwo), done), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "many events in a chunk", Serve: chunks(good), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "data without a space", Serve: chunks(strings.ReplaceAll(good, "data: ", "data:")), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "CRLF", Serve: chunks(strings.ReplaceAll(good, "\n", "\r\n")), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "comments", Serve: chunks(": hello\n\n", ": ping\n"+good, ":\n\n"), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "event, id and retry fields", Serve: chunks("retry: 10\n\n", strings.ReplaceAll(good, "data:", "event: message\nid: 7\ndata:")),
		KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "multi-line data", Serve: chunks("data: {\"choices\":\ndata: [{\"text\":\"a\",\ndata: \"finish_reason\":\"stop\"}]}\n\n", done), KeepOpen: true,
		Want: completed("{\"choices\":\n[{\"text\":\"a\",\n\"finish_reason\":\"stop\"}]}")},
	{Name: "a byte order mark", Serve: chunks("\xef\xbb\xbf" + good), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "byte by byte", Serve: bytewise(chunkedHead + "3\r\n" + good[:3] + "\r\n" + "1e\r\n" + good[3:33] + "\r\n" +
		hexChunk(good[33:]) + lastChunk), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "an event over many chunks", Serve: chunks(strings.Split(good, "")...), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "an event of a megabyte", Serve: chunks(event(large), good), KeepOpen: true, Want: completed(append([]string{large}, goodEvents...)...)},
	{Name: "an event beyond all bounds", Serve: endless(chunkedHead+"40000000\r\ndata: ", kilobyte), Want: failed(results.ErrorTooLarge, 200)},
	{Name: "a comment without an end", Serve: func(s *Session) {
		s.Send(chunkedHead)
		s.Chunk(good[:len(good)-len(done)])
		s.Chunk(":" + strings.Repeat(kilobyte, 5000) + "\n")
		s.Chunk(done)
		s.Send(lastChunk)
	}, KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "choices empty", Serve: chunks(event(`{"id":"cmpl-1","choices":[]}`), good), KeepOpen: true,
		Want: completed(append([]string{`{"id":"cmpl-1","choices":[]}`}, goodEvents...)...)},
	{Name: "null content", Serve: chunks(event(`{"choices":[{"delta":{"role":"assistant","content":null}}]}`), good), KeepOpen: true,
		Want: completed(append([]string{`{"choices":[{"delta":{"role":"assistant","content":null}}]}`}, goodEvents...)...)},
	{Name: "usage only", Serve: chunks(event(usageNine), done), KeepOpen: true, Want: completed(usageNine)},
	{Name: "no usage", Serve: chunks(event(token("a")), event(last), done), KeepOpen: true, Want: completed(token("a"), last)},
	{Name: "no [DONE]", Serve: chunks(event(token("a")), event(last)), KeepOpen: true,
		Want: Want{Status: 200, Events: []string{token("a"), last}, Reused: true, Outcome: results.OutcomeCompleted}},
	{Name: "[DONE] without a blank line", Serve: chunks(strings.TrimRight(good, "\n")), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "the body ends in mid-event", Serve: chunks(event(token("a")), event(last)[:30]), KeepOpen: true,
		Want: Want{Class: results.ErrorClosed, Status: 200, Events: []string{token("a")}, Reused: true, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorClosed}},
	{Name: "closed in mid-event", Serve: func(s *Session) {
		s.Send(chunkedHead)
		s.Chunk(event(token("a")))
		s.Send("100\r\ndata: {\"cho")
	}, Want: failed(results.ErrorClosed, 200, token("a"))},
	{Name: "closed between events", Serve: func(s *Session) {
		s.Send(chunkedHead)
		s.Chunk(event(token("a")))
	}, Want: failed(results.ErrorClosed, 200, token("a"))},
	{Name: "reset in mid-stream", Serve: func(s *Session) {
		s.Send(chunkedHead)
		s.Chunk(event(token("a")))
		time.Sleep(20 * time.Millisecond) // a reset drops what wasn't read
		s.Reset()
	}, Want: failed(results.ErrorReset, 200, token("a"))},
	{Name: "stalls for ever", Serve: func(s *Session) {
		s.Send(chunkedHead)
		s.Chunk(event(token("a")))
		s.Stall()
	}, Want: failed(results.ErrorTimeout, 200, token("a"))},
	{Name: "trickles comments for ever", Serve: func(s *Session) {
		s.Send(chunkedHead)
		for s.Chunk(": ping\n\n") {
			time.Sleep(50 * time.Millisecond)
		}
	}, Want: failed(results.ErrorTimeout, 200)},
	{Name: "[DONE] and then no end", Serve: func(s *Session) {
		s.Send(chunkedHead)
		s.Chunk(good)
		s.Stall()
	}, Want: Want{Status: 200, Events: goodEvents, Done: true, Outcome: results.OutcomeCompleted}},
	{Name: "a role 50 ms early", Serve: func(s *Session) {
		s.Send(chunkedHead)
		s.Chunk(event(`{"choices":[{"delta":{"role":"assistant","content":""}}]}`))
		time.Sleep(50 * time.Millisecond)
		s.Chunk(good)
		s.Send(lastChunk)
	}, KeepOpen: true, Want: completed(append([]string{`{"choices":[{"delta":{"role":"assistant","content":""}}]}`}, goodEvents...)...)},
	{Name: "four tokens an event", Serve: chunks(event(token("a b c d")), event(token("e f g h")), event(last), event(usageNine), done), KeepOpen: true,
		Want: completed(token("a b c d"), token("e f g h"), last, usageNine)},
	{Name: "an event that isn't JSON", Serve: chunks(event("hello"), done), KeepOpen: true,
		Want: in200(results.OutcomeFailed, results.ErrorProtocol, "hello")},
}
