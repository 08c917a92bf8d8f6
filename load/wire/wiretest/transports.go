package wiretest

import (
	"fmt"
	"strings"
	"time"

	"hpcbench/results"
)

func hexChunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

func sized(text string) string {
	return fmt.Sprintf("content-type: text/event-stream\r\ncontent-length: %d\r\n\r\n%s", len(text), text)
}

func notReused(w Want) Want { w.Reused = false; return w }

// transports are the ways to carry an answer.
var transports = []Case{
	{Name: "content-length", Serve: sends("HTTP/1.1 200 OK\r\n" + sized(good)), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "head and body in one segment", Serve: sends(chunkedHead + hexChunk(good) + lastChunk), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "ended by closing", Serve: sends(closeHead + good), Want: notReused(completed(goodEvents...))},
	{Name: "connection: close though chunked", Serve: sends(strings.Replace(chunkedHead, "\r\n\r\n", "\r\nconnection: close\r\n\r\n", 1) +
		hexChunk(good) + lastChunk), Want: notReused(completed(goodEvents...))},
	{Name: "HTTP/1.0", Serve: sends("HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + good), Want: notReused(completed(goodEvents...))},
	{Name: "HTTP/1.0 with a length", Serve: sends("HTTP/1.0 200 OK\r\n" + sized(good)), Want: notReused(completed(goodEvents...))},
	{Name: "chunk extensions", Serve: sends(chunkedHead + fmt.Sprintf("%X;name=\"value\";x\r\n%s\r\n0;last\r\n\r\n", len(good), good)), KeepOpen: true,
		Want: completed(goodEvents...)},
	{Name: "trailers", Serve: sends(chunkedHead + hexChunk(good) + "0\r\nx-took: 7\r\nx-more: 8\r\n\r\n"), KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "headers with line feeds only", Serve: sends(strings.ReplaceAll(chunkedHead, "\r", "") + hexChunk(good) + lastChunk), KeepOpen: true,
		Want: completed(goodEvents...)},
	{Name: "slow headers", Serve: func(s *Session) {
		for part := range strings.SplitAfterSeq(chunkedHead, " ") {
			s.Send(part)
			time.Sleep(10 * time.Millisecond)
		}
		s.Chunk(good)
		s.Send(lastChunk)
	}, KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "headers that never end", Serve: func(s *Session) {
		s.Send("HTTP/1.1 200 OK\r\ncontent-type: text/ev")
		s.Stall()
	}, Want: failed(results.ErrorTimeout, 0)},
	{Name: "early hints first", Serve: sends("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + chunkedHead + hexChunk(good) + lastChunk),
		KeepOpen: true, Want: completed(goodEvents...)},
	{Name: "closed without an answer", Serve: func(*Session) {}, Want: failed(results.ErrorClosed, 0)},
	{Name: "reset without an answer", Serve: (*Session).Reset, Want: failed(results.ErrorReset, 0)},
	{Name: "closed within the headers", Serve: sends("HTTP/1.1 200 OK\r\ncontent-ty"), Want: failed(results.ErrorClosed, 0)},
	{Name: "less than the length says", Serve: sends("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 10000\r\n\r\n" + event(token("a"))),
		Want: failed(results.ErrorClosed, 200, token("a"))},
	{Name: "more than the length says", Serve: sends("HTTP/1.1 200 OK\r\n" + sized(good) + "more"), Want: notReused(completed(goodEvents...))},
	{Name: "whole, but for the last chunk", Serve: sends(chunkedHead + hexChunk(good)), Want: notReused(completed(goodEvents...))},
}

// protocols are answers that can't be taken.
var protocols = []Case{
	{Name: "HTML with 200", Serve: sends("HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 21\r\n\r\n<html>log in</html>\r\n"),
		KeepOpen: true, Want: Want{Class: results.ErrorContentType, Status: 200, Reused: true, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorContentType}},
	{Name: "no content type", Serve: sends("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"),
		KeepOpen: true, Want: Want{Class: results.ErrorContentType, Status: 200, Reused: true, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorContentType}},
	{Name: "gzip though not asked", Serve: sends("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x8b\x08\x00"),
		KeepOpen: true, Want: Want{Class: results.ErrorProtocol, Status: 200, Reused: true, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorProtocol}},
	{Name: "redirect", Serve: status(307, "location: /elsewhere\r\n", ""), KeepOpen: true,
		Want: Want{Class: results.ErrorRedirect, Status: 307, Reused: true, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorRedirect}},
	{Name: "204", Serve: sends("HTTP/1.1 204 No Content\r\ncontent-type: text/event-stream\r\n\r\n"), KeepOpen: true,
		Want: Want{Status: 204, Reused: true, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorClosed}},
	{Name: "another protocol", Serve: sends("SSH-2.0-OpenSSH_9.6\r\n\r\n"), Want: failed(results.ErrorProtocol, 0)},
	{Name: "a switch of protocol", Serve: sends("HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n"), Want: failed(results.ErrorProtocol, 0)},
	{Name: "a header without a colon", Serve: sends("HTTP/1.1 200 OK\r\ncontent type\r\n\r\n"), Want: failed(results.ErrorProtocol, 0)},
	{Name: "two lengths", Serve: sends("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"), Want: failed(results.ErrorProtocol, 0)},
	{Name: "a coding nobody knows", Serve: sends("HTTP/1.1 200 OK\r\ntransfer-encoding: br\r\n\r\n"), Want: failed(results.ErrorProtocol, 0)},
	{Name: "headers beyond all bounds", Serve: endless("HTTP/1.1 200 OK\r\n", "x-filler: "+kilobyte+"\r\n"), Want: failed(results.ErrorTooLarge, 0)},
	{Name: "one header beyond all bounds", Serve: endless("HTTP/1.1 200 OK\r\nx-filler: ", kilobyte), Want: failed(results.ErrorTooLarge, 0)},
	{Name: "a chunk size that is none", Serve: sends(chunkedHead + hexChunk(event(token("a"))) + "zz\r\n"), Want: failed(results.ErrorProtocol, 200, token("a"))},
	{Name: "a chunk size beyond all numbers", Serve: sends(chunkedHead + "fffffffffffffffff\r\n"), Want: failed(results.ErrorProtocol, 200)},
	{Name: "a chunk longer than its size", Serve: sends(chunkedHead + "3\r\ndata: x\n\n\r\n"), Want: failed(results.ErrorProtocol, 200)},
}
