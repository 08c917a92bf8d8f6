package wiretest

import "hpcbench/results"

// What a real engine was seen to send, in its own words.
const (
	aborted   = `{"id":"cmpl-1","choices":[{"index":0,"text":" x","logprobs":null,"finish_reason":"abort","stop_reason":null}]}`
	engineOut = `{"error": {"message": "EngineCore encountered an issue. See stack trace (above) for the root cause.", "type": "InternalServerError", "param": null, "code": 500}}`
	busy      = `{"error": {"message": "The engine is currently busy and cannot accept new requests. Please try again later or on a different instance.", "type": "Service Unavailable", "param": null, "code": 503}}`
	empty     = `{"id":"c","choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":null}],"usage":{"prompt_tokens":16,"total_tokens":17,"completion_tokens":1}}`
	emptyEnd  = `{"id":"c","choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":16,"total_tokens":18,"completion_tokens":2}}`
	heldEnd   = `{"id":"c","choices":[{"index":0,"text":"achME","finish_reason":"stop","stop_reason":"patent"}]}`
	noTokens  = `{"id":"c","choices":[{"index":0,"text":"","finish_reason":"stop"}]}`
	refusal   = `{"error":{"message":"The engine is currently busy and cannot accept new requests. Please try again later or on a different instance.","type":"Service Unavailable","param":null,"code":503}}`
	noKey     = `{"error":"Unauthorized"}`
	noModel   = `{"error":{"message":"The model does not exist.","type":"NotFoundError","param":"model","code":404}}`
)

// engines are the traps of a real engine.
var engines = []Case{
	{Name: "told to stop: abort, usage and [DONE]", Serve: chunks(event(token("a")), event(aborted), event(usageTwo), done), KeepOpen: true,
		Want: in200(results.OutcomeFailed, results.ErrorAborted, token("a"), aborted, usageTwo)},
	{Name: "the engine died: an error event and [DONE]", Serve: chunks(event(token("a")), event(engineOut), done), KeepOpen: true,
		Want: in200(results.OutcomeFailed, results.ErrorInStream, token("a"), engineOut)},
	{Name: "full: a refusal inside a 200", Serve: chunks(event(busy), done), KeepOpen: true,
		Want: in200(results.OutcomeShed, results.ErrorInStream, busy)},
	{Name: "tokens whose text is empty", Serve: chunks(event(empty), event(emptyEnd), done), KeepOpen: true, Want: completed(empty, emptyEnd)},
	{Name: "text held back", Serve: chunks(event(token(" a")), event(token("tt")), event(heldEnd), event(usageTwo), done), KeepOpen: true,
		Want: completed(token(" a"), token("tt"), heldEnd, usageTwo)},
	{Name: "no token at all", Serve: chunks(event(noTokens), done), KeepOpen: true, Want: in200(results.OutcomeFailed, results.ErrorNoTokens, noTokens)},
	{Name: "an empty stream", Serve: chunks(done), KeepOpen: true, Want: in200(results.OutcomeFailed, results.ErrorNoTokens)},
	{Name: "a request that hangs", Serve: (*Session).Stall, Want: failed(results.ErrorTimeout, 0)},
	{Name: "503", Serve: status(503, "", refusal), KeepOpen: true, Want: refused(503)},
	{Name: "429", Serve: status(429, "retry-after: 1\r\n", refusal), KeepOpen: true, Want: refused(429)},
	{Name: "401", Serve: status(401, "", noKey), KeepOpen: true, Want: refused(401)},
	{Name: "404", Serve: status(404, "", noModel), KeepOpen: true, Want: refused(404)},
	{Name: "500 without a body", Serve: status(500, "", ""), KeepOpen: true, Want: refused(500)},
	{Name: "413 before the body was read", Serve: func(s *Session) {
		status(413, "connection: close\r\n", `{"detail":"too large"}`)(s)
	}, Early: true, Want: Want{Class: results.ErrorHTTP, Status: 413, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorHTTP}},
	{Name: "an error page of any size", Serve: endless("HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\n\r\n", kilobyte),
		Want: Want{Class: results.ErrorHTTP, Status: 502, Outcome: results.OutcomeFailed, ErrorClass: results.ErrorHTTP}},
	{Name: "an error whose body never ends", Serve: func(s *Session) {
		s.Send("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 100\r\n\r\n{\"error\":")
		s.Stall()
	}, Want: Want{Class: results.ErrorHTTP, Status: 503, Outcome: results.OutcomeShed, ErrorClass: results.ErrorHTTP}},
}
